package control_test

import (
	"fmt"
	"strings"
	"testing"

	"footnote/assistants"
)

// read stores a version with a profile and makes it live.
func (w *world) read(id string, version int, p assistants.Profile) {
	w.t.Helper()
	ctx, ref := w.t.Context(), assistants.VersionRef{Tenant: assistants.DefaultTenant, Document: assistants.DocumentID(id), Number: version}
	err := w.store.SaveVersion(ctx, ref, "text/plain", assistants.Text{Text: "text", Runes: 4, Profile: &p}, nil)
	if err == nil {
		err = w.store.Publish(ctx, ref, noon, assistants.StatusReady)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestAProfileIsShownAndEdited(t *testing.T) {
	w := newWorld(t)
	id := w.document(w.assistant("mine", ""), "a.txt", "text")
	path := "/documents/" + id
	if got := w.call("GET", path, "").object(200); got["profile"] != nil {
		t.Errorf("before it was read: %v", got["profile"])
	}
	w.read(id, 1, assistants.Profile{Title: "Report", Years: []int{2021}, Kind: "report"})
	profile := func(r reply) string { return fmt.Sprint(r.object(200)["profile"]) }
	read := "map[abbreviations:[] edited:[] kind:report language:<nil> periods:[] subjects:[] title:Report years:[2021]]"
	if got := profile(w.call("GET", path, "")); got != read {
		t.Errorf("read: %s", got)
	}
	before := w.call("GET", path, "").header.Get("ETag")
	if got, want := profile(w.call("PATCH", path, `{"profile":{"years":[2022,2023],"kind":"","subjects":["Acme"]}}`)),
		"map[abbreviations:[] edited:[years kind subjects] kind:<nil> language:<nil> periods:[] subjects:[Acme] title:Report years:[2022 2023]]"; got != want {
		t.Errorf("edited: %s", got)
	}
	if w.call("GET", path, "").header.Get("ETag") == before {
		t.Error("the entity tag stayed")
	}
	if got := profile(w.call("PATCH", path, `{"labels":["x"]}`)); got == read {
		t.Error("a change of labels undid the edits")
	}
	if w.woken != 0 {
		t.Error("an edit made the document be read again")
	}
	w.call("POST", path+"/reprocess", "").want(202)
	w.read(id, 2, assistants.Profile{Title: "Report, corrected", Years: []int{2021}, Kind: "report"})
	if got, want := profile(w.call("PATCH", path, `{"profile":{"years":null}}`)),
		"map[abbreviations:[] edited:[kind subjects] kind:<nil> language:<nil> periods:[] subjects:[Acme] title:Report, corrected years:[2021]]"; got != want {
		t.Errorf("read again: %s", got)
	}
	if got, want := profile(w.call("PATCH", path, `{"profile":null}`)),
		"map[abbreviations:[] edited:[] kind:report language:<nil> periods:[] subjects:[] title:Report, corrected years:[2021]]"; got != want {
		t.Errorf("reset: %s", got)
	}
	for body, want := range map[string][2]string{
		`{"profile":[]}`:                                                    {"invalid_type", "profile"},
		`{"profile":{"years":["2021"]}}`:                                    {"invalid_type", "profile.years"},
		`{"profile":{"years":[7]}}`:                                         {"invalid_value", "profile.years"},
		`{"profile":{"years":[1899]}}`:                                      {"invalid_value", "profile.years"},
		`{"profile":{"years":[2100]}}`:                                      {"invalid_value", "profile.years"},
		`{"profile":{"title":"a\nb"}}`:                                      {"invalid_value", "profile.title"},
		`{"profile":{"language":"English"}}`:                                {"invalid_value", "profile.language"},
		`{"profile":{"subjects":[""]}}`:                                     {"invalid_value", "profile.subjects"},
		`{"profile":{"abbreviations":["FCF => free cash flow"]}}`:           {"invalid_value", "profile.abbreviations"},
		`{"profile":{"abbreviations":["FCF, free cash flow, cash"]}}`:       {"invalid_value", "profile.abbreviations"},
		"{\"profile\":{\"abbreviations\":[\"FCF, fr\u202eee cash flow\"]}}": {"invalid_value", "profile.abbreviations"},
		`{"profile":{"abbreviations":["FCF"]}}`:                             {"invalid_value", "profile.abbreviations"},
		`{"profile":{"edited":["title"]}}`:                                  {"unsupported_parameter", "profile.edited"},
		`{"profile":{"kind":"x","kind":"y"}}`:                               {"duplicate_key", "profile.kind"},
		`{"profile":{"periods":[1]},"name":""}`:                             {"invalid_value", "name"},
	} {
		w.call("PATCH", path, body).fails(400, want[0], want[1])
	}
}

// TestAnEditedProfileIsTidy: a kind is one that questions can name.
func TestAnEditedProfileIsTidy(t *testing.T) {
	w := newWorld(t)
	path := "/documents/" + w.document(w.assistant("mine", ""), "a.txt", "text")
	w.read(strings.TrimPrefix(path, "/documents/"), 1, assistants.Profile{})
	for body, want := range map[string]string{
		`{"title":"  A title "}`:                "title:A title",
		`{"subjects":[" Acme","acme ","Bolt"]}`: "subjects:[Acme Bolt]",
		`{"periods":["Q1 2024","Q1 2024 "]}`:    "periods:[Q1 2024]",
		`{"years":[2024,2023,2024]}`:            "years:[2024 2023]",
		`{"years":[1900,2099]}`:                 "years:[1900 2099]",
		`{"kind":"Contract"}`:                   "kind:contract",
		`{"kind":" Vertrag "}`:                  "kind:contract",
		`{"kind":"Recipe"}`:                     "kind:recipe",
		`{"kind":""}`:                           "kind:<nil>",
	} {
		if got := fmt.Sprint(w.call("PATCH", path, `{"profile":`+body+`}`).object(200)["profile"]); !strings.Contains(got, want) {
			t.Errorf("%s: %s", body, got)
		}
	}
}

// TestTextsOfAProfileHideNothing: warnings quote titles.
func TestTextsOfAProfileHideNothing(t *testing.T) {
	w := newWorld(t)
	path := "/documents/" + w.document(w.assistant("mine", ""), "a.txt", "text")
	for _, hidden := range []string{"\u202e", "\u200b", "\u2066", "\u2028", "\u2029", "\ufeff", "\u00ad"} {
		for _, field := range []string{"title", "kind"} {
			w.call("PATCH", path, fmt.Sprintf(`{"profile":{%q:%q}}`, field, "a"+hidden+"b")).fails(400, "invalid_value", "profile."+field)
		}
		for _, field := range []string{"periods", "subjects"} {
			w.call("PATCH", path, fmt.Sprintf(`{"profile":{%q:[%q]}}`, field, "a"+hidden+"b")).fails(400, "invalid_value", "profile."+field)
		}
	}
	w.call("PATCH", path, `{"profile":{"title":"`+strings.Repeat("ä", 120)+`"}}`).want(200)
	w.call("PATCH", path, `{"profile":{"title":"`+strings.Repeat("ä", 121)+`"}}`).fails(400, "invalid_value", "profile.title")
}

func TestADocumentSupersedesAnother(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", ""), w.assistant("other", "")
	first, foreign := w.document(mine, "v1.txt", "one"), w.document(other, "x.txt", "foreign")
	upload := func(id, name, content string) reply {
		return w.upload("POST", "/assistants/"+mine+"/documents", part{"file", name, content}, part{"supersedes", "", id})
	}
	got := upload(first, "v2.txt", "two").object(202)
	second := got["id"].(string)
	if got["supersedes"] != first || got["superseded_by"] != nil {
		t.Errorf("uploaded %v", got)
	}
	if got := w.call("GET", "/documents/"+first, "").object(200); got["superseded_by"] != second || got["supersedes"] != nil {
		t.Errorf("the first: %v", got)
	}
	third := w.document(mine, "v3.txt", "three")
	if got := w.call("PATCH", "/documents/"+third, `{"supersedes":"`+second+`"}`).object(200); got["supersedes"] != second {
		t.Errorf("changed: %v", got)
	}
	for id, refusal := range map[string]string{first: "round", third: "itself", foreign: "of another assistant", string(assistants.NewDocumentID()): "unknown", "x": "no id"} {
		path := "/documents/" + third
		if refusal == "round" {
			path, id = "/documents/"+first, third
		}
		t.Log(refusal)
		w.call("PATCH", path, `{"supersedes":"`+id+`"}`).fails(400, "invalid_value", "supersedes")
	}
	upload(foreign, "v4.txt", "four").fails(400, "invalid_value", "supersedes")
	upload("doc", "v4.txt", "four").fails(400, "invalid_value", "supersedes")
	w.upload("POST", "/assistants/"+mine+"/documents", part{"file", "a", "five"}, part{"file", "b", "six"}, part{"supersedes", "", first}).fails(400, "invalid_value", "supersedes")
	w.call("PATCH", "/documents/"+third, `{"supersedes":7}`).fails(400, "invalid_type", "supersedes")

	w.call("DELETE", "/documents/"+second, "").want(204)
	if got := w.call("GET", "/documents/"+third, "").object(200); got["supersedes"] != first {
		t.Errorf("after the second is gone: %v", got)
	}
	if got := w.call("GET", "/documents/"+first, "").object(200); got["superseded_by"] != third {
		t.Errorf("after the second is gone, the first: %v", got)
	}
	if got := w.call("PATCH", "/documents/"+third, `{"supersedes":null}`).object(200); got["supersedes"] != nil {
		t.Errorf("null: %v", got)
	}
}

// TestAnUploadToAKnownPathThatIsRefusedStoresNothing: what it supersedes is checked first.
func TestAnUploadToAKnownPathThatIsRefusedStoresNothing(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	id := w.upload("POST", path, part{"file", "a.txt", "one"}, part{"source_path", "", "/a"}).object(202)["id"].(string)
	w.upload("POST", path, part{"file", "a.txt", "two"}, part{"source_path", "", "/a"}, part{"supersedes", "", id}).fails(400, "invalid_value", "supersedes")
	if got := w.call("GET", "/documents/"+id, "").object(200); got["bytes"] != 3.0 || got["supersedes"] != nil {
		t.Errorf("got %v", got)
	}
	if d, err := w.store.Document(t.Context(), assistants.DefaultTenant, assistants.DocumentID(id)); err != nil || d.Latest != 1 {
		t.Errorf("version %d, %v", d.Latest, err)
	}
	old := w.document("mine", "old.txt", "old")
	for content, status := range map[string]int{"": 422, strings.Repeat("x", 1<<20+1): 413} {
		before := w.call("GET", "/documents/"+id, "").header.Get("ETag")
		w.upload("POST", path, part{"file", "a.txt", content}, part{"source_path", "", "/a"}, part{"supersedes", "", old}).want(status)
		if got := w.call("GET", "/documents/"+id, ""); got.object(200)["supersedes"] != nil || got.header.Get("ETag") != before {
			t.Errorf("a file that is refused with %d: %s", status, got.raw)
		}
	}
	for _, content := range []string{"two", "two"} { // a new version, then the same bytes
		if got := w.upload("POST", path, part{"file", "a.txt", content}, part{"source_path", "", "/a"}, part{"supersedes", "", old}); got.status/100 != 2 {
			t.Errorf("%d %s", got.status, got.raw)
		}
		if got := w.call("GET", "/documents/"+id, "").object(200); got["supersedes"] != old {
			t.Errorf("got %v", got)
		}
		w.call("PATCH", "/documents/"+id, `{"supersedes":null}`).want(200)
	}
}

func TestKnownBytesSupersedeWhatTheirUploadSays(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	old, known := w.document("mine", "old.txt", "old"), w.document("mine", "known.txt", "known")
	again := func(content, id string) reply {
		return w.upload("POST", path, part{"file", "again.txt", content}, part{"supersedes", "", id})
	}
	again("known", string(assistants.NewDocumentID())).fails(400, "invalid_value", "supersedes")
	if got := again("known", old).object(200); got["id"] != known || got["duplicate"] != true || got["supersedes"] != old {
		t.Errorf("got %v", got)
	}
	again("old", known).fails(400, "invalid_value", "supersedes")
}

func TestAMovedDocumentSupersedesNone(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	to := w.call("GET", "/assistants/"+w.assistant("other", ""), "").object(200)["collection_id"].(string)
	first, second, third := w.document(mine, "v1.txt", "one"), w.document(mine, "v2.txt", "two"), w.document(mine, "v3.txt", "three")
	for i, id := range []string{first, second, third} {
		w.publish(id, "text")
		if i > 0 {
			w.call("PATCH", "/documents/"+id, `{"supersedes":"`+[]string{first, second}[i-1]+`"}`).want(200)
		}
	}
	w.idle()
	w.call("POST", "/documents/"+second+"/move", `{"collection_id":"`+to+`"}`).want(200)
	if got := w.call("GET", "/documents/"+second, "").object(200); got["supersedes"] != nil || got["superseded_by"] != nil {
		t.Errorf("it was moved: %v", got)
	}
	if got := w.call("GET", "/documents/"+first, "").object(200); got["superseded_by"] != third {
		t.Errorf("the first, which stays: %v", got)
	}
}
