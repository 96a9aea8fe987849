package conformance

import (
	"maps"
	"os"
	"slices"
)

// frameworks says how much the frameworks, and the older generation of
// openai-python, are asked: "full" with the build tag nightly, "sample" where
// FOOTNOTE_TEST_FRAMEWORKS says so, and else not at all, because installing and
// loading them takes minutes.
func frameworks() string {
	if nightly {
		return "full"
	}
	return os.Getenv("FOOTNOTE_TEST_FRAMEWORKS")
}

// asksFrameworks reports whether this run asks frameworks at all.
func asksFrameworks() bool { return frameworks() != "" && frameworks() != "none" }

// everyday are the clients, and the names of readers, that every run asks.
var everyday = []string{"openai-node", "openai-python", "openai-go", "go-openai"}

// chosen returns those of the clients, by name, that this run asks.
func chosen[V any](all map[string]V) map[string]V {
	picked := maps.Clone(all)
	if frameworks() == "" {
		maps.DeleteFunc(picked, func(name string, _ V) bool { return !slices.Contains(everyday, name) })
	}
	return picked
}

// sampled reports whether a client is asked in some formats only.
func sampled(client string) bool { return frameworks() != "full" && !slices.Contains(everyday, client) }

// sampledFormats are the formats of such a client: the default one, and two
// that frameworks know.
var sampledFormats = []string{"native", "openai", "perplexity"}
