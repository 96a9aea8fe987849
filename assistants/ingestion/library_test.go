package ingestion

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"footnote/assistants"
)

func TestAnUploadIsStoredAndQueued(t *testing.T) {
	w := newWorld(t)
	u := w.upload(`C:\docs\Travel rules.md`, "# Rules\n\nText.")
	u.SourcePath, u.Labels, u.Tags = "/docs/Travel rules.md", []string{"hr"}, map[string]string{"year": "2026"}
	d, duplicate, err := w.library.Add(t.Context(), u)
	w.must(err)
	if duplicate || d.Status != assistants.StatusPending || d.Name != "Travel rules.md" || d.SourcePath != u.SourcePath ||
		d.Version.ContentType != "text/markdown" || d.Version.Bytes != 14 || len(d.Version.SHA256) != 64 ||
		!slices.Equal(d.Labels, u.Labels) || !maps.Equal(d.Tags, u.Tags) || !d.CreatedAt.Equal(w.clock()) {
		t.Errorf("%+v", d)
	}
	if jobs, err := w.store.CountJobs(t.Context()); err != nil || jobs != 1 {
		t.Errorf("%d jobs, %v", jobs, err)
	}
	if !strings.HasPrefix(d.Version.BlobKey, "default/") || strings.Contains(d.Version.BlobKey, "Travel") {
		t.Errorf("key %q", d.Version.BlobKey)
	}
	select {
	case <-w.worker.wakes[0]:
	default:
		t.Error("the worker was not notified")
	}
}

func TestRefusedUploadsLeaveNothing(t *testing.T) {
	for name, c := range map[string]struct {
		name, content string
		max           int64
		want          error
	}{
		"empty":              {"a.txt", "", 0, assistants.ErrEmptyFile},
		"a program":          {"a.pdf", "MZ\x90\x00\x03\x00\x00\x00", 0, assistants.ErrUnsupportedMedia},
		"a picture":          {"a.md", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", 0, assistants.ErrUnsupportedMedia},
		"one byte too many":  {"a.txt", strings.Repeat("x", 101), 100, assistants.ErrTooLarge},
		"far too large":      {"a.txt", strings.Repeat("x", 100_000), 100, assistants.ErrTooLarge},
		"too large, unknown": {"a.txt", strings.Repeat("x", 20_000), 9_000, assistants.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			u := w.upload(c.name, c.content)
			u.MaxBytes = c.max
			if _, _, err := w.library.Add(t.Context(), u); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			w.consistent()
			if keys := w.keys(); len(keys) != 0 {
				t.Errorf("blobs %q", keys)
			}
		})
	}
}

func TestAnUploadOfExactlyTheLimitFits(t *testing.T) {
	w := newWorld(t)
	u := w.upload("a.txt", strings.Repeat("x", 9000))
	u.MaxBytes = 9000
	if d, _, err := w.library.Add(t.Context(), u); err != nil || d.Version.Bytes != 9000 {
		t.Errorf("%d bytes, %v", d.Version.Bytes, err)
	}
}

func TestAnUploadThatBreaksOffLeavesNothing(t *testing.T) {
	w := newWorld(t)
	u := w.upload("a.txt", "")
	gone := errors.New("the client has gone")
	for _, sent := range []int{0, 10, 50_000} {
		u.Content = io.MultiReader(strings.NewReader(strings.Repeat("x", sent)), iotest.ErrReader(gone))
		_, _, err := w.library.Add(t.Context(), u)
		if !errors.Is(err, gone) || errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("after %d bytes: %v", sent, err)
		}
	}
	if keys := w.keys(); len(keys) != 0 {
		t.Errorf("blobs %q", keys)
	}
}

func TestTheSameBytesAreOneDocument(t *testing.T) {
	w := newWorld(t)
	first := w.add("a.md", "Words.")
	second, duplicate, err := w.library.Add(t.Context(), w.upload("other.txt", "Words."))
	if err != nil || !duplicate || second.ID != first.ID || second.Name != "a.md" {
		t.Errorf("%s, %v, %v", second.ID, duplicate, err)
	}
	if keys := w.keys(); len(keys) != 1 {
		t.Errorf("blobs %q", keys)
	}
}

func TestTheSameBytesAtOnceAreOneDocument(t *testing.T) {
	w := newWorld(t)
	var (
		mu    sync.Mutex
		fresh int
		all   sync.WaitGroup
	)
	for range 12 {
		all.Go(func() {
			_, duplicate, err := w.library.Add(context.WithoutCancel(t.Context()), w.upload("a.md", "Words."))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if !duplicate {
				fresh++
			}
		})
	}
	all.Wait()
	if keys := w.keys(); fresh != 1 || len(keys) != 1 {
		t.Errorf("%d documents, blobs %q", fresh, keys)
	}
	w.drain(w.worker)
	w.consistent()
}

