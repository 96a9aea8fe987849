package proxy_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"footnote/assistants"
	"footnote/proxy/upstream/upstreamtest"
)

const debugSettings = `{"enable_rag":true,"enable_citations":true,"system_prompt":"Secret prompt."}`

func debugChat(stream bool, options string) string {
	how := ""
	if stream {
		how = `"stream":true,`
	}
	return `{"model":"support",` + how + `"debug_options":` + options + `,"messages":[{"role":"user",` + "\n" + `"content":"Which flow?"}]}`
}

// debugOf returns the member debug of an answer or of one frame of a stream.
func debugOf(t *testing.T, body []byte) (debug map[string]json.RawMessage, times int) {
	t.Helper()
	for line := range bytes.Lines(body) {
		var answer struct{ Debug map[string]json.RawMessage }
		line = bytes.TrimPrefix(line, []byte("data: "))
		if json.Unmarshal(line, &answer) == nil && answer.Debug != nil {
			debug, times = answer.Debug, times+1
		}
	}
	return debug, times
}

func TestAnAdminLearnsWhatTheModelWasSent(t *testing.T) {
	for name, script := range map[string]upstreamtest.Script{
		"json": upstreamtest.JSON(modelSays("OAuth [1].")), "stream": upstreamtest.SSE(delta("OAuth"), delta(" [1]."), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]"),
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t, script)
			f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(debugSettings)), hits: searchHits(.9)})
			resp, body := f.send(chatRequest(t, debugChat(name == "stream", `{"request":true}`)))
			debug, times := debugOf(t, body)
			if resp.StatusCode != 200 || times != 1 {
				t.Fatalf("%d, %d times in %s", resp.StatusCode, times, body)
			}
			var sent bytes.Buffer
			if err := json.Compact(&sent, up.Last().Body); err != nil {
				t.Fatal(err)
			}
			if got := string(debug["request"]); got != sent.String() || !strings.Contains(got, "Secret prompt.") || !strings.Contains(got, "[1] (Source:") {
				t.Errorf("got %s\nthe model got %s", got, sent.String())
			}
			for _, secret := range []string{"debug_options", strings.TrimPrefix(up.URL(), "http://")} {
				if bytes.Contains(body, []byte(secret)) {
					t.Errorf("%q is in %s", secret, body)
				}
			}
			if !bytes.Contains(body, []byte(`"citations":{"status":"cited"`)) {
				t.Errorf("the citations are lost: %s", body)
			}
		})
	}
}

func TestOnlyAnAdminOfTheAssistantDebugs(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(modelSays("OAuth [1].")))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{"public_access":true,"enable_rag":true}`)), hits: searchHits(.9)})
	scoped := func(bound assistants.AssistantID, scopes ...assistants.Scope) string {
		return f.keys.add(func(k *assistants.Key) {
			k.Scopes = append(k.Scopes, scopes...)
			if bound != "" {
				k.Assistants = []assistants.AssistantID{bound}
			}
		})
	}
	for name, test := range map[string]struct {
		key    string
		status int
	}{
		"admin": {adminKey, 200}, "bound admin": {scoped(assistantID, assistants.ScopeAdmin), 200}, "chat": {scoped(""), 403},
		"admin of another, the assistant is public": {scoped("asst_other", assistants.ScopeAdmin), 403}, "nobody": {"sk-not-ours", 403},
	} {
		for _, options := range []string{`{"request":true}`, `{"settings":{"system_prompt":"Other."}}`, `{}`} {
			req := chatRequest(t, debugChat(false, options))
			req.Header.Set("Authorization", "Bearer "+test.key)
			if resp, body := f.send(req); resp.StatusCode != test.status {
				t.Errorf("%s, %s: %d %s, want %d", name, options, resp.StatusCode, body, test.status)
			}
		}
	}
	if resp, body := f.send(chatRequest(t, debugChat(false, `null`))); resp.StatusCode != 200 || bytes.Contains(body, []byte(`"debug"`)) {
		t.Errorf("null: %d %s", resp.StatusCode, body)
	}
}

func TestAnAdminTriesOtherSettings(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(modelSays("OAuth [1].")), upstreamtest.JSON(modelSays("OAuth [1].")))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(debugSettings)), hits: searchHits(.9)})
	if resp, body := f.send(chatRequest(t, debugChat(false, `{"settings":{"system_prompt":"Other prompt.","enable_citations":false}}`))); resp.StatusCode != 200 || bytes.Contains(body, []byte(`"citations"`)) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if sent := string(up.Last().Body); !strings.Contains(sent, "Other prompt.") || strings.Contains(sent, "Secret prompt.") {
		t.Errorf("the model got %s", sent)
	}
	if resp, body := f.send(chatRequest(t, debugChat(false, `{}`))); resp.StatusCode != 200 || !strings.Contains(string(up.Last().Body), "Secret prompt.") {
		t.Errorf("the next request: %d %s", resp.StatusCode, body)
	}
	bound := f.keys.add(func(k *assistants.Key) {
		k.Scopes, k.Assistants = append(k.Scopes, assistants.ScopeAdmin), []assistants.AssistantID{assistantID}
	})
	for options, want := range map[string]string{
		`{"settings":{"retrieval_top_k":99}}`:                   `"param":"debug_options.settings.retrieval_top_k"`,
		`{"settings":{"no_such":1}}`:                            `"param":"debug_options.settings.no_such"`,
		`{"settings":{"text_weight":0.1,"text_weight":0.2}}`:    `"code":"duplicate_key"`,
		`{"settings":{"collections":["coll_of_someone_else"]}}`: `"param":"debug_options.settings.collections"`,
		`{"settings":{"upstream":"no-such"}}`:                   `"param":"debug_options.settings"`,
		`{"settings":{"model":""}}`:                             `"param":"debug_options.settings"`,
		`{"settings":[]}`:                                       `"param":"debug_options.settings"`,
		`{"request":1}`:                                         `"param":"debug_options.request"`,
		`{"other":1}`:                                           `"param":"debug_options.other"`,
		`{"request":true,"request":true}`:                       `"code":"duplicate_key"`,
	} {
		req := chatRequest(t, debugChat(false, options))
		req.Header.Set("Authorization", "Bearer "+bound)
		if resp, body := f.send(req); resp.StatusCode != http.StatusBadRequest || !bytes.Contains(body, []byte(want)) {
			t.Errorf("%s: %d %s, want %s", options, resp.StatusCode, body, want)
		}
	}
}

func TestARequestThatIsTooLargeToRepeatIsMeasured(t *testing.T) {
	up := upstreamtest.New(t, upstreamtest.JSON(modelSays("OAuth.")))
	f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(`{}`)), maxBody: 4 << 20})
	large := strings.Replace(debugChat(false, `{"request":true}`), "Which flow?", strings.Repeat("a", 1<<20), 1)
	resp, body := f.send(chatRequest(t, large))
	if debug, times := debugOf(t, body); resp.StatusCode != 200 || times != 1 || string(debug["request"]) != "null" || len(debug["request_bytes"]) != len("1048576") {
		t.Errorf("%d, %d times, %s", resp.StatusCode, times, body)
	}
}
