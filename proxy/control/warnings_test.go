package control_test

import (
	"fmt"
	"strings"
	"testing"
)

// Settings that have no effect together are stored, with warnings from every
// route that stores settings.
func TestSettingsWithoutEffectAreWarnedOf(t *testing.T) {
	w := newWorld(t)
	for settings, want := range map[string]string{
		`{"citation_format":"openai"}`:                                                                           "citation_link_mode",
		`{"citation_format":"perplexity"}`:                                                                       "citation_link_mode",
		`{"citation_format":"openai","citation_link_mode":"Public"}`:                                             "",
		`{"citation_format":"azure"}`:                                                                            "",
		`{"citation_format":"markdown"}`:                                                                         "",
		`{"citation_format":"azure","citation_renumber":true}`:                                                   "citation_renumber",
		`{"citation_format":"native","citation_renumber":true}`:                                                  "",
		`{"citation_format":"azure","orphan_policy":"disclaim"}`:                                                 "orphan_policy",
		`{"citation_format":"markdown","orphan_policy":"disclaim"}`:                                              "",
		`{"citation_format":"azure","orphan_policy":"error"}`:                                                    "",
		`{"citation_format":"perplexity","no_marker_policy":"all_sources","citation_link_mode":"Public"}`:        "no_marker_policy",
		`{"citation_format":"openai","no_marker_policy":"all_sources","citation_link_mode":"Public"}`:            "",
		`{"search_mode":"Vector"}`:                                                                               "search_mode Vector finds nothing as long as no embedder is set up. Install",
		`{"search_mode":"Hybrid"}`:                                                                               "",
		`{"enable_rag":true,"enable_citations":true,"citation_link_mode":"Public"}`:                              "Chat clients that take [n]",
		`{"enable_rag":true,"enable_citations":true,"citation_link_mode":"Public","citation_renumber":true}`:     "",
		`{"enable_rag":true,"enable_citations":true,"citation_link_mode":"Public","citation_format":"markdown"}`: "",
		`{"citation_format":"none","no_marker_policy":"fail"}`:                                                   "",
	} {
		check := func(how string, saved map[string]any) {
			t.Helper()
			list, _ := saved["warnings"].([]any)
			if want == "" && saved["warnings"] != nil || want != "" && (len(list) != 1 || !strings.HasPrefix(fmt.Sprint(list[0]), "citation_format ") && !strings.HasPrefix(fmt.Sprint(list[0]), want) || !strings.Contains(fmt.Sprint(list[0]), want)) {
				t.Errorf("%s %s: %v, want one about %q", how, settings, saved["warnings"], want)
			}
		}
		made := w.call("POST", "/assistants", `{"name":"mine","settings":`+settings+`}`)
		object := made.object(201)
		check("POST", object)
		id := object["id"].(string)
		check("PATCH of the assistant", w.call("PATCH", "/assistants/"+id, `{"settings":`+settings+`}`).object(200))
		check("PATCH", w.call("PATCH", "/assistants/"+id+"/settings", settings).object(200))
		check("PUT", w.call("PUT", "/assistants/"+id+"/settings", settings).object(200))
		for _, path := range []string{"/assistants/" + id, "/assistants/" + id + "/settings"} {
			if got := w.call("GET", path, "").object(200); got["warnings"] != nil {
				t.Errorf("GET %s: %v", path, got["warnings"])
			}
		}
		w.call("DELETE", "/assistants/"+id, "").want(204)
	}
}

// Documents of an assistant that does not search them change no answer.
func TestSettingsThatLeaveDocumentsUnsearchedAreWarnedOf(t *testing.T) {
	w := newWorld(t)
	id := w.assistant("mine", "")
	warned := func(settings string) bool {
		return strings.Contains(fmt.Sprint(w.call("PATCH", "/assistants/"+id+"/settings", settings).object(200)["warnings"]), "enable_rag is off")
	}
	if warned(`{"top_p":1}`) {
		t.Error("warned of an assistant without documents")
	}
	w.document(id, "a.txt", "words")
	if !warned(`{"top_p":1}`) {
		t.Error("not warned")
	}
	if warned(`{"enable_rag":true}`) {
		t.Error("warned of an assistant that searches")
	}
}
