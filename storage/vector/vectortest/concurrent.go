package vectortest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
)

// seesWholeVersions replaces a document and its vectors over and over while
// others search it.
// Every version has as many chunks as its number says and marks all of them, so
// that a mixture of two would show.
func seesWholeVersions(t *testing.T, x Index) {
	ctx := context.Background()
	apply := func(version int) error {
		texts := make([]string, version%5+1)
		for i := range texts {
			texts[i] = strings.Repeat("filler ", i) + fmt.Sprintf("apple mark%d", version)
		}
		if err := x.Apply(ctx, Doc("c1", "d1", ""), version, Points("d1", version, texts...)); err != nil {
			return err
		}
		vectors := make([][]float32, len(texts))
		for i := range vectors {
			vectors[i] = unitVector(version, i, 1)
		}
		return x.ApplyVectors(ctx, "d1", version, small, vectors)
	}
	must(t, apply(1))
	ask := func() bool {
		found, err := x.Search(ctx, withVector(Ask("apple", "c1"), small, unitVector(1, 1, 1)))
		got := found.Matches
		if err != nil || len(got) == 0 || len(got) != got[0].Version%5+1 {
			t.Errorf("%d chunks of version %+v, %v", len(got), got, err)
			return false
		}
		mixed := func(m assistants.Match) bool {
			return m.Version != got[0].Version || (m.Cosine == 0) != (got[0].Cosine == 0)
		}
		if slices.ContainsFunc(got, mixed) {
			t.Errorf("versions, or vectors and none, are mixed: %+v", got)
			return false
		}
		return true
	}
	defer meanwhile(4, ask)()
	// Concurrent writers as well: each has a document of its own.
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() {
			id := fmt.Sprintf("beside%d", w)
			for version := 1; version <= 40; version++ {
				if err := x.Apply(ctx, Doc("c2", id, ""), version, Points(id, version, "apple")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for version := 2; version <= 80; version++ {
		must(t, apply(version))
	}
	writers.Wait()
	indexed(t, x, map[assistants.DocumentID]assistants.Indexed{
		"d1": {Version: 80, Spaces: []assistants.Space{small}}, "beside0": {Version: 40}, "beside1": {Version: 40},
	})
}

// seesVectorsAllTheTime replaces a document with its vectors over and over while
// others search for its meaning. Every search must find exactly one version.
func seesVectorsAllTheTime(t *testing.T, x Index) {
	ctx := context.Background()
	apply := func(version int) {
		texts := make([]string, version%5+1)
		vectors := make([][]float32, len(texts))
		for i := range texts {
			texts[i], vectors[i] = "apple", unitVector(version, i, 1)
		}
		must(t, x.ApplyEmbedded(ctx, Doc("c1", "d1", ""), version, Points("d1", version, texts...), small, vectors))
	}
	apply(1)
	defer meanwhile(2, func() bool {
		found, err := x.Search(ctx, withVector(Ask("", "c1"), small, unitVector(1, 1, 1)))
		if err != nil || len(found.Matches) == 0 || len(found.Matches) != found.Matches[0].Version%5+1 {
			t.Errorf("%+v, %v", found.Matches, err)
			return false
		}
		return true
	})()
	for version := 2; version <= 60; version++ {
		apply(version)
	}
}

// writesWhole writes the same document in several goroutines, which also remove it
// and drop its vectors. In the end, the document of the last write is complete.
func writesWhole(t *testing.T, x Index) {
	ctx := context.Background()
	chunks := func(version int) int { return 1 + version%3 }
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for n := range 12 {
				version := 1 + 4*n + w
				texts := make([]string, chunks(version))
				vectors := make([][]float32, len(texts))
				for i := range texts {
					texts[i], vectors[i] = "apple", unitVector(version, i, 1)
				}
				if err := x.Apply(ctx, Doc("c1", "d1", ""), version, Points("d1", version, texts...)); err != nil {
					t.Error(err)
				}
				if err := x.ApplyVectors(ctx, "d1", version, small, vectors); err != nil && !errors.Is(err, assistants.ErrConflict) {
					t.Error(err)
				}
				if n%5 == 2 {
					if err := x.Remove(ctx, "d1"); err != nil {
						t.Error(err)
					}
				}
				if n%5 == 3 {
					if err := x.DropVectors(ctx, "c1", small); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	have, err := x.Versions(ctx)
	must(t, err)
	got := find(t, x, withVector(Ask("apple", "c1"), small, unitVector(1, 1, 1)))
	if len(have) != 1 || len(got) != chunks(have["d1"].Version) {
		t.Fatalf("%d chunks of %+v", len(got), have)
	}
	for _, m := range got {
		if m.Version != have["d1"].Version || (m.Cosine != 0) != (len(have["d1"].Spaces) == 1) {
			t.Errorf("%+v of %+v", m, have)
		}
	}
}

// meanwhile calls ask over and over in n goroutines. Each stops when ask returns
// false or when end is called.
func meanwhile(n int, ask func() (ok bool)) (end func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for ask() {
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	return func() {
		close(done)
		wg.Wait()
	}
}
