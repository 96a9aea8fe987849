package main

import (
	"crypto/rand"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
)

// An uploader works on documents that no other client touches.
type uploader struct {
	*storm
	rng  *mathrand.Rand
	mine []ownDocument
}

type ownDocument struct{ id, sourcePath string }

func (u *uploader) work() {
	_, most, _ := stormSize()
	for u.uploads.Load() < most || !u.calm.Load() {
		switch n := u.rng.IntN(100); {
		case n < 45:
			u.plain()
		case n < 75:
			u.withKey("")
		case n < 82:
			u.withKey("/storm/" + rand.Text())
		case n < 88:
			u.replace()
		case n < 92:
			u.replaceByPath()
		case n < 96:
			u.remove()
		default:
			u.newAssistant()
		}
	}
}

// plain uploads without a key. If it goes unanswered, half of the clients never
// learn what became of it, the others send it again.
func (u *uploader) plain() {
	f := newStormFile(u.rng)
	path := "/v1.0/assistants/" + u.assistant + "/documents"
	contentType, body := f.form(u.t, "")
	r, err := u.send("POST", path, contentType, body)
	lost := err != nil
	if lost {
		if u.rng.IntN(2) == 0 {
			u.known.Lock()
			u.maybe[f.sum] = true
			u.known.Unlock()
			return
		}
		r, _ = u.insist("POST", path, contentType, body)
	} else if r.status == http.StatusServiceUnavailable {
		r, _ = u.insist("POST", path, contentType, body)
	}
	var d stormDocument
	u.read(r, &d)
	if r.status != 202 && !(lost && r.status == 200 && d.Duplicate) || d.SHA256 != f.sum {
		u.t.Errorf("upload: %d %s", r.status, r.body)
		return
	}
	u.acknowledged(d.ID, f.sum)
	u.mine = append(u.mine, ownDocument{id: d.ID})
}

// withKey uploads until it is acknowledged: as the first attempt would have
// been, whatever became of that.
func (u *uploader) withKey(sourcePath string) {
	f := newStormFile(u.rng)
	path, key := "/v1.0/assistants/"+u.assistant+"/documents", rand.Text()
	contentType, body := f.form(u.t, sourcePath)
	r, lost := u.insist("POST", path, contentType, body, "Idempotency-Key", key)
	var d stormDocument
	u.read(r, &d)
	if r.status != 202 || d.Duplicate || d.SHA256 != f.sum {
		u.t.Errorf("upload with a key, unanswered before %v: %d %s", lost, r.status, r.body)
		return
	}
	u.keyed.Add(1)
	if lost {
		u.repeated.Add(1)
	}
	contentType, body = f.form(u.t, sourcePath)
	again, _ := u.insist("POST", path, contentType, body, "Idempotency-Key", key)
	var twin stormDocument
	u.read(again, &twin)
	if again.status != 202 || twin.ID != d.ID {
		u.t.Errorf("the same again: %d %s, first %s", again.status, again.body, r.body)
	}
	u.acknowledged(d.ID, f.sum)
	u.mine = append(u.mine, ownDocument{d.ID, sourcePath})
}

func (u *uploader) replace() {
	if len(u.mine) == 0 {
		return
	}
	old := u.mine[u.rng.IntN(len(u.mine))]
	f := newStormFile(u.rng)
	contentType, body := f.form(u.t, "")
	r, lost := u.insist("PUT", "/v1.0/documents/"+old.id+"/file", contentType, body)
	if r.status != 202 && !(lost && r.status == 200) {
		u.t.Errorf("replace %s: %d %s", old.id, r.status, r.body)
		return
	}
	u.acknowledged(old.id, f.sum)
}

// replaceByPath uploads a new version of what came from a path, with a key.
func (u *uploader) replaceByPath() {
	for _, old := range u.mine {
		if old.sourcePath == "" || u.rng.IntN(2) == 0 {
			continue
		}
		f := newStormFile(u.rng)
		contentType, body := f.form(u.t, old.sourcePath)
		r, lost := u.insist("POST", "/v1.0/assistants/"+u.assistant+"/documents", contentType, body, "Idempotency-Key", rand.Text())
		var d stormDocument
		u.read(r, &d)
		if r.status != 202 || d.Duplicate || d.ID != old.id {
			u.t.Errorf("replace what came from a path, unanswered before %v: %d %s", lost, r.status, r.body)
			return
		}
		u.acknowledged(d.ID, f.sum)
		return
	}
}

func (u *uploader) remove() {
	if len(u.mine) < 5 {
		return
	}
	n := u.rng.IntN(len(u.mine))
	old := u.mine[n]
	u.mine = append(u.mine[:n], u.mine[n+1:]...)
	r, lost := u.insist("DELETE", "/v1.0/documents/"+old.id, "", nil)
	if r.status != 204 && !(lost && r.status == 404) {
		u.t.Errorf("delete %s: %d %s", old.id, r.status, r.body)
	}
	u.known.Lock()
	defer u.known.Unlock()
	delete(u.docs, old.id)
	u.gone[old.id] = true
}

func (u *uploader) newAssistant() {
	slug := "storm-" + strings.ToLower(rand.Text())
	r, lost := u.insist("POST", "/v1.0/assistants", "application/json", []byte(`{"name":"`+slug+`","slug":"`+slug+`"}`), "Idempotency-Key", slug)
	var a struct{ ID string }
	u.read(r, &a)
	if r.status != 201 {
		u.t.Errorf("assistant, unanswered before %v: %d %s", lost, r.status, r.body)
	}
	u.known.Lock()
	defer u.known.Unlock()
	u.made[slug] = a.ID
}