func TestATakenSourcePathIsAConflict(t *testing.T) {
	w := newWorld(t)
	u := w.upload("a.md", "One.")
	u.SourcePath = "/a.md"
	_, _, err := w.library.Add(t.Context(), u)
	w.must(err)
	u.Content = reader("Two.")
	if _, _, err := w.library.Add(t.Context(), u); !errors.Is(err, assistants.ErrConflict) {
		t.Errorf("error %v", err)
	}
	if keys := w.keys(); len(keys) != 1 {
		t.Errorf("blobs %q", keys)
	}
}

func TestReplacingKeepsTheOldVersionUntilTheNewOneIsReady(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "The old words.")
	w.drain(w.worker)
	d, duplicate, err := w.library.Replace(t.Context(), d.TenantID, d.ID, w.upload("b.md", "The new words."))
	if err != nil || duplicate || d.Live != 1 || d.Latest != 2 || d.Status != assistants.StatusPending {
		t.Fatalf("%+v, %v", d, err)
	}
	if got := w.chunks(d.ID)[0].Text; got != "The old words." {
		t.Errorf("before: %q", got)
	}
	w.drain(w.worker)
	if got := w.chunks(d.ID)[0].Text; got != "The new words." {
		t.Errorf("after: %q", got)
	}
	w.consistent()
	if keys := w.keys(); len(keys) != 1 {
		t.Errorf("blobs %q", keys)
	}
	_, duplicate, err = w.library.Replace(t.Context(), d.TenantID, d.ID, w.upload("c.md", "The new words."))
	if err != nil || !duplicate {
		t.Errorf("the same bytes again: %v, %v", duplicate, err)
	}
	w.consistent()
}

func TestReplacingWhatIsNotThere(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.library.Replace(t.Context(), assistants.DefaultTenant, assistants.NewDocumentID(), w.upload("a.md", "x"))
	if !errors.Is(err, assistants.ErrNotFound) {
		t.Errorf("error %v", err)
	}
	d := w.add("a.md", "x")
	_, _, err = w.library.Replace(t.Context(), "other", d.ID, w.upload("a.md", "y"))
	if !errors.Is(err, assistants.ErrNotFound) || len(w.keys()) != 1 {
		t.Errorf("another tenant: %v, blobs %q", err, w.keys())
	}
}

// A commit whose answer was lost has happened or has not; either way the
// upload's bytes and row agree.
func TestALostAnswerOfTheDatabaseIsLookedUp(t *testing.T) {
	w := newWorld(t)
	for _, committed := range []bool{true, false} {
		library := NewLibrary(lostAnswer{w.store, committed}, w.blobs, func() {})
		d, _, err := library.Add(t.Context(), w.upload("a.md", "Words."))
		switch {
		case committed && (err != nil || d.Status != assistants.StatusPending):
			t.Errorf("committed: %v, %v", d.Status, err)
		case committed:
			w.must(w.store.DeleteDocument(t.Context(), d.TenantID, d.ID))
			w.drain(w.worker)
		case !errors.Is(err, assistants.ErrUnavailable):
			t.Errorf("not committed: %v", err)
		}
		w.consistent()
	}
}

