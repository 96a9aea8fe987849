package ingestion

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// mailWith is a mail with files.
func mailWith(words string, files ...[2]string) string {
	var b strings.Builder
	b.WriteString("From: Anna <anna@example.org>\r\nMessage-ID: <1@example.org>\r\nSubject: Rates\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n" + words + "\r\n")
	for _, f := range files {
		b.WriteString("--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"" + f[0] +
			"\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte(f[1])) + "\r\n")
	}
	b.WriteString("--b--\r\n")
	return b.String()
}

// attached are the texts of what came with a mail, by name.
func (w *world) attached(mail assistants.DocumentID) map[string]string {
	w.t.Helper()
	docs, err := w.store.Attached(w.t.Context(), assistants.DefaultTenant, mail)
	w.must(err)
	texts := map[string]string{}
	for _, d := range docs {
		if d.Status != assistants.StatusReady || d.Parent != mail || d.CollectionID != w.collection {
			w.t.Errorf("%+v", d)
			continue
		}
		text, err := w.store.LiveText(w.t.Context(), assistants.DefaultTenant, d.ID)
		w.must(err)
		texts[d.Name] = text.Text
	}
	return texts
}

const notes, rates = "Notes on travel.", "Country,Meals\nNorway,75\n"

func TestWhatComesWithAMailBecomesDocuments(t *testing.T) {
	w := newWorld(t)
	u := w.upload("mail.eml", mailWith("See the files.", [2]string{"../notes.txt", notes}, [2]string{"rates.csv", rates},
		[2]string{"logo.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"}, [2]string{"empty.txt", ""}, [2]string{"blank.txt", "  "}))
	u.Labels, u.Tags = []string{"travel"}, map[string]string{"year": "2026"}
	mail, _, err := w.library.Add(t.Context(), u)
	w.must(err)
	w.drain(w.worker)
	w.consistent()
	docs, err := w.store.Attached(t.Context(), assistants.DefaultTenant, mail.ID)
	w.must(err)
	got := map[string]assistants.Status{}
	for _, d := range docs {
		got[d.Name] = d.Status
		if !slices.Equal(d.Labels, u.Labels) || !maps.Equal(d.Tags, u.Tags) || d.Parent != mail.ID || d.SourcePath != "" {
			t.Errorf("%+v", d)
		}
	}
	want := map[string]assistants.Status{"notes.txt": assistants.StatusReady, "rates.csv": assistants.StatusReady, "blank.txt": assistants.StatusFailed}
	if !maps.Equal(got, want) || w.document(mail.ID).Status != assistants.StatusReady {
		t.Errorf("%v, want %v; the mail is %s", got, want, w.document(mail.ID).Status)
	}

	w.must(w.store.DeleteDocument(t.Context(), assistants.DefaultTenant, mail.ID))
	w.drain(w.worker)
	w.consistent()
	if keys := w.keys(); len(keys) != 0 || len(w.indexed()) != 0 {
		t.Errorf("blobs %q, index %v", keys, w.indexed())
	}
}

func TestAMailReadAgainGivesTheSameDocuments(t *testing.T) {
	w := newWorld(t)
	mail := w.add("mail.eml", mailWith("One.", [2]string{"notes.txt", notes}, [2]string{"rates.csv", rates}, [2]string{"old.txt", "Out of date."}))
	w.drain(w.worker)
	before, err := w.store.Attached(t.Context(), assistants.DefaultTenant, mail.ID)
	w.must(err)
	if _, err := w.store.Reprocess(t.Context(), assistants.DefaultTenant, mail.ID); err != nil {
		t.Fatal(err)
	}
	w.drain(w.worker)
	again, err := w.store.Attached(t.Context(), assistants.DefaultTenant, mail.ID)
	w.must(err)
	if len(again) != 3 || !slices.EqualFunc(before, again, func(a, b assistants.Document) bool { return a.ID == b.ID && a.Latest == b.Latest }) {
		t.Errorf("%+v\nthen %+v", before, again)
	}

	_, _, err = w.library.Replace(t.Context(), assistants.DefaultTenant, mail.ID, w.upload("mail.eml",
		mailWith("Two.", [2]string{"renamed.txt", notes}, [2]string{"rates.csv", rates + "Japan,52\n"}, [2]string{"new.txt", "New words."})))
	w.must(err)
	w.drain(w.worker)
	w.consistent()
	want := map[string]string{"notes.txt": notes, "rates.csv": "Country | Meals\nNorway | 75\nJapan | 52", "new.txt": "New words."}
	if got := w.attached(mail.ID); !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	after, err := w.store.Attached(t.Context(), assistants.DefaultTenant, mail.ID)
	w.must(err)
	for _, d := range after {
		if i := slices.IndexFunc(before, func(b assistants.Document) bool { return b.ID == d.ID }); (i >= 0) != (d.Name != "new.txt") {
			t.Errorf("%s is another document than before", d.Name)
		}
	}
}

// While a file that came with a mail waits for its vectors, its version before
// answers; a mail that has that again brings it back.
func TestAnAttachmentThatChangesBackWhileItIsReplacedIsAsItWas(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	mail := w.add("mail.eml", mailWith("One.", [2]string{"notes.txt", notes}))
	w.drain(w.worker)
	e.fail(fmt.Errorf("refused: %w", assistants.ErrUnavailable))
	for _, file := range []string{"Other notes.", notes} {
		_, _, err := w.library.Replace(t.Context(), mail.TenantID, mail.ID, w.upload("mail.eml", mailWith("With "+file, [2]string{"notes.txt", file})))
		w.must(err)
		w.drain(w.worker)
	}
	e.fail(nil)
	w.pass(time.Hour)
	w.drain(w.worker)
	if got, want := w.attached(mail.ID), map[string]string{"notes.txt": notes}; !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	w.consistent()
}

// A file that the collection has already is not stored again, and one that
// changes into such a file goes.
func TestAnAttachmentThatIsThereAlreadyIsNotStoredTwice(t *testing.T) {
	w := newWorld(t)
	own := w.add("notes.txt", notes)
	mail := w.add("mail.eml", mailWith("One.", [2]string{"a.txt", notes}, [2]string{"b.txt", "Other words."}))
	w.drain(w.worker)
	if got, want := w.attached(mail.ID), map[string]string{"b.txt": "Other words."}; !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	_, _, err := w.library.Replace(t.Context(), assistants.DefaultTenant, mail.ID, w.upload("mail.eml", mailWith("Two.", [2]string{"b.txt", notes})))
	w.must(err)
	w.drain(w.worker)
	w.consistent()
	if got := w.attached(mail.ID); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if d := w.document(own.ID); d.Status != assistants.StatusReady || d.Parent != "" {
		t.Errorf("%+v", d)
	}
}

// What two mails have goes with neither of them, however the second came by it.
func TestAFileOfTwoMailsOutlivesEither(t *testing.T) {
	w := newWorld(t)
	first := w.add("first.eml", mailWith("One.", [2]string{"notes.txt", notes}, [2]string{"rates.csv", rates}))
	w.drain(w.worker)
	second := w.add("second.eml", mailWith("Two.", [2]string{"notes.txt", notes}, [2]string{"other.csv", "Other words."}))
	w.drain(w.worker)
	_, _, err := w.library.Replace(t.Context(), assistants.DefaultTenant, second.ID, w.upload("second.eml",
		mailWith("Two, corrected.", [2]string{"notes.txt", notes}, [2]string{"other.csv", rates})))
	w.must(err)
	w.drain(w.worker)
	w.must(w.store.DeleteDocument(t.Context(), assistants.DefaultTenant, first.ID))
	w.drain(w.worker)
	w.consistent()
	docs, _, err := w.store.Documents(t.Context(), assistants.DefaultTenant, w.collection, assistants.List{})
	w.must(err)
	var names []string
	for _, d := range docs {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	if want := []string{"notes.txt", "rates.csv", "second.eml"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestFilesWithinAttachmentsStayThere(t *testing.T) {
	w := newWorld(t)
	inner := mailWith("Inner words.", [2]string{"deep.txt", "Deep words."})
	mail := w.add("mail.eml", mailWith("Outer words.", [2]string{"inner.eml", inner}))
	w.drain(w.worker)
	w.consistent()
	docs, err := w.store.Attached(t.Context(), assistants.DefaultTenant, mail.ID)
	w.must(err)
	if len(docs) != 1 || docs[0].Status != assistants.StatusReady || len(w.attached(docs[0].ID)) != 0 {
		t.Errorf("%+v", docs)
	}
}

// The work of a mail that was deleted meanwhile is void, its files included.
func TestAMailDeletedWhileItIsReadLeavesNothing(t *testing.T) {
	w := newWorld(t)
	mail := w.add("mail.eml", mailWith("See the file.", [2]string{"notes.txt", notes}))
	job, ok, err := w.store.ClaimJob(t.Context(), w.clock(), w.worker.cfg.Lease, assistants.JobFilter{})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	a := attempt{Worker: w.worker, job: job, document: mail}
	doc, err := a.read(t.Context())
	w.must(err)
	w.must(w.store.DeleteDocument(t.Context(), assistants.DefaultTenant, mail.ID))
	if err := a.attach(t.Context(), doc.Attachments); !isObsolete(err) {
		t.Errorf("%v", err)
	}
	w.worker.work(t.Context(), job)
	w.drain(w.worker)
	if keys := w.keys(); len(keys) != 0 {
		t.Errorf("blobs %q", keys)
	}
}
