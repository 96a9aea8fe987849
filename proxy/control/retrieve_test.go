package control_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/retrieval"
	"footnote/proxy/control"
	"footnote/proxy/links"
)

// finds lets retrievals find two passages of two documents of an assistant, of
// a format with pages and of one without.
func (w *world) finds(assistant string) (report, notes string) {
	w.t.Helper()
	report, notes = w.document(assistant, "Report.pdf.txt", "Revenue grew."), w.document(assistant, "notes.txt", "short")
	doc := assistants.Document{ID: assistants.DocumentID(report), Name: "Report.pdf", Version: assistants.Version{ContentType: "application/pdf"}}
	plain := assistants.Document{ID: assistants.DocumentID(notes), Name: "notes.txt", Version: assistants.Version{ContentType: "text/plain"}}
	w.found = retrieval.Result{
		Hits: []assistants.Hit{
			{Chunk: assistants.Chunk{ID: "chunk_1", Index: 4, Text: strings.Repeat("Revenue grew. ", 20), Page: 12, PageEnd: 13, HeadingPath: []string{"A", "Results"}, CharStart: 10, CharEnd: 290}, Document: doc, Score: 0.87},
			{Chunk: assistants.Chunk{ID: "chunk_2", Text: "short", CharStart: 0, CharEnd: 5}, Document: plain, Score: 0.5},
		},
		Trace: retrieval.Trace{Queries: []string{"revenue"}, Mode: assistants.SearchFullText, Duration: 4123 * time.Microsecond, Stages: map[string]time.Duration{"text": 1200 * time.Microsecond}},
	}
	return report, notes
}

func TestRetrieveReturnsSourcesWithTheirText(t *testing.T) {
	w := newWorld(t)
	id := w.assistant("mine", `{"citation_link_mode":"Authenticated","retrieval_top_k":7,"retrieval_score_threshold":0.2}`)
	report, _ := w.finds(id)
	var got struct {
		Data      []map[string]any
		Retrieval map[string]any
	}
	w.call("POST", "/assistants/mine/retrieve", `{"query":"  revenue "}`).into(200, &got)
	if w.asked.Text != "revenue" || w.asked.TopK != 7 || w.asked.Threshold != 0.2 || w.asked.Mode != assistants.SearchHybrid || w.asked.Tenant != assistants.DefaultTenant || len(w.asked.Collections) != 1 {
		t.Errorf("asked %+v", w.asked)
	}
	first, second := got.Data[0], got.Data[1]
	for name, want := range map[string]any{
		"index": 1.0, "document_id": report, "document_name": "Report.pdf", "content_type": "application/pdf", "score": 0.87, "chunk_id": "chunk_1", "chunk_index": 4.0,
		"page_number": 12.0, "page_end": 13.0, "section_header": "Results", "char_start": 10.0, "char_end": 290.0,
		"download_url": "https://docs.example/v1.0/documents/" + report + "/download", "text": strings.Repeat("Revenue grew. ", 20),
	} {
		if first[name] != want {
			t.Errorf("%s: %v, want %v", name, first[name], want)
		}
	}
	for _, name := range []string{"page_number", "page_end", "section_header", "available"} {
		if v, ok := second[name]; ok {
			t.Errorf("%s: %v of a source that has none", name, v)
		}
	}
	if second["index"] != 2.0 || second["chunk_index"] != 0.0 {
		t.Errorf("second %v", second)
	}
	collection := w.call("GET", "/assistants/"+id, "").object(200)["collection_id"]
	if want := fmt.Sprintf("map[cached:false chunks_returned:2 collection_id:%s duration_ms:4.123 queries:[revenue] search_mode:FullText stages_ms:map[text:1.2]]", collection); fmt.Sprint(got.Retrieval) != want {
		t.Errorf("retrieval %v\nwant      %s", got.Retrieval, want)
	}
}

// newLostWorld is a world that does not know its own address.
func newLostWorld(t *testing.T) *world {
	return newWorld(t, func(d *control.Deps) {
		documents, ok := d.Store.(links.Documents)
		if !ok {
			t.Fatal("the store does not find documents")
		}
		d.Links = links.New(links.Options{Base: func(*http.Request) (string, bool) { return "", false },
			Documents: documents, Public: d.Signer, Log: slog.New(slog.DiscardHandler)})
	})
}

func TestLinksAreLeftOutWhenTheyAreOffOrCannotBeMade(t *testing.T) {
	off := newWorld(t)
	off.finds(off.assistant("mine", ""))
	lost := newLostWorld(t)
	lost.finds(lost.assistant("mine", `{"citation_link_mode":"Authenticated"}`))
	lostPublic := newLostWorld(t)
	lostPublic.finds(lostPublic.assistant("mine", `{"citation_link_mode":"Public"}`))
	for name, w := range map[string]*world{"off": off, "without an address": lost, "public without an address": lostPublic} {
		if got := w.call("POST", "/assistants/mine/retrieve", `{"query":"x"}`).want(200); strings.Contains(string(got.raw), "download_url") {
			t.Errorf("%s: %s", name, got.raw)
		}
	}
}

