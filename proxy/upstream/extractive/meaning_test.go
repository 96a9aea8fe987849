package extractive

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"footnote/proxy/upstream"
)

// A scripted comparer finds texts near that contain a phrase.
type scriptedComparer struct {
	near     string
	trust    float64
	fail     error
	hang     bool
	question string   // the last one
	texts    []string // of the last question
}

func (c *scriptedComparer) Similarities(ctx context.Context, question string, texts []string, trust float64) ([]float64, error) {
	c.question, c.texts = question, texts
	if c.hang {
		<-ctx.Done()
		return make([]float64, len(texts)), context.Cause(ctx)
	}
	if c.trust < trust {
		return nil, nil
	}
	cosines := make([]float64, len(texts))
	for i, text := range texts {
		cosines[i] = 0.3
		if strings.Contains(text, c.near) {
			cosines[i] = 0.6
		}
	}
	return cosines, c.fail
}

var shell = []upstream.Passage{
	{Index: 1, Section: "Folders", Text: "A whole folder of files can be listed by its name. Long lists are shown page by page.", Score: 0.8, Page: 3},
	{Index: 2, Section: "Deleting", Text: "The command unlink can remove a folder with what is beneath it.", Score: 0.75, Page: 9},
}

const erasing = "Which command erases a whole folder of files?"

// replyTo returns the answer to a question.
func replyTo(t *testing.T, c Comparer, question string, passages []upstream.Passage) string {
	t.Helper()
	a := client()
	a.comparer = c
	return a.answerText(t.Context(), upstream.Call{Question: question, Passages: given(passages)}, true)
}

func TestTheNearestOfTheBestSentencesComesFirst(t *testing.T) {
	words := replyTo(t, nil, erasing, shell)
	if !strings.HasPrefix(words, "A whole folder of files can be listed by its name [1].") {
		t.Fatal(words)
	}
	c := &scriptedComparer{near: "remove a folder", trust: 0.9}
	if got := replyTo(t, c, erasing, shell); !strings.HasPrefix(got, "The command unlink can remove a folder with what is beneath it [2].") {
		t.Error(got)
	}
	if c.question != erasing || !slices.Contains(c.texts, "Deleting: The command unlink can remove a folder with what is beneath it.") {
		t.Errorf("compared %q with %q", c.question, c.texts)
	}
	c.near = "no sentence has this"
	if got := replyTo(t, c, erasing, shell); got != words {
		t.Errorf("all are as near, and the passage that fits best is not first: %q", got)
	}
}

func TestWordsDecideAlone(t *testing.T) {
	words := replyTo(t, nil, erasing, shell)
	for what, c := range map[string]*scriptedComparer{
		"the model does not know the language": {trust: 0.4},
		"there is no embedder":                 {trust: 0.9, fail: errors.New("none")},
	} {
		c.near = "remove a folder"
		if got := replyTo(t, c, erasing, shell); got != words {
			t.Errorf("%s: %q", what, got)
		}
	}
	table := []upstream.Passage{{Index: 1, Text: "| Part | Weight |\n|---|---|\n| Pump | 3 kg |\n| Pump housing | 9 kg |\n"}}
	c := &scriptedComparer{near: "housing", trust: 0.9}
	if got, want := replyTo(t, c, "What is the weight of the pump?", table), replyTo(t, nil, "What is the weight of the pump?", table); got != want || c.texts != nil {
		t.Errorf("rows were compared by meaning: %q, want %q", got, want)
	}
}

func TestAnAnswerDoesNotWaitLongForTheEmbedder(t *testing.T) {
	words := replyTo(t, nil, erasing, shell)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := replyTo(t, &scriptedComparer{near: "remove a folder", trust: 0.9, hang: true}, erasing, shell)
		if took := time.Since(start); got != words || took > patience {
			t.Errorf("%q after %v", got, took)
		}
	})
}

func TestFewAndShortTextsAreCompared(t *testing.T) {
	var passages []upstream.Passage
	for range 10 {
		passages = append(passages, upstream.Passage{Index: len(passages) + 1, Section: strings.Repeat("Käse ", 30), Text: strings.Repeat("Nothing is said here. ", 20) + "The command that erases a whole folder of files is " + strings.Repeat("very ", 60) + "long.", Score: 0.5})
	}
	c := &scriptedComparer{trust: 0.9}
	replyTo(t, c, erasing, passages)
	if len(c.texts) != compared {
		t.Errorf("%d texts", len(c.texts))
	}
	for _, text := range c.texts {
		if n := utf8.RuneCountInString(text); n > comparedRunes || !utf8.ValidString(text) {
			t.Errorf("%d code points: %q", n, text)
		}
	}
}
