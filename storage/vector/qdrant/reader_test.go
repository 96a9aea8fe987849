package qdrant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"footnote/assistants"
	"footnote/storage/vector/qdranttest"
	"footnote/storage/vector/vectortest"
)

// unit are vectors of length 1 that all differ.
func unit(n, dimensions int) [][]float32 {
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, dimensions)
		out[i][i%dimensions] = 1
	}
	return out
}

func openReader(t *testing.T, s *qdranttest.Server, installation string) *Reader {
	t.Helper()
	r, err := OpenReader(t.Context(), Options{Host: s.Host, Port: s.Port, Prefix: defaultPrefix, Installation: installation, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestAReaderReturnsVectorsAsTheyWereApplied(t *testing.T) {
	ctx, s, space := t.Context(), qdranttest.New(t), assistants.Space{Model: "m", Dimensions: 512}
	if got, err := openReader(t, s, "it").Vectors(ctx, "d", 1, space); got != nil || err != nil {
		t.Errorf("of an empty server: %v %v", got, err)
	}
	x := openAs(t, s, "it", nil)
	texts := make([]string, 450) // more than one page
	for i := range texts {
		texts[i] = fmt.Sprintf("passage %d", i)
	}
	d, want := vectortest.Doc("c", "d", "a.md"), unit(len(texts), space.Dimensions)
	if err := x.ApplyEmbedded(ctx, d, 3, vectortest.Points("d", 3, texts...), space, want); err != nil {
		t.Fatal(err)
	}
	applied(t, x, "c", "wordless", "one")
	r := openReader(t, s, "it")
	if got, err := r.Vectors(ctx, d.ID, 3, space); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d vectors, %v", len(got), err)
	}
	for id, version := range map[assistants.DocumentID]int{d.ID: 2, "wordless": 1, "absent": 1} {
		if got, err := r.Vectors(ctx, id, version, space); got != nil || err != nil {
			t.Errorf("%s, version %d: %v %v", id, version, got, err)
		}
	}
	one := true
	s.Lose(x.spaceCollection(space), func(map[string]*qdrant.Value) bool { lose := one; one = false; return lose })
	if got, err := r.Vectors(ctx, d.ID, 3, space); got != nil || err != nil {
		t.Errorf("one was lost: %d vectors, %v", len(got), err)
	}
	s.Before(func(context.Context, string) error { return status.Error(codes.Internal, "power cut") })
	if _, err := r.Vectors(ctx, d.ID, 3, space); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
	if _, err := OpenReader(ctx, Options{Host: s.Host, Port: s.Port}); !errors.Is(err, assistants.ErrUnavailable) {
		t.Error(err)
	}
	s.Before(nil)
	if _, err := OpenReader(ctx, Options{Host: s.Host, Port: s.Port, Installation: "another"}); !errors.Is(err, assistants.ErrConflict) {
		t.Errorf("another's: %v", err)
	}
}
