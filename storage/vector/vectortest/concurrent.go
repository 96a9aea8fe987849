package vectortest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"footnote/assistants"
)

// seesWholeVersions replaces a document over and over while others search it.
// Every version has as many chunks as its number says and marks all of them, so
// that a mixture of two would show.
func seesWholeVersions(t *testing.T, x Index) {
	ctx := context.Background()
	apply := func(version int) error {
		texts := make([]string, version%5+1)
		for i := range texts {
			texts[i] = strings.Repeat("filler ", i) + fmt.Sprintf("apple mark%d", version)
		}
		return x.Apply(ctx, Doc("c1", "d1", ""), version, Points("d1", version, texts...))
	}
	must(t, apply(1))
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				got, err := x.SearchText(ctx, Ask("apple", "c1"))
				if err != nil {
					t.Error(err)
					return
				}
				if len(got) == 0 || len(got) != got[0].Version%5+1 {
					t.Errorf("%d chunks of version %+v", len(got), got)
					return
				}
				for _, m := range got {
					if m.Version != got[0].Version {
						t.Errorf("versions %d and %d in one answer", got[0].Version, m.Version)
						return
					}
				}
			}
		})
	}
	// Writers beside each other, too: each has a document of its own.
	for w := range 2 {
		wg.Go(func() {
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
	close(done)
	wg.Wait()
	versions(t, x, map[assistants.DocumentID]int{"d1": 80, "beside0": 40, "beside1": 40})
}
