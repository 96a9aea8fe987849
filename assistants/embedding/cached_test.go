package embedding

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"footnote/assistants"
)

// A scripted maker makes vectors that tell their text, and counts what it made.
type scripted struct {
	mu       sync.Mutex
	space    assistants.Space
	queries  int
	batches  [][]string
	fail     error                         // of what it makes from now on
	failFrom int                           // of which batch on; 0: the first
	bend     func([][]float32) [][]float32 // changes what it made
}

func newScripted() *scripted {
	return &scripted{space: assistants.Space{Model: "scripted", Dimensions: 8}}
}

func (s *scripted) vector(text string) []float32 {
	v := make([]float32, s.space.Dimensions)
	for i, b := range []byte(s.space.Model + text + "!") {
		v[(i+int(b))%len(v)] += float32(b)
	}
	unit(v)
	return v
}

func (s *scripted) Space(context.Context) (assistants.Space, error) {
	if s.space.IsZero() {
		return s.space, assistants.ErrUnavailable
	}
	return s.space, nil
}

func (s *scripted) EmbedQuery(_ context.Context, text string) (assistants.QueryVector, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queries++
	if s.fail != nil {
		return assistants.QueryVector{}, s.fail
	}
	vectors := [][]float32{s.vector(text)}
	if s.bend != nil {
		vectors = s.bend(vectors)
	}
	return assistants.QueryVector{Vector: vectors[0], Space: s.space, Trust: 0.5}, nil
}

func (s *scripted) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, slices.Clone(texts))
	if s.fail != nil && len(s.batches) > s.failFrom {
		return nil, s.fail
	}
	var vectors [][]float32
	for _, text := range texts {
		vectors = append(vectors, s.vector(text))
	}
	if s.bend != nil {
		vectors = s.bend(vectors)
	}
	return vectors, nil
}

func (s *scripted) Status() assistants.EmbedderStatus {
	return assistants.EmbedderStatus{State: assistants.EmbedderReady, Space: s.space}
}

// made is how many passages it made since it was asked last.
func (s *scripted) made() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, b := range s.batches {
		n += len(b)
	}
	s.batches = nil
	return n
}

func cached(t testing.TB, m Maker, o Options) *Cached {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := NewCached(m, o)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "cache", "embeddings.db") }

// embed embeds passages and checks that they are those of the texts.
func embed(t testing.TB, c *Cached, m *scripted, texts ...string) {
	t.Helper()
	vectors, err := c.EmbedPassages(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if !slices.Equal(vectors[i], m.vector(text)) {
			t.Fatalf("the vector of %q is that of another text", text)
		}
	}
}

func many(n int, prefix string) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("%s %d", prefix, i)
	}
	return texts
}

func TestPassagesAreMadeOnceEvenAcrossProcesses(t *testing.T) {
	path, m := file(t), newScripted()
	texts := many(1200, "passage")
	first := NewCached(m, Options{Path: path, Log: slog.New(slog.DiscardHandler)})
	embed(t, first, m, texts...)
	if n := m.made(); n != 1200 {
		t.Errorf("%d made at first", n)
	}
	embed(t, first, m, texts...)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := cached(t, m, Options{Path: path})
	embed(t, second, m, append(texts, "new")...)
	if n := m.made(); n != 1 {
		t.Errorf("%d made again", n)
	}
}

func TestWhatAKilledProcessMadeIsKept(t *testing.T) {
	path, m := file(t), newScripted()
	killed := cached(t, m, Options{Path: path, Batch: 4}) // and not closed before the next opens
	embed(t, killed, m, many(10, "p")...)
	m.made()
	next := cached(t, m, Options{Path: path})
	embed(t, next, m, many(10, "p")...)
	if n := m.made(); n != 0 {
		t.Errorf("%d made again", n)
	}
}

