package control_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/ingestion"
	"footnote/proxy/control"
)

// A mishap makes the parts behind the API fail.
type mishap struct {
	control.Store
	control.Library

	now     atomic.Int64 // nanoseconds after noon
	silent  atomic.Bool  // answers cannot be stored, as if the process died
	doomed  atomic.Int64 // number of assistants and documents that are stored with an error
	absent  atomic.Int64 // number that is not stored
	broken  atomic.Bool  // adding fails with an unknown error
	holding chan struct{}
	entered chan struct{}
}

func (m *mishap) clock() time.Time { return noon.Add(time.Duration(m.now.Load())) }

func (m *mishap) AnswerRequest(ctx context.Context, r assistants.IdempotentRequest) error {
	if m.silent.Load() {
		return assistants.ErrUnavailable
	}
	return m.Store.AnswerRequest(ctx, r)
}

func (m *mishap) fate(do func() error) error {
	switch {
	case m.broken.Load():
		return errors.New("unknown")
	case m.absent.Add(-1) >= 0:
		return fmt.Errorf("full: %w", assistants.ErrUnavailable)
	case m.doomed.Add(-1) >= 0:
		return errors.Join(assistants.ErrUnavailable, do())
	}
	return do()
}

func (m *mishap) CreateAssistant(ctx context.Context, a assistants.Assistant) error {
	return m.fate(func() error { return m.Store.CreateAssistant(ctx, a) })
}

func (m *mishap) Add(ctx context.Context, u ingestion.Upload) (d assistants.Document, duplicate bool, err error) {
	if m.holding != nil {
		m.entered <- struct{}{}
		<-m.holding
	}
	err = m.fate(func() error {
		d, duplicate, err = m.Library.Add(ctx, u)
		return err
	})
	return d, duplicate, err
}

func newUnluckyWorld(t *testing.T) (*world, *mishap) {
	t.Helper()
	m := &mishap{}
	w := newWorld(t, func(d *control.Deps) {
		m.Store, m.Library = d.Store, d.Library
		d.Store, d.Library, d.Now = m, m, m.clock
		d.Library.(*mishap).Library.(*ingestion.Library).Now = m.clock
	})
	return w, m
}

// once sends a form with an idempotency key.
func (w *world) once(key, path string, parts ...part) reply {
	w.t.Helper()
	body, contentType := encode(w.t, parts...) // with a fresh boundary each time
	return w.send("POST", path, adminKey, body, "Content-Type", contentType, "Idempotency-Key", key)
}

func (w *world) createOnce(key, body string) reply {
	w.t.Helper()
	return w.send("POST", "/assistants", adminKey, strings.NewReader(body), "Content-Type", "application/json", "Idempotency-Key", key)
}

// repeats checks that an answer is another one's repetition.
func (r reply) repeats(first reply) {
	r.t.Helper()
	if r.status != first.status || string(r.raw) != string(first.raw) || r.header.Get("Idempotent-Replayed") != "true" ||
		r.header.Get("Content-Type") != first.header.Get("Content-Type") {
		r.t.Errorf("%d %s %v\ndoes not repeat %d %s", r.status, r.raw, r.header, first.status, first.raw)
	}
}

func (r reply) fresh() reply {
	r.t.Helper()
	if r.header.Get("Idempotent-Replayed") != "" {
		r.t.Errorf("%s is a repetition", r.raw)
	}
	return r
}

// documents are the ids of an assistant's documents.
func (w *world) documents(assistant string) []string {
	w.t.Helper()
	var ids []string
	for _, d := range w.call("GET", "/assistants/"+assistant+"/documents", "").object(200)["data"].([]any) {
		ids = append(ids, d.(map[string]any)["id"].(string))
	}
	return ids
}

func (w *world) assistants() int {
	w.t.Helper()
	return len(w.call("GET", "/assistants", "").object(200)["data"].([]any))
}