// A commit that got no answer may come through after the look-up: its bytes
// are kept.
func TestBytesOutliveTheLookUpForACommitThatIsUnderWay(t *testing.T) {
	w := newWorld(t)
	library := NewLibrary(&lateCommit{DocumentStore: w.store}, w.blobs, func() {})
	library.Now = w.clock
	if _, _, err := library.Add(t.Context(), w.upload("a.md", "Words.")); !errors.Is(err, assistants.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
	w.drain(w.worker)
	w.consistent()
	if keys := w.keys(); len(keys) != 1 {
		t.Errorf("blobs %q", keys)
	}
}

// lateCommit is a store whose commit comes through just after it was looked for.
type lateCommit struct {
	DocumentStore
	late assistants.Document
}

func (l *lateCommit) CreateDocument(_ context.Context, d assistants.Document) (assistants.Document, bool, error) {
	l.late = d
	return assistants.Document{}, false, assistants.ErrOutcomeUnknown
}

func (l *lateCommit) Document(ctx context.Context, tenant assistants.TenantID, id assistants.DocumentID) (assistants.Document, error) {
	d, err := l.DocumentStore.Document(ctx, tenant, id)
	if _, _, err := l.DocumentStore.CreateDocument(ctx, l.late); err != nil {
		return assistants.Document{}, err
	}
	return d, err
}

type lostAnswer struct {
	DocumentStore
	committed bool
}

func (l lostAnswer) CreateDocument(ctx context.Context, d assistants.Document) (assistants.Document, bool, error) {
	if l.committed {
		if _, _, err := l.DocumentStore.CreateDocument(ctx, d); err != nil {
			return assistants.Document{}, false, err
		}
	}
	return assistants.Document{}, false, assistants.ErrUnavailable
}

func TestNamesAreCleaned(t *testing.T) {
	long := strings.Repeat("ä", 300)
	for in, want := range map[string]string{
		"report.pdf":                      "report.pdf",
		"../../etc/passwd":                "passwd",
		`..\..\boot.ini`:                  "boot.ini",
		`C:\Users\me\Q3 report.pdf`:       "Q3 report.pdf",
		`\\server\share\x.md`:             "x.md",
		"/absolute/x.txt":                 "x.txt",
		"a/":                              "a",
		"%2e%2e%2fx":                      "%2e%2e%2fx",
		"．．／x":                            "．．／x",
		"CON":                             "CON",
		"":                                unnamed,
		".":                               unnamed,
		"..":                              unnamed,
		"/":                               unnamed,
		"\x00":                            unnamed,
		" \t\r\n":                         unnamed,
		"a\x00b\r\nc.txt":                 "abc.txt",
		"trailing dots... . ":             "trailing dots",
		"invoice\u202Efdp.exe":            "invoicefdp.exe",
		"zero\u200Bwidth\uFEFF.md":        "zerowidth.md",
		"family 👩\u200D👩\u200D👧.txt":      "family 👩\u200D👩\u200D👧.txt",
		"e\u0301te\u0301.txt":             "été.txt",
		"overlong\xc0\xaf.txt":            "overlong\uFFFD.txt",
		"line\u2028and\u2029paragraph.md": "lineandparagraph.md",
		long + ".pdf":                     strings.Repeat("ä", 251) + ".pdf",
		"x." + long:                       "x." + strings.Repeat("ä", 253),
		".gitignore":                      ".gitignore",
	} {
		got := CleanName(in)
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if err := assistants.CheckName("name", got); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func FuzzCleanNamesKeepTheRule(f *testing.F) {
	f.Add("../a\u202E.txt")
	f.Add(strings.Repeat("ä", 300) + ".pdf")
	f.Fuzz(func(t *testing.T, name string) {
		clean := CleanName(name)
		if err := assistants.CheckName("name", clean); err != nil || strings.ContainsAny(clean, `/\`) || CleanName(clean) != clean {
			t.Fatalf("%q: %q, %v", name, clean, err)
		}
	})
}

// The message says "Upload it again", so the same bytes come again.
func TestUploadingALostFileAgainBringsItBack(t *testing.T) {
	for name, lose := range map[string]func(w *world, file string){
		"missing":            func(w *world, file string) { w.must(os.Remove(file)) },
		"cut":                func(w *world, file string) { w.must(os.Truncate(file, 3)) },
		"missing, and found": func(w *world, file string) { w.must(os.Remove(file)); w.findings(true, true) },
		"damaged, and found": func(w *world, file string) {
			w.must(os.WriteFile(file, []byte("# Other\n\nbytes."), 0o600))
			w.findings(true, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			d := w.add("a.md", "# Some\n\nwords.")
			w.drain(w.worker)
			lose(w, w.file(d))
			again, duplicate, err := w.library.Add(t.Context(), w.upload("b.md", "# Some\n\nwords."))
			w.must(err)
			if again.ID != d.ID || !duplicate {
				t.Errorf("%+v, duplicate %v", again, duplicate)
			}
			w.drain(w.worker)
			if now := w.document(d.ID); now.Status != assistants.StatusReady {
				t.Errorf("the document is %s, %+v", now.Status, now.Cause)
			}
			if found, _ := w.findings(true, false); len(found) > 0 {
				t.Errorf("found %q", found)
			}
			w.consistent()
		})
	}
}

func TestALostFileOfANewerVersionComesBackToo(t *testing.T) {
	w := newWorld(t)
	d := w.add("a.md", "# Some\n\nwords.")
	w.drain(w.worker)
	_, _, err := w.library.Replace(t.Context(), d.TenantID, d.ID, w.upload("a.md", "# New\n\nwords."))
	w.must(err)
	v, err := w.store.Version(t.Context(), d.TenantID, d.ID, 2)
	w.must(err)
	w.must(w.blobs.Delete(t.Context(), v.BlobKey))
	w.drain(w.worker)
	if now := w.document(d.ID); now.Status != assistants.StatusFailed || now.Live != 1 {
		t.Fatalf("the document is %s, %+v", now.Status, now.Cause)
	}
	_, duplicate, err := w.library.Replace(t.Context(), d.TenantID, d.ID, w.upload("a.md", "# New\n\nwords."))
	w.must(err)
	w.drain(w.worker)
	if now := w.document(d.ID); !duplicate || now.Status != assistants.StatusReady || now.Live != 2 {
		t.Errorf("the document is %s, %+v, duplicate %v", now.Status, now.Cause, duplicate)
	}
	w.consistent()
}