func TestBatchesBeforeAFailureAreKept(t *testing.T) {
	m := newScripted()
	c := cached(t, m, Options{Path: file(t), Batch: 5})
	m.fail, m.failFrom = errors.New("the server is away"), 2
	if _, err := c.EmbedPassages(context.Background(), many(20, "p")); !errors.Is(err, m.fail) {
		t.Fatalf("error %v", err)
	}
	m.made()
	m.fail = nil
	embed(t, c, m, many(20, "p")...)
	if n := m.made(); n != 10 {
		t.Errorf("%d made, want the 10 that failed", n)
	}
}

func TestATextThatOccursTwiceIsMadeOnce(t *testing.T) {
	m := newScripted()
	c := cached(t, m, Options{})
	embed(t, c, m, "a", "b", "a", "a", "c", "b")
	if n := m.made(); n != 3 {
		t.Errorf("%d made", n)
	}
	embed(t, c, m) // none
	if n := m.made(); n != 0 {
		t.Errorf("%d made of none", n)
	}
}

func TestAnotherModelOrLengthIsAnotherVector(t *testing.T) {
	path := file(t)
	for _, step := range []struct {
		space assistants.Space
		made  int
	}{
		{assistants.Space{Model: "a", Dimensions: 8}, 1}, {assistants.Space{Model: "b", Dimensions: 8}, 1},
		{assistants.Space{Model: "a", Dimensions: 16}, 1}, {assistants.Space{Model: "a", Dimensions: 8}, 0},
	} {
		m := newScripted()
		m.space = step.space
		c := NewCached(m, Options{Path: path})
		embed(t, c, m, "text")
		if n := m.made(); n != step.made {
			t.Errorf("%v: %d made, want %d", step.space, n, step.made)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKeysNeverRunTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type input struct {
			space assistants.Space
			text  string
		}
		draw := func(name string) input {
			return input{assistants.Space{
				Model: rapid.StringMatching(`[ab0-9:\x00]{0,3}`).Draw(t, name), Dimensions: rapid.IntRange(1, 120).Draw(t, name),
			}, rapid.StringMatching(`[0-9:\x00]{0,4}`).Draw(t, name)}
		}
		a, b := draw("a"), draw("b")
		if (keyOf(a.space, a.text) == keyOf(b.space, b.text)) != (a == b) {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}

func TestQuestionsAreRememberedByModelAndText(t *testing.T) {
	m := newScripted()
	c := cached(t, m, Options{})
	ctx := context.Background()
	for range 3 {
		q, err := c.EmbedQuery(ctx, "what?")
		if err != nil || !slices.Equal(q.Vector, m.vector("what?")) || q.Space != m.space || q.Trust != 0.5 {
			t.Fatalf("%+v, %v", q, err)
		}
	}
	m.space.Model = "another"
	if q, err := c.EmbedQuery(ctx, "what?"); err != nil || !slices.Equal(q.Vector, m.vector("what?")) {
		t.Errorf("of the other model: %v", err)
	}
	if m.queries != 2 {
		t.Errorf("asked %d times", m.queries)
	}
	m.fail = errors.New("away")
	if _, err := c.EmbedQuery(ctx, "new?"); !errors.Is(err, m.fail) {
		t.Errorf("error %v", err)
	}
	m.fail = nil
	if _, err := c.EmbedQuery(ctx, "new?"); err != nil {
		t.Errorf("a failure was remembered: %v", err)
	}
}

func TestMemoryForQuestionsIsBoundedAndTheLastUsedStay(t *testing.T) {
	vector := assistants.QueryVector{Vector: make([]float32, 8)}
	one := (&rememberedQuery{queryKey{text: "00"}, vector}).bytes()
	c := newQueryCache(10 * one)
	key := func(i int) queryKey { return queryKey{text: fmt.Sprintf("%02d", i)} }
	for i := range 50 {
		c.put(key(i), vector)
		if _, ok := c.get(key(0)); !ok {
			t.Fatal("what is used all the time was forgotten")
		}
	}
	if c.size != 10*one || c.order.Len() != 10 || len(c.byKey) != 10 {
		t.Errorf("%d bytes, %d questions, %d keys", c.size, c.order.Len(), len(c.byKey))
	}
	if _, ok := c.get(key(49)); !ok {
		t.Error("the newest was forgotten")
	}
	c.put(key(49), vector)
	c.put(queryKey{text: strings.Repeat("x", 10*one)}, vector) // too long to be remembered
	if c.size != 10*one || c.order.Len() != 10 {
		t.Errorf("%d bytes, %d questions", c.size, c.order.Len())
	}
}

func TestVectorsOfNoUseAreRefusedAndNotKept(t *testing.T) {
	for name, bend := range map[string]func([][]float32) [][]float32{
		"fewer than texts": func(v [][]float32) [][]float32 { return v[1:] },
		"more than texts":  func(v [][]float32) [][]float32 { return append(v, v[0]) },
		"short":            func(v [][]float32) [][]float32 { v[1] = v[1][1:]; return v },
		"zero":             func(v [][]float32) [][]float32 { v[1] = make([]float32, 8); return v },
		"not of length 1":  func(v [][]float32) [][]float32 { v[1] = slices.Repeat([]float32{1}, 8); return v },
		"NaN":              func(v [][]float32) [][]float32 { v[1][3] = float32(math.NaN()); return v },
		"infinite":         func(v [][]float32) [][]float32 { v[1][3] = float32(math.Inf(1)); return v },
	} {
		m := newScripted()
		c := cached(t, m, Options{Path: file(t)})
		m.bend = bend
		vectors, err := c.EmbedPassages(context.Background(), []string{"a", "b"})
		if !errors.Is(err, errVectors) || !errors.Is(err, assistants.ErrUnavailable) {
			t.Errorf("%s: %v, %v", name, vectors, err)
		}
		m.bend = nil
		m.made()
		embed(t, c, m, "a", "b")
		if n := m.made(); n != 2 {
			t.Errorf("%s: %d made again", name, n)
		}
	}
	m := newScripted()
	c := cached(t, m, Options{})
	m.bend = func(v [][]float32) [][]float32 { v[0][0] = float32(math.NaN()); return v }
	if _, err := c.EmbedQuery(context.Background(), "what?"); !errors.Is(err, errVectors) {
		t.Errorf("a question: %v", err)
	}
}

func TestWithoutASpaceNothingIsAsked(t *testing.T) {
	m := newScripted()
	m.space = assistants.Space{}
	c := cached(t, m, Options{})
	if _, err := c.EmbedQuery(context.Background(), "what?"); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
	if _, err := c.EmbedPassages(context.Background(), []string{"a"}); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
	if m.queries != 0 || m.made() != 0 {
		t.Error("it was asked")
	}
}

func TestADamagedFileGivesWayToANewOne(t *testing.T) {
	texts := many(300, "passage")
	for name, damage := range map[string]func(t *testing.T, path string){
		"no database":    func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("nothing of the kind ", 500))) },
		"cut":            func(t *testing.T, path string) { truncate(t, path, 20000) },
		"an empty file":  func(t *testing.T, path string) { truncate(t, path, 0) },
		"another format": func(t *testing.T, path string) { execute(t, path, "PRAGMA user_version = 99") },
		"another table":  func(t *testing.T, path string) { execute(t, path, "DROP TABLE vectors") },
		"pages of zeros": func(t *testing.T, path string) { overwrite(t, path, 4096, make([]byte, 40*4096)) },
		"other vectors": func(t *testing.T, path string) {
			execute(t, path, "UPDATE vectors SET data = (SELECT data FROM vectors LIMIT 1)")
		},
		"short vectors": func(t *testing.T, path string) { execute(t, path, "UPDATE vectors SET data = x'0102'") },
	} {
		t.Run(name, func(t *testing.T) {
			path, m := file(t), newScripted()
			c := NewCached(m, Options{Path: path})
			embed(t, c, m, texts...)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			damage(t, path)
			c = cached(t, m, Options{Path: path})
			m.made()
			embed(t, c, m, texts...)
			if n := m.made(); n < 290 {
				t.Errorf("%d made again of what was lost", n)
			}
			embed(t, c, m, texts...)
			if n := m.made(); n != 0 {
				t.Errorf("%d were not kept in the new file", n)
			}
		})
	}
}

