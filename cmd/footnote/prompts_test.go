package main

import (
	"encoding/json"
	"strings"
	"testing"

	"footnote/proxy/upstream/upstreamtest"
)

// What an assistant's citation_prompt makes of a chat, in the real program: it
// is saved, survives kill -9 and is what the next chat asks with.
func TestTheCitationPromptIsWhatTheNextChatAsksWith(t *testing.T) {
	up := modelServer(t, upstreamtest.JSON(linkAnswer))
	dir, env := t.TempDir(), []string{"FOOTNOTE_UPSTREAM_URL=" + up.URL(), "FOOTNOTE_UPSTREAM_MODEL=m"}
	r := &reader{process: start(t, dir, nil, env...)}
	r.linkedOffice(3600)

	// asked are the messages that the upstream gets for a conversation whose first answer has markers.
	asked := func() (system string, roles string) {
		t.Helper()
		r.must(200, "POST", "/v1/chat/completions", `{"model":"office","messages":[{"role":"user","content":"Hello?"},`+
			`{"role":"assistant","content":"At nine [3].\n\n**Sources**\n\n3. Old.pdf"},{"role":"user","content":"When does the office open?"}]}`, "")
		var sent struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(up.Last().Body, &sent); err != nil {
			t.Fatal(err)
		}
		for _, m := range sent.Messages {
			roles += m.Role[:1]
		}
		if earlier := sent.Messages[len(sent.Messages)-2].Content; earlier != "At nine." {
			t.Errorf("the earlier answer goes out as %q", earlier)
		}
		return sent.Messages[0].Content, roles
	}
	const settings = "/v1.0/assistants/office/settings"
	for prompt, want := range map[string]struct{ says, roles string }{
		"default":                  {"Keep the numbers of the list below", "suau"},
		"seed":                     {"Do not fabricate citations.", "suau"},
		"lumikb":                   {"I don't have information about that in the available documents.", "suau"},
		"strict":                   {"ONLY from the numbered sources", "suau"},
		"worked":                   {"Use only the numbers of the list below", "suauauauau"},
		`Zitiere!\n{sources}\nJa.`: {"Zitiere!\nThe text of a source", "suau"},
	} {
		r.must(200, "PATCH", settings, `{"citation_prompt":"`+prompt+`"}`, "")
		system, roles := asked()
		if !strings.Contains(system, want.says) || roles != want.roles || strings.Count(system, "] (Source: \"") != 1 {
			t.Errorf("%s: roles %s, system message\n%s", prompt, roles, system)
		}
	}

	r.must(200, "PATCH", settings, `{"citation_prompt":"strict"}`, "")
	r.must(400, "PATCH", settings, `{"citation_prompt":"strikt"}`, "")
	r.kill()
	r = &reader{process: start(t, dir, nil, env...)}
	if system, _ := asked(); !strings.Contains(system, "ONLY from the numbered sources") {
		t.Errorf("after a restart the system message is\n%s", system)
	}
}
