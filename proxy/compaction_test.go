package proxy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"footnote/assistants"
)

// A conversation of about 1,300 tokens, for a window of 1,024.
func longConversation(t *testing.T) string {
	t.Helper()
	messages := []map[string]string{{"role": "system", "content": "Be kind."}}
	for i := range 8 {
		messages = append(messages, map[string]string{"role": "user", "content": fmt.Sprintf("Question %d? ", i) + strings.Repeat("What about the budget? ", 12)},
			map[string]string{"role": "assistant", "content": fmt.Sprintf("Answer %d [1]. ", i) + strings.Repeat("The budget is fine [2]. ", 12)})
	}
	raw, err := json.Marshal(append(messages, map[string]string{"role": "user", "content": "And how stable were margins?"}))
	if err != nil {
		t.Fatal(err)
	}
	return `{"model":"support","messages":` + string(raw) + `}`
}

func compacting() assistants.Settings {
	s := ragSettings()
	window, answer := 1024, 200
	s.EnableCompaction, s.ContextWindow, s.MaxTokens = true, &window, &answer
	return s
}

// summarising answers the call for a summary with status, and the chat with an answer.
func summarising(status int) *answering {
	return &answering{say: func(call map[string]any) (int, string) {
		if strings.Contains(textOf(call, 0), "You summarise") {
			return status, "They spoke of the budget [3]."
		}
		return 200, "Stable [1]."
	}}
}

// textOf is the text of message i of a call.
func textOf(call map[string]any, i int) string {
	messages, _ := call["messages"].([]any)
	if i < 0 {
		i += len(messages)
	}
	m, _ := messages[i].(map[string]any)
	text, _ := m["content"].(string)
	return text
}

func TestALongConversationIsSummarisedBeforeTheLastQuestion(t *testing.T) {
	up := summarising(200)
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: compacting(), hits: manyHits(1)})
	_, got := f.send(askSupport(t, longConversation(t)))
	if len(up.calls) != 2 {
		t.Fatalf("%d calls: %s", len(up.calls), got)
	}
	if asked := textOf(up.calls[0], 1); strings.Contains(asked, "[2]") || !strings.Contains(asked, "assistant: Answer 7. The budget") || strings.Contains(asked, "Question 0") || strings.Contains(asked, "margins") || strings.Contains(asked, "Be kind") {
		t.Errorf("the model was asked to summarise %q", asked)
	}
	if up.calls[0]["max_tokens"] != 256.0 || up.calls[0]["temperature"] != 0.3 {
		t.Errorf("%v", up.calls[0])
	}
	messages, _ := up.calls[1]["messages"].([]any)
	if len(messages) != 2 || !strings.HasPrefix(textOf(up.calls[1], 0), "Be kind.\n\n[Conversation Summary]\nThey spoke of the budget.\n\nUse the following numbered sources") ||
		textOf(up.calls[1], 1) != "And how stable were margins?" {
		t.Errorf("the chat was asked %v", messages)
	}
	if !strings.Contains(string(got), `"status":"cited"`) || !strings.Contains(string(got), "Earlier messages were summarised") {
		t.Errorf("%s", got)
	}
}

func TestTheInstructionsOfTheAssistantStayBesideASummary(t *testing.T) {
	up, set := summarising(200), compacting()
	set.SystemPrompt = "Answer in verse."
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: set, hits: manyHits(1)})
	f.send(askSupport(t, strings.Replace(longConversation(t), `{"content":"Be kind.","role":"system"},`, "", 1)))
	if len(up.calls) != 2 || !strings.HasPrefix(textOf(up.calls[1], 0), "Answer in verse.\n\n[Conversation Summary]\nThey spoke of the budget.\n\nUse the following") {
		t.Errorf("%d calls, the last %v", len(up.calls), up.calls[len(up.calls)-1])
	}
}

func TestSourcesThatAreTooManyLeaveAShortConversationAsItIs(t *testing.T) {
	up := summarising(200)
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: compacting(), hits: manyHits(10)})
	_, got := f.send(askSupport(t, `{"model":"support","messages":[{"role":"user","content":"Hello?"},{"role":"assistant","content":"Hello."},{"role":"user","content":"Again?"},{"role":"assistant","content":"Yes."},{"role":"user","content":"How stable were margins?"}]}`))
	if len(up.calls) != 1 || !strings.Contains(string(got), "sources were left out") {
		t.Errorf("%d calls: %s", len(up.calls), got)
	}
}

func TestAConversationThatFitsOrIsNotToBeSummarisedStaysAsItIs(t *testing.T) {
	roomy, off := compacting(), compacting()
	window := 16_384
	roomy.ContextWindow, off.EnableCompaction = &window, false
	for name, set := range map[string]assistants.Settings{"it fits": roomy, "switched off": off} {
		up := summarising(200)
		f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: set, hits: manyHits(1)})
		_, got := f.send(askSupport(t, longConversation(t)))
		if len(up.calls) != 1 || strings.Contains(string(got), "summarised") {
			t.Errorf("%s: %d calls: %s", name, len(up.calls), got)
		}
	}
	up := summarising(200)
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: compacting(), hits: manyHits(1)})
	short := `{"model":"support","messages":[{"role":"user","content":"` + strings.Repeat("What about the budget? ", 400) + `"}]}`
	if f.send(askSupport(t, short)); len(up.calls) != 1 {
		t.Errorf("a single question led to %d calls", len(up.calls))
	}
}

func TestWithoutASummaryTheConversationIsSentWholeWithAWarning(t *testing.T) {
	up := summarising(500)
	f := newFixture(t, fixture{upstreamURL: up.serve(t), settings: compacting(), hits: manyHits(1)})
	status, got := f.send(askSupport(t, longConversation(t)))
	last := up.calls[len(up.calls)-1]
	messages, _ := last["messages"].([]any)
	if status.StatusCode != http.StatusOK || len(messages) != 18 || !strings.Contains(string(got), "Earlier messages could not be summarised") {
		t.Errorf("%d messages: %s", len(messages), got)
	}
}