func TestRetrieveByMessages(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	body := `{"messages":[{"role":"user","content":"first"},{"role":"assistant","content":"no"},{"role":"user","content":[{"type":"text","text":"last"},{"type":"image_url","image_url":{"url":"x"}}]}],"top_k":3}`
	got := w.call("POST", "/assistants/mine/retrieve", body).want(200)
	if w.asked.Text != "last" || w.asked.TopK != 3 {
		t.Errorf("asked %+v", w.asked)
	}
	if !strings.HasPrefix(string(got.raw), `{"data":[],"retrieval":{`) {
		t.Errorf("nothing found is %s", got.raw)
	}
}

func TestRetrieveTriesSettingsThisOnce(t *testing.T) {
	w := newWorld(t)
	id := w.assistant("mine", `{"retrieval_top_k":7}`)
	w.call("POST", "/assistants/mine/retrieve", `{"query":"x","settings":{"search_mode":"FullText","retrieval_score_threshold":0.1}}`).want(200)
	if w.asked.Mode != assistants.SearchFullText || w.asked.Threshold != 0.1 || w.asked.TopK != 7 {
		t.Errorf("asked %+v", w.asked)
	}
	w.call("POST", "/assistants/mine/retrieve", `{"query":"x","settings":null}`).want(200)
	if w.asked.Mode != assistants.SearchHybrid || w.asked.Threshold != 0.3 {
		t.Errorf("asked %+v", w.asked)
	}
	var kept map[string]any
	w.call("GET", "/assistants/"+id+"/settings", "").into(200, &kept)
	if kept["search_mode"] != "Hybrid" {
		t.Errorf("the stored settings are %v", kept)
	}
}

func TestInvalidRetrievalsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	for body, want := range map[string][2]string{
		`{}`:                          {"missing_required_parameter", "query"},
		`{"query":"  "}`:              {"invalid_value", "query"},
		`{"query":5}`:                 {"invalid_type", "query"},
		`{"query":"x","messages":[]}`: {"invalid_value", "query"},
		`{"query":"x","top_k":0}`:     {"invalid_value", "top_k"},
		`{"query":"x","top_k":51}`:    {"invalid_value", "top_k"},
		`{"query":"x","top_k":"5"}`:   {"invalid_type", "top_k"},
		`{"query":"x","top_k":1.5}`:   {"invalid_type", "top_k"},
		`{"query":"x","settings":{"search_mode":"Best"}}`:          {"invalid_value", "settings.search_mode"},
		`{"query":"x","settings":[]}`:                              {"invalid_value", "settings"},
		`{"query":"x","metadata_filter":{"required_label":["a"]}}`: {"invalid_value", "metadata_filter"},
		`{"query":"x","collections":["coll_other"]}`:               {"unsupported_parameter", "collections"},
		`{"messages":[{"role":"assistant","content":"x"}]}`:        {"invalid_value", "messages"},
	} {
		w.call("POST", "/assistants/mine/retrieve", body).fails(400, want[0], want[1])
	}
	if got := w.call("POST", "/assistants/mine/retrieve", `{"messages":"x"}`); got.status != 400 || !strings.Contains(string(got.raw), `"param":"messages"`) {
		t.Errorf("%d %s", got.status, got.raw)
	}
	w.call("POST", "/assistants/absent/retrieve", `{"query":"x"}`).fails(404, "not_found", "")
}

func TestAFailedRetrievalIsUnavailableAndSaysNoMore(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	w.fails = fmt.Errorf("dial 10.0.0.7: %w", errors.Join(assistants.ErrUnavailable))
	got := w.call("POST", "/assistants/mine/retrieve", `{"query":"x"}`)
	got.fails(503, "retrieval_unavailable", "")
	if strings.Contains(string(got.raw), "10.0.0.7") || got.header.Get("Retry-After") == "" {
		t.Errorf("%s %v", got.raw, got.header)
	}
}

func TestRetrieveKeepsToThePolicyForUnknownDocuments(t *testing.T) {
	for _, policy := range []string{"label", "drop", "error"} {
		w := newWorld(t)
		w.finds(w.assistant("mine", `{"unknown_document_policy":"`+policy+`"}`))
		w.found.Hits[0].Document.Name = " "
		answer := w.call("POST", "/assistants/mine/retrieve", `{"query":"x"}`)
		if policy == "error" {
			answer.fails(500, "unknown_document", "")
			continue
		}
		var got struct{ Data []map[string]any }
		answer.into(200, &got)
		want := map[string]string{"label": "Unknown Document, notes.txt", "drop": "notes.txt"}[policy]
		var names []string
		for i, src := range got.Data {
			names = append(names, src["document_name"].(string))
			if src["index"] != float64(i+1) {
				t.Errorf("%s: source %d has the number %v", policy, i, src["index"])
			}
		}
		if strings.Join(names, ", ") != want {
			t.Errorf("%s: %v, want %s", policy, names, want)
		}
	}
}

// TestASearchKeyFindsWhatItsAssistantWouldAnswerFrom shows what it may not choose.
func TestASearchKeyFindsWhatItsAssistantWouldAnswerFrom(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	search, chat := w.key(`{"name":"search","scopes":["search"]}`), w.key(`{"name":"chat","scopes":["chat"]}`)
	w.as(search, "POST", "/assistants/mine/retrieve", `{"query":"Where?"}`).want(200)
	w.as(search, "POST", "/assistants/mine/retrieve", `{"query":"Where?","settings":{"retrieval_label_filter":null}}`).fails(403, "permission_denied", "settings")
	w.as(chat, "POST", "/assistants/mine/retrieve", `{"query":"Where?"}`).fails(403, "permission_denied", "")
}
