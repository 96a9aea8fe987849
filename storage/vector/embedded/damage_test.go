package embedded

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector/vectortest"
)

var here = assistants.Space{Model: "m", Dimensions: 24}

// A source is what an index can be built anew from.
type source struct {
	documents []assistants.Document
	points    [][]assistants.Point
	vectors   [][][]float32
}

func newSource(documents int) source {
	rng := rand.New(rand.NewPCG(11, 11)) //nolint:gosec // repeatable on purpose
	z := newZipf()
	var s source
	for n := range documents {
		id := fmt.Sprintf("d%02d", n)
		texts := make([]string, 1+rng.IntN(8))
		for i := range texts {
			texts[i] = z.text(20 + rng.IntN(60))
		}
		s.documents = append(s.documents, vectortest.Doc(fmt.Sprint("c", n%3), id, "Notes.md"))
		s.points = append(s.points, vectortest.Points(id, 1, texts...))
		s.vectors = append(s.vectors, random(rng, len(texts), here.Dimensions, 2))
	}
	return s
}

// reconcile does what the room of ingestion does: it brings what is missing.
func (s source) reconcile(t *testing.T, x *Index) {
	t.Helper()
	ctx := context.Background()
	have, err := x.Versions(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range s.documents {
		of := have[d.ID]
		delete(have, d.ID)
		if of.Version != 1 {
			if err := x.Apply(ctx, d, 1, s.points[i]); err != nil {
				t.Fatal(err)
			}
			of.Spaces = nil
		}
		if len(of.Spaces) == 0 {
			if err := x.ApplyVectors(ctx, d.ID, 1, here, s.vectors[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(have) > 0 {
		t.Fatalf("documents that nobody applied: %v", have)
	}
}

// answers asks in every way.
func answers(t *testing.T, x *Index) [][]assistants.Match {
	t.Helper()
	rng := rand.New(rand.NewPCG(12, 12)) //nolint:gosec // repeatable on purpose
	var out [][]assistants.Match
	for n := range 12 {
		q := vectortest.Ask(fmt.Sprintf("word%d word%d word%d", n, 3*n, 40*n), "c0", "c1", "c2")
		q.Limit, q.Space, q.TextWeight = 20, here, 0.5
		if n%3 > 0 {
			q.Vector = random(rng, 1, here.Dimensions, 0)[0]
		}
		if n%3 == 1 {
			q.Terms = nil
		}
		found, err := x.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found.Matches)
	}
	return out
}

// Whatever happens to the file, wherever: the index opens, what it then says it
// has is right, and with what it says it lacks it is as before.
func TestAnyDamageIsNoticedAndMended(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "index.db")
	s := newSource(36)
	x := open(t, path)
	s.reconcile(t, x)
	for i := range 20 { // leaves free pages behind
		d := vectortest.Doc("c0", fmt.Sprint("gone", i), "")
		if err := x.Apply(t.Context(), d, 1, s.points[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		if err := x.Remove(t.Context(), assistants.DocumentID(fmt.Sprint("gone", i))); err != nil {
			t.Fatal(err)
		}
	}
	want := answers(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(13, 13)) //nolint:gosec // repeatable on purpose
	const page = 4096
	kinds := []struct {
		name   string
		damage func(b []byte, at int) []byte
	}{
		{"a byte", func(b []byte, at int) []byte { b[at+rng.IntN(page)] ^= byte(1 + rng.IntN(255)); return b }},
		{"the page's head", func(b []byte, at int) []byte {
			for i := range 16 {
				b[at+i] = byte(rng.Uint32())
			}
			return b
		}},
		{"the page", func(b []byte, at int) []byte { clear(b[at : at+page]); return b }},
		{"another's page", func(b []byte, at int) []byte {
			copy(b[at:at+page], whole[rng.IntN(len(whole)/page)*page:])
			return b
		}},
		{"the end", func(b []byte, at int) []byte { return b[:at+rng.IntN(page)] }},
	}
	noticed, tried := 0, 0
	for at := 0; at < len(whole); at += page {
		for n := range 2 { // all kinds would take long, and are had on other pages
			kind := kinds[(at/page+2*n)%len(kinds)]
			damaged := filepath.Join(dir, "damaged.db")
			if err := os.WriteFile(damaged, kind.damage(append([]byte(nil), whole...), at), 0o600); err != nil {
				t.Fatal(err)
			}
			if mendsItself(t, fmt.Sprintf("%s at %d", kind.name, at), s, damaged, want) {
				noticed++
			}
			tried++
		}
	}
	t.Logf("%d kinds of damage, %d noticed when opened", tried, noticed)
	if len(whole)/page < 30 || noticed < tried/2 {
		t.Errorf("%d of %d noticed in %d pages: too few to mean something", noticed, tried, len(whole)/page)
	}
}

// mendsItself opens a damaged file and reports whether something was missing.
func mendsItself(t *testing.T, what string, s source, path string, want [][]assistants.Match) bool {
	t.Helper()
	x := open(t, path)
	have, err := x.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	noticed := x.Recreated() || len(have) < len(s.documents)
	for _, of := range have {
		noticed = noticed || len(of.Spaces) == 0
	}
	s.reconcile(t, x)
	if got := answers(t, x); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: after the damage was mended the answers are others", what)
	}
	// What nobody reads shows when it is written to.
	extra := vectortest.Doc("c9", "extra", "")
	if err := x.Apply(t.Context(), extra, 1, s.points[0]); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i, d := range s.documents {
		if err := x.Apply(t.Context(), d, 1, s.points[i]); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if err := x.Remove(t.Context(), "extra"); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	s.reconcile(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open(t, path)
	if have, err := x.Versions(t.Context()); err != nil || len(have) != len(s.documents) {
		t.Fatalf("%s: %d documents after a restart, %v", what, len(have), err)
	}
	if got := answers(t, x); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: after a restart the answers are others", what)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return noticed
}

func TestADamagedRowOfVectorsCostsTheseOnly(t *testing.T) {
	for _, statement := range []string{
		"UPDATE vectors SET vectors = zeroblob(length(vectors)) WHERE document = 'd07'",
		"UPDATE vectors SET vectors = substr(vectors, 1, 96) WHERE document = 'd07'",
		"UPDATE vectors SET dimensions = 12 WHERE document = 'd07'",
		"UPDATE vectors SET dimensions = 0 WHERE document = 'd07'",
		"UPDATE vectors SET model = 'other' WHERE document = 'd07'",
		"UPDATE vectors SET version = 2 WHERE document = 'd07'",
		"UPDATE vectors SET document = 'd08' WHERE document = 'd07'",
		"UPDATE vectors SET key = 7 WHERE document = 'd07'",
		"DELETE FROM vectors WHERE document = 'd07'",
	} {
		path := filepath.Join(t.TempDir(), "index.db")
		s := newSource(12)
		x := open(t, path)
		s.reconcile(t, x)
		want := answers(t, x)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		execute(t, path, statement)
		x = open(t, path)
		have, err := x.Versions(t.Context())
		if err != nil || len(have) != 12 || len(have["d07"].Spaces) != 0 || len(have["d08"].Spaces) != 1 || x.Recreated() {
			t.Errorf("%s: %v, %v", statement, have, err)
		}
		s.reconcile(t, x)
		if got := answers(t, x); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the answers are others", statement)
		}
		if _, damage, err := Inspect(t.Context(), path); err != nil || len(damage) > 0 {
			t.Errorf("%s: %q, %v", statement, damage, err)
		}
	}
}

// A file that is damaged while it is open is written anew from memory, while
// searches go on and find what they found before.
func TestAFileDamagedWhileInUseIsWrittenAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	s := newSource(20)
	x := open(t, path)
	s.reconcile(t, x)
	if err := x.Apply(t.Context(), vectortest.Doc("c5", "empty", ""), 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := x.ApplyVectors(t.Context(), "empty", 1, here, nil); err != nil {
		t.Fatal(err)
	}
	want := answers(t, x)
	before, err := x.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// As after the loss of a page that says what tables there are.
	if err := inTx(t.Context(), x.db, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DROP TABLE vectors")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	q := vectortest.Ask("word1", "c0")
	q.Vector, q.Space, q.TextWeight = s.vectors[3][0], here, 0.5
	first, err := x.Search(t.Context(), q)
	if err != nil || len(first.Matches) == 0 {
		t.Fatal(len(first.Matches), err)
	}
	same := first.Matches
	done, asked := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-done:
				asked <- nil
				return
			default:
			}
			found, err := x.Search(context.Background(), q)
			if err == nil && !reflect.DeepEqual(found.Matches, same) {
				err = fmt.Errorf("%d matches while the file is written anew, %d before", len(found.Matches), len(same))
			}
			if err != nil {
				asked <- err
				return
			}
		}
	}()
	if err := x.ApplyVectors(t.Context(), "d03", 1, here, s.vectors[3]); err != nil {
		t.Error(err)
	}
	close(done)
	if err := <-asked; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + ".damaged"); err != nil {
		t.Error(err)
	}
	for range 2 {
		after, err := x.Versions(t.Context())
		if err != nil || !reflect.DeepEqual(after, before) || !reflect.DeepEqual(answers(t, x), want) {
			t.Errorf("the index is another: %v, %v", after, err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x = open(t, path)
	}
}
