package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestTheSoakAnswersWhatItsRequestsSay(t *testing.T) {
	for _, s := range []soakScript{{soakActive, "abc-1", 20}, {soakObject, "x", 0}} {
		got, err := scriptIn(s.body())
		if err != nil || got != s {
			t.Error(got, err)
		}
	}
	for _, body := range []string{"", "soak/", "soak/active/x", "soak/active/x/many/"} {
		if _, err := scriptIn([]byte(body)); err == nil {
			t.Errorf("%q has a script", body)
		}
	}
}

func chunkLine(id, content, rest string) string {
	return fmt.Sprintf(`data: {"id":%q,"choices":[{"index":0,"delta":{"content":%q},%s}]}`, id, content, rest)
}

const (
	soakFinish = `data: {"id":"n","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"citations":{"status":"cited","referenced_indices":[1]}}`
	noFinish   = `"finish_reason":null`
)

func TestAStreamOfTheSoakIsWholeOrWhyNot(t *testing.T) {
	first, second := chunkLine("n", " n:0", noFinish), chunkLine("n", " n:1", noFinish)
	const done, failure = "data: [DONE]", `data: {"error":{"message":"it broke off","code":"x"}}`
	whole := []string{first, "", second, ": keep-alive", soakFinish, done}
	cases := map[string]struct {
		kind  string
		lines []string
		right bool
	}{
		"whole":                          {soakActive, whole, true},
		"reset, and said so":             {soakReset, []string{first, failure}, true},
		"a chunk is lost":                {soakActive, []string{second, soakFinish, done}, false},
		"the last chunk is lost":         {soakActive, []string{first, soakFinish, done}, false},
		"a chunk comes twice":            {soakActive, []string{first, first, second, soakFinish, done}, false},
		"another answer's chunk":         {soakActive, []string{first, chunkLine("m", " n:1", noFinish), soakFinish, done}, false},
		"no citations":                   {soakActive, []string{first, second, chunkLine("n", "", `"finish_reason":"stop"`), done}, false},
		"no end":                         {soakActive, []string{first, second, soakFinish}, false},
		"no finish chunk":                {soakActive, []string{first, second, done}, false},
		"cut without a word":             {soakReset, []string{first}, false},
		"an unexpected error":            {soakActive, []string{first, failure}, false},
		"something after the end":        {soakActive, append(whole[:len(whole):len(whole)], first), false},
		"something after the error":      {soakReset, []string{failure, first}, false},
		"an end after the error":         {soakReset, []string{failure, done}, false},
		"a line that is no event":        {soakActive, []string{"event: x"}, false},
		"a reset that looks like an end": {soakReset, []string{first, done}, false},
	}
	for name, c := range cases {
		seen := soakSeen{script: soakScript{kind: c.kind, nonce: "n", chunks: 2}}
		soak := &soak{model: &soakModel{sent: map[string]int{"n": 2}, left: map[string]time.Time{}}}
		var err error
		for _, line := range c.lines {
			err = errors.Join(err, seen.line([]byte(line)))
		}
		if err = errors.Join(err, seen.end(soak)); (err == nil) != c.right {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMoreThanAtTheBaselineIsNamed(t *testing.T) {
	base := reading{goroutines: 20, descriptors: 30, heap: 10 << 20, resident: 100 << 20}
	for want, r := range map[string]reading{
		"":                            {25, 33, 20 << 20, 150 << 20},
		"goroutines":                  {31, 30, 10 << 20, 100 << 20},
		"descriptors":                 {20, 36, 10 << 20, 100 << 20},
		"heap, resident memory":       {20, 30, 27 << 20, 165 << 20},
		"goroutines, resident memory": {2000, 30, 10 << 20, 200 << 20},
	} {
		if got := r.beyond(base, true); got != want {
			t.Errorf("%s: %q, not %q", r, got, want)
		}
	}
}

func TestTheVerdictNamesEverythingThatWasWrong(t *testing.T) {
	s := &soak{model: &soakModel{left: map[string]time.Time{"a": time.Now()}}, server: &servedAssistant{server: &server{}}}
	for i := range 12 {
		s.note(fmt.Errorf("failure %d", i), nil)
	}
	s.quiet(keepAlive + *soakFlags.late + 5*time.Second)
	err := s.verdict(errors.New("too much goroutines"))
	if err == nil {
		t.Fatal("it passes")
	}
	for _, want := range []string{"failure 9", "2 more streams failed", "too much goroutines", "1 keep-alives were late, one by 1m5s", "1 clients left"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no word of %q in %v", want, err)
		}
	}
}

func TestOneMetricIsRead(t *testing.T) {
	const text = "# HELP go_goroutines x\n# TYPE go_goroutines gauge\ngo_goroutines 42\ngo_goroutines_more 1\nheap 1.5e+06\n"
	if v, err := metric(text, "go_goroutines"); err != nil || v != 42 {
		t.Error(v, err)
	}
	if v, err := metric(text, "heap"); err != nil || v != 1.5e6 {
		t.Error(v, err)
	}
	if _, err := metric(text, "absent"); err == nil {
		t.Error("it is there")
	}
}
