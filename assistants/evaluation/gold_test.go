package evaluation

import (
	"strings"
	"testing"
)

// A person who wrote a line by hand learns what is wrong with it, in words of the line.
func TestAWrongLineIsExplained(t *testing.T) {
	for line, want := range map[string]string{
		`{"question":"Q?","document":"d","pages":"1"}`: "line 1: pages must not be a string",
		`{"question":5,"document":"d"}`:                "line 1: question must not be a number",
		`{"question":"Q?","document":"d","page":[1]}`:  "line 1: unknown field \"page\": it must be a JSON object with id, document, language, question, turns,",
		`["Q?"]`:                              "line 1: it must be a JSON object with id,",
		`{"question":"Q?"`:                    "line 1: it must be a JSON object with id,",
		`{"question":"Q?","document":"d"} {}`: "line 1: it must be one JSON object and nothing else",
		`{"question":"Q?","document":"d","also":[{"to":"x"}]}`: "line 1: it must be a JSON object with id,",
	} {
		_, err := Read(strings.NewReader(line))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "json:") || strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "EOF") {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
