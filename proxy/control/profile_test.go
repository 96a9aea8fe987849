package control_test

import (
	"fmt"
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
	read := "map[edited:[] kind:report language:<nil> periods:[] subjects:[] title:Report years:[2021]]"
	if got := profile(w.call("GET", path, "")); got != read {
		t.Errorf("read: %s", got)
	}
	before := w.call("GET", path, "").header.Get("ETag")
	if got, want := profile(w.call("PATCH", path, `{"profile":{"years":[2022,2023],"kind":"","subjects":["Acme"]}}`)),
		"map[edited:[years kind subjects] kind:<nil> language:<nil> periods:[] subjects:[Acme] title:Report years:[2022 2023]]"; got != want {
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
		"map[edited:[kind subjects] kind:<nil> language:<nil> periods:[] subjects:[Acme] title:Report, corrected years:[2021]]"; got != want {
		t.Errorf("read again: %s", got)
	}
	if got, want := profile(w.call("PATCH", path, `{"profile":null}`)),
		"map[edited:[] kind:report language:<nil> periods:[] subjects:[] title:Report, corrected years:[2021]]"; got != want {
		t.Errorf("reset: %s", got)
	}
	for body, want := range map[string][2]string{
		`{"profile":[]}`:                        {"invalid_type", "profile"},
		`{"profile":{"years":["2021"]}}`:        {"invalid_type", "profile.years"},
		`{"profile":{"years":[7]}}`:             {"invalid_value", "profile.years"},
		`{"profile":{"title":"a\nb"}}`:          {"invalid_value", "profile.title"},
		`{"profile":{"language":"English"}}`:    {"invalid_value", "profile.language"},
		`{"profile":{"subjects":[""]}}`:         {"invalid_value", "profile.subjects"},
		`{"profile":{"edited":["title"]}}`:      {"unsupported_parameter", "profile.edited"},
		`{"profile":{"kind":"x","kind":"y"}}`:   {"duplicate_key", "profile.kind"},
		`{"profile":{"periods":[1]},"name":""}`: {"invalid_value", "name"},
	} {
		w.call("PATCH", path, body).fails(400, want[0], want[1])
	}
}