func TestAnIdempotencyKeyHas1To255Characters(t *testing.T) {
	w := newWorld(t)
	path := "/assistants/" + w.assistant("mine", "") + "/documents"
	for _, key := range []string{"", strings.Repeat("k", 256), strings.Repeat("é", 256), "\xff", "a\tb"} {
		w.once(key, path, part{"file", "a.txt", "text"}).fails(400, "invalid_value", "Idempotency-Key")
		w.createOnce(key, `{"name":"a"}`).fails(400, "invalid_value", "Idempotency-Key")
	}
	req, err := http.NewRequest("POST", w.url+"/assistants", strings.NewReader(`{"name":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + adminKey}, "Content-Type": {"application/json"}, "Idempotency-Key": {"a", "a"}}
	resp, err := w.server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != 400 {
		t.Errorf("two keys: %d, %v", resp.StatusCode, err)
	}
	for i, key := range []string{"k", strings.Repeat("é", 255), `"quoted, with = signs"`} {
		w.createOnce(key, fmt.Sprintf(`{"name":"n%d"}`, i)).want(201).fresh()
	}
}

func TestTheSameUploadWithTheSameKeyHappensOnce(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	path := "/assistants/" + mine + "/documents"
	parts := []part{{"labels", "", `["x"]`}, {"tags", "", `{"a":"1","b":"2"}`}, {"file", "a.txt", "text"}}
	first := w.once("k", path, parts...).want(202).fresh()
	w.once("k", path, parts...).repeats(first)
	// The same by slug, and with its parts in another order and spelling.
	w.once("k", "/assistants/mine/documents", part{"file", "a.txt", "text"}, part{"tags", "", `{ "b":"2", "a":"1" }`}, part{"labels", "", `["x","x"]`}).repeats(first)
	for what, other := range map[string][]part{
		"other bytes":  {{"labels", "", `["x"]`}, {"tags", "", `{"a":"1","b":"2"}`}, {"file", "a.txt", "texT"}},
		"another name": {{"labels", "", `["x"]`}, {"tags", "", `{"a":"1","b":"2"}`}, {"file", "b.txt", "text"}},
		"other labels": {{"labels", "", `["y"]`}, {"tags", "", `{"a":"1","b":"2"}`}, {"file", "a.txt", "text"}},
		"no labels":    {{"tags", "", `{"a":"1","b":"2"}`}, {"file", "a.txt", "text"}},
		"other tags":   {{"labels", "", `["x"]`}, {"tags", "", `{"a":"1"}`}, {"file", "a.txt", "text"}},
		"a path":       {{"labels", "", `["x"]`}, {"tags", "", `{"a":"1","b":"2"}`}, {"source_path", "", "/a"}, {"file", "a.txt", "text"}},
		"a file more":  {{"labels", "", `["x"]`}, {"tags", "", `{"a":"1","b":"2"}`}, {"file", "a.txt", "text"}, {"file", "c.txt", "more"}},
	} {
		t.Run(what, func(t *testing.T) {
			w.once("k", path, other...).fails(422, "idempotency_mismatch", "Idempotency-Key")
		})
	}
	w.once("k", "/assistants/"+w.assistant("other", "")+"/documents", parts...).fails(422, "idempotency_mismatch", "Idempotency-Key")
	w.createOnce("k", `{"name":"a"}`).fails(422, "idempotency_mismatch", "Idempotency-Key")
	if again := w.once("k2", path, parts...).fresh().object(200); again["duplicate"] != true {
		t.Errorf("another key: %v", again)
	}
	if ids := w.documents(mine); len(ids) != 1 {
		t.Errorf("%d documents", len(ids))
	}
}

func TestSeveralFilesAndDuplicatesAreRepeatedAsTheyWereAnswered(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	path := "/assistants/" + mine + "/documents"
	w.document(mine, "known.txt", "known")
	for key, parts := range map[string][]part{
		"200 for a known file": {{"file", "known.txt", "known"}},
		"202 for several":      {{"file", "a.txt", "one"}, {"file", "known.txt", "known"}},
		"207 for a bad one":    {{"file", "b.txt", "two"}, {"file", "b.exe", "MZ\x00\x01\x02\x03"}, {"file", "twin.txt", "two"}},
	} {
		t.Run(key, func(t *testing.T) {
			first := w.once(key, path, parts...).fresh()
			if got := fmt.Sprint(first.status); got != key[:3] {
				t.Errorf("status %s", got)
			}
			w.once(key, path, parts...).repeats(first)
		})
	}
	if ids := w.documents(mine); len(ids) != 3 {
		t.Errorf("%d documents, want 3", len(ids))
	}
}

func TestTheSameAssistantWithTheSameKeyIsMadeOnce(t *testing.T) {
	w := newWorld(t)
	first := w.createOnce("k", `{"name":"A name","settings":{"enable_rag":true,"retrieval_top_k":3}}`).want(201).fresh()
	w.createOnce("k", `{"name":"A name","settings":{"enable_rag":true,"retrieval_top_k":3}}`).repeats(first)
	w.createOnce("k", ` { "settings":{ "retrieval_top_k":3, "enable_rag":true}, "name":"\u0041 name" }`).repeats(first)
	w.createOnce("k", `{"name":"A name"}`).fails(422, "idempotency_mismatch", "Idempotency-Key")
	w.createOnce("K", `{"name":"Another name"}`).want(201).fresh() // letters in keys have case
	nameless := w.createOnce("ß", `{"name":"ß"}`).want(201)
	w.createOnce("ß", `{"name":"ß"}`).repeats(nameless)
	if n := w.assistants(); n != 3 {
		t.Errorf("%d assistants", n)
	}
}

func TestARefusalDoesNotTakeTheKey(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	path := "/assistants/" + mine + "/documents"
	w.once("k", path, part{"file", "a.txt", ""}).fails(422, "empty_file", "")
	w.once("k", path, part{"file", "a.exe", "MZ\x00\x01\x02\x03"}).fails(415, "unsupported_media_type", "")
	w.once("k", path, part{"file", "a.txt", "text"}, part{"labels", "", "{}"}).fails(400, "invalid_type", "labels")
	w.once("k", path, part{"file", "a.txt", strings.Repeat("x", 1<<20+1)}).fails(413, "request_too_large", "")
	w.createOnce("k", `{"name":"","slug":"s"}`).fails(400, "invalid_value", "name")
	w.createOnce("k", `{"name":"a","slug":"mine"}`).fails(409, "conflict", "slug")
	// The slug is given up, and the same request with the same key goes through.
	w.call("PATCH", "/assistants/"+mine, `{"slug":"theirs"}`).want(200)
	w.createOnce("k", `{"name":"a","slug":"mine"}`).want(201).fresh()
}

func TestKeysOfTenantsDoNotMeet(t *testing.T) {
	w := newWorld(t)
	w.createOnce("k", `{"name":"Mine"}`).want(201)
	theirs := w.storeKey(func(k *assistants.Key) { k.TenantID = "tenant-b" })
	other := w.send("POST", "/assistants", theirs, strings.NewReader(`{"name":"Theirs"}`), "Content-Type", "application/json", "Idempotency-Key", "k")
	if other.fresh().object(201)["name"] != "Theirs" {
		t.Errorf("%s", other.raw)
	}
}

// A key that may not see an assistant does not get repeated answers about it
// either.
func TestARepetitionNeedsTheSameRights(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", ""), w.assistant("other", "")
	w.once("k", "/assistants/"+mine+"/documents", part{"file", "a.txt", "text"}).want(202)
	bound := w.storeKey(func(k *assistants.Key) { k.Assistants = []assistants.AssistantID{assistants.AssistantID(other)} })
	body, contentType := encode(t, part{"file", "a.txt", "text"})
	w.send("POST", "/assistants/"+mine+"/documents", bound, body, "Content-Type", contentType, "Idempotency-Key", "k").fails(404, "not_found", "")
}

func TestAKeyStandsForItsRequestForADay(t *testing.T) {
	w, m := newUnluckyWorld(t)
	first := w.createOnce("k", `{"name":"a","slug":"a"}`).want(201)
	m.now.Store(int64(24*time.Hour - time.Microsecond))
	w.createOnce("k", `{"name":"a","slug":"a"}`).repeats(first)
	m.now.Store(int64(24 * time.Hour))
	w.createOnce("k", `{"name":"b","slug":"b"}`).want(201).fresh()
}

func TestOnlyUploadsAndNewAssistantsHeedTheKey(t *testing.T) {
	w := newWorld(t)
	for range 2 { // two keys with two secrets: repeating one would mean to have kept it
		w.send("POST", "/keys", adminKey, strings.NewReader(`{"name":"k","scopes":["chat"]}`), "Content-Type", "application/json", "Idempotency-Key", "k").want(201).fresh()
	}
	if n := len(w.call("GET", "/keys", "").object(200)["data"].([]any)); n != 2 {
		t.Errorf("%d keys", n)
	}
}

func TestARequestInProgressIsNotRepeated(t *testing.T) {
	w, m := newUnluckyWorld(t)
	mine := w.assistant("mine", "")
	path := "/assistants/" + mine + "/documents"
	m.holding, m.entered = make(chan struct{}), make(chan struct{})
	first := make(chan reply)
	go func() { first <- w.once("k", path, part{"file", "a.txt", "text"}) }()
	<-m.entered
	busy := w.once("k", path, part{"file", "a.txt", "text"})
	busy.fails(409, "idempotency_in_progress", "Idempotency-Key")
	if busy.header.Get("Retry-After") != "5" || busy.header.Get("X-Should-Retry") != "" {
		t.Errorf("headers %v", busy.header)
	}
	w.once("k", path, part{"file", "a.txt", "other"}).fails(422, "idempotency_mismatch", "Idempotency-Key")
	close(m.holding)
	done := (<-first).want(202)
	m.holding = nil
	w.once("k", path, part{"file", "a.txt", "text"}).repeats(done)
}

// The process dies when the work is done and the answer is not stored.
func TestADeathBeforeTheAnswerNeitherLosesNorDoubles(t *testing.T) {
	w, m := newUnluckyWorld(t)
	mine := w.assistant("mine", "")
	path := "/assistants/" + mine + "/documents"
	known := w.upload("POST", path, part{"source_path", "", "/known"}, part{"file", "known.txt", "old"}).object(202)["id"]
	twice := func(name string, send func() reply, sameBody bool) {
		t.Run(name, func(t *testing.T) {
			m.silent.Store(true)
			lost := send().fresh()
			send().fails(409, "idempotency_in_progress", "Idempotency-Key")
			m.silent.Store(false)
			m.now.Add(int64(5 * time.Second))
			again := send().fresh()
			if again.status != lost.status || sameBody && string(again.raw) != string(lost.raw) {
				t.Errorf("%d %s\nlost %d %s", again.status, again.raw, lost.status, lost.raw)
			}
			send().repeats(again)
		})
	}
	before := w.assistants()
	twice("assistant", func() reply { return w.createOnce("a", `{"name":"A"}`) }, true)
	twice("nameless assistant", func() reply { return w.createOnce("b", `{"name":"ß"}`) }, true)
	if n := w.assistants() - before; n != 2 {
		t.Errorf("%d assistants made", n)
	}
	twice("upload", func() reply { return w.once("c", path, part{"file", "a.txt", "one"}) }, true)
	twice("duplicate", func() reply { return w.once("d", path, part{"file", "b.txt", "one"}) }, true)
	twice("several", func() reply {
		return w.once("e", path, part{"file", "c.txt", "two"}, part{"file", "d.txt", "two"}, part{"file", "e.exe", "MZ\x00\x01\x02"})
	}, true)
	twice("from a path", func() reply {
		return w.once("f", path, part{"source_path", "", "/new"}, part{"file", "f.txt", "three"})
	}, true)
	twice("a new version", func() reply {
		return w.once("g", path, part{"source_path", "", "/known"}, part{"labels", "", `["l"]`}, part{"file", "known.txt", "new"})
	}, false)
	twice("the same version", func() reply {
		return w.once("h", path, part{"source_path", "", "/known"}, part{"file", "known.txt", "new"})
	}, false)
	if ids := w.documents(mine); len(ids) != 4 { // known, one, two, three
		t.Errorf("%d documents", len(ids))
	}
	d, err := w.store.Document(t.Context(), assistants.DefaultTenant, assistants.DocumentID(known.(string)))
	if err != nil || d.Latest != 2 {
		t.Errorf("version %d, %v", d.Latest, err)
	}
	if again := w.once("h", path, part{"source_path", "", "/known"}, part{"file", "known.txt", "new"}).object(200); again["duplicate"] != true {
		t.Errorf("an upload of what is there: %v", again)
	}
}

// The store makes the change and returns an error, as when a connection breaks
// at COMMIT.
func TestAnUnknownOutcomeIsLookedUpByTheNextAttempt(t *testing.T) {
	w, m := newUnluckyWorld(t)
	mine := w.assistant("mine", "")
	path := "/assistants/" + mine + "/documents"
	m.doomed.Store(1)
	w.createOnce("a", `{"name":"A"}`).fails(503, "storage_unavailable", "")
	w.createOnce("a", `{"name":"A"}`).want(201).fresh()
	m.doomed.Store(1)
	w.once("b", path, part{"file", "a.txt", "text"}).fails(503, "storage_unavailable", "")
	w.once("b", path, part{"file", "a.txt", "changed"}).fails(422, "idempotency_mismatch", "Idempotency-Key")
	if again := w.once("b", path, part{"file", "a.txt", "text"}).fresh().object(202); again["duplicate"] != nil {
		t.Errorf("%v", again)
	}
	if n, ids := w.assistants(), w.documents(mine); n != 2 || len(ids) != 1 {
		t.Errorf("%d assistants, %d documents", n, len(ids))
	}
}

func TestATransientFailureIsNotStored(t *testing.T) {
	w, m := newUnluckyWorld(t)
	mine := w.assistant("mine", "")
	path := "/assistants/" + mine + "/documents"
	for range 3 {
		m.absent.Store(1)
		full := w.once("a", path, part{"file", "a.txt", "text"})
		full.fails(503, "storage_unavailable", "")
		if full.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	first := w.once("a", path, part{"file", "a.txt", "text"}).want(202).fresh()
	w.once("a", path, part{"file", "a.txt", "text"}).repeats(first)

	m.absent.Store(1) // for the first of two files
	partly := w.once("b", path, part{"file", "b.txt", "one"}, part{"file", "c.txt", "two"}).want(207)
	whole := w.once("b", path, part{"file", "b.txt", "one"}, part{"file", "c.txt", "two"}).want(202).fresh()
	if strings.Contains(string(whole.raw), "duplicate") || !strings.Contains(string(partly.raw), "storage_unavailable") {
		t.Errorf("%s\n%s", partly.raw, whole.raw)
	}
	if ids := w.documents(mine); len(ids) != 3 {
		t.Errorf("%d documents", len(ids))
	}
}

// An unknown failure is stored as the answer, too.
func TestAnInternalErrorIsRepeated(t *testing.T) {
	w, m := newUnluckyWorld(t)
	m.broken.Store(true)
	first := w.createOnce("a", `{"name":"A"}`)
	first.fails(500, "internal_error", "")
	m.broken.Store(false)
	again := w.createOnce("a", `{"name":"A"}`)
	again.repeats(first)
	if again.header.Get("X-Should-Retry") != "false" {
		t.Errorf("headers %v", again.header)
	}
	w.createOnce("b", `{"name":"A"}`).want(201)
}

// All concurrent requests get the same document, or have to wait.
func TestManyWithOneKeyMakeOneDocument(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	var mu sync.Mutex
	answers := map[string]int{}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for {
				got := w.once("k", "/assistants/"+mine+"/documents", part{"file", "a.txt", "text"})
				if got.status == 409 && strings.Contains(string(got.raw), "idempotency_in_progress") {
					continue
				}
				mu.Lock()
				answers[fmt.Sprint(got.status, " ", string(got.raw))]++
				mu.Unlock()
				return
			}
		})
	}
	wg.Wait()
	for text, n := range answers {
		if n != 16 || !strings.HasPrefix(text, "202 ") {
			t.Errorf("%d times %s", n, text)
		}
	}
	if ids := w.documents(mine); len(ids) != 1 {
		t.Errorf("%d documents", len(ids))
	}
}