func TestAFileThatIsDamagedInUseGivesWay(t *testing.T) {
	path, m := file(t), newScripted()
	c := cached(t, m, Options{Path: path})
	embed(t, c, m, many(50, "p")...)
	execute(t, path, "DROP TABLE vectors")
	embed(t, c, m, many(50, "p")...)
	m.made()
	embed(t, c, m, many(50, "p")...)
	if n := m.made(); n != 0 {
		t.Errorf("%d were not kept in the new file", n)
	}
}

func truncate(t testing.TB, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t testing.TB, path string, at int64, content []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(content, at)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func execute(t testing.TB, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err == nil {
		_, err = db.Exec(statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatCannotBeUsedIsDoneWithout(t *testing.T) {
	m := newScripted()
	blocked := filepath.Join(t.TempDir(), "embeddings.db")
	if err := os.MkdirAll(filepath.Join(blocked, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	c := cached(t, m, Options{Path: blocked, Log: slog.New(slog.NewTextHandler(&said, nil))})
	embed(t, c, m, "a")
	embed(t, c, m, "a")
	if n := m.made(); n != 2 {
		t.Errorf("%d made", n)
	}
	if !strings.Contains(said.String(), "file of kept vectors") {
		t.Errorf("the log says %q", said.String())
	}
}

func TestTheFileIsBoundedAndLetsGoOfWhatIsNotUsed(t *testing.T) {
	m := newScripted()
	m.space.Dimensions = 512
	const limit = 2 << 20 // some 500 vectors
	path := file(t)
	c := cached(t, m, Options{Path: path, MaxBytes: limit, Batch: 50})
	day := time.Now()
	c.passages.now = func() time.Time { return day }
	embed(t, c, m, many(100, "kept")...)
	for i := range 20 {
		day = day.Add(48 * time.Hour)
		embed(t, c, m, many(100, fmt.Sprint("round ", i))...)
		m.made()
		embed(t, c, m, many(100, "kept")...)
		if n := m.made(); n != 0 {
			t.Fatalf("round %d: %d of those in use were let go", i, n)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > limit*5/4 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	var rows int
	if err := c.passages.db.QueryRow("SELECT count(*) FROM vectors").Scan(&rows); err != nil || rows < 200 {
		t.Errorf("%d vectors are kept, %v", rows, err)
	}
}

func TestManyUseTheMemoryAtOnce(t *testing.T) {
	m := newScripted()
	c := cached(t, m, Options{Path: file(t), MaxBytes: 200 << 10, MaxQueryBytes: 8 << 10})
	var g sync.WaitGroup
	for worker := range 8 {
		g.Go(func() {
			for i := range 30 {
				text := fmt.Sprint("text ", (worker*7+i)%40)
				q, err := c.EmbedQuery(context.Background(), text)
				if err != nil || !slices.Equal(q.Vector, m.vector(text)) {
					t.Errorf("%q: %v", text, err)
				}
				embed(t, c, m, text, text+"!")
			}
		})
	}
	g.Wait()
}

func TestACancelledCallLosesNoVectors(t *testing.T) {
	m := newScripted()
	c := cached(t, m, Options{Path: file(t)})
	embed(t, c, m, "a", "b")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if vectors, err := c.EmbedPassages(ctx, []string{"a", "b"}); err == nil && len(vectors) != 2 { // the maker may still answer
		t.Errorf("%v", vectors)
	}
	m.made()
	embed(t, c, m, "a", "b")
	if n := m.made(); n != 0 {
		t.Errorf("%d made again", n)
	}
}
