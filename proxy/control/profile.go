package control

import (
	"encoding/json"

	"footnote/assistants"
	"footnote/proxy/jsonbody"
)

// profileView is what a document is. The fields in Edited were set by people.
type profileView struct {
	Title         *string  `json:"title"`
	Years         []int    `json:"years"`
	Periods       []string `json:"periods"`
	Kind          *string  `json:"kind"`
	Language      *string  `json:"language"`
	Subjects      []string `json:"subjects"`
	Abbreviations []string `json:"abbreviations"`
	Edited        []string `json:"edited"`
}

// viewProfile returns nil for a document that was read before there were profiles.
func viewProfile(d assistants.Document) *profileView {
	p, ok := d.Profile()
	if !ok {
		return nil
	}
	v := &profileView{
		Title: textOrNil(p.Title), Years: listOrEmpty(p.Years), Periods: listOrEmpty(p.Periods),
		Kind: textOrNil(p.Kind), Language: textOrNil(p.Language), Subjects: listOrEmpty(p.Subjects), Abbreviations: listOrEmpty(p.Abbreviations), Edited: []string{},
	}
	if d.Edits != nil {
		v.Edited = d.Edits.Fields()
	}
	return v
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func listOrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// profilePatch changes what people have set of a profile. null makes a field what was
// read again.
type profilePatch struct {
	Title         optional[string]   `json:"title" want:"a string or null"`
	Years         optional[[]int]    `json:"years" want:"a list of whole numbers, or null"`
	Periods       optional[[]string] `json:"periods" want:"a list of strings, or null"`
	Kind          optional[string]   `json:"kind" want:"a string or null"`
	Language      optional[string]   `json:"language" want:"a string or null"`
	Subjects      optional[[]string] `json:"subjects" want:"a list of strings, or null"`
	Abbreviations optional[[]string] `json:"abbreviations" want:"a list of strings, or null"`
}

// readProfilePatch reads the member profile of a request. null makes every field what was
// read.
func readProfilePatch(in optional[json.RawMessage]) (p profilePatch, err error) {
	if !in.Given || in.Null {
		return p, nil
	}
	if err := jsonbody.Decode(in.Value, &p); err != nil {
		return p, jsonbody.Within("profile", err)
	}
	return p, p.apply(assistants.ProfileEdits{}).Check()
}

// apply returns edits with those of the patch.
func (p profilePatch) apply(e assistants.ProfileEdits) assistants.ProfileEdits {
	setEdit(&e.Title, p.Title)
	setEdit(&e.Years, p.Years)
	setEdit(&e.Periods, p.Periods)
	setEdit(&e.Kind, p.Kind)
	setEdit(&e.Language, p.Language)
	setEdit(&e.Subjects, p.Subjects)
	setEdit(&e.Abbreviations, p.Abbreviations)
	return e
}

func setEdit[T any](edit **T, o optional[T]) {
	switch {
	case o.Null:
		*edit = nil
	case o.Given:
		*edit = &o.Value
	}
}

// editProfile changes what is set of a document's profile.
func editProfile(d *assistants.Document, in optional[json.RawMessage], p profilePatch) {
	var edits assistants.ProfileEdits
	if d.Edits != nil && !in.Null {
		edits = *d.Edits
	}
	if edits = p.apply(edits).Tidied(); len(edits.Fields()) > 0 {
		d.Edits = &edits
	} else {
		d.Edits = nil
	}
}
