package embedded

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"footnote/assistants"
	"footnote/storage/vector/vectortest"
)

// writerPath names the variable that makes the test program a writer of the index
// in the file that it says.
const writerPath = "FOOTNOTE_TEST_INDEX_WRITER"

// The writer's documents: version n of a document has n%4+1 chunks, all of which
// say n, and vectors that point to n.
func versionOf(id string, n int) (points []assistants.Point, vectors [][]float32) {
	texts := make([]string, n%4+1)
	for i := range texts {
		texts[i] = fmt.Sprintf("apple mark%d", n)
	}
	for range texts {
		vectors = append(vectors, random(rand.New(rand.NewPCG(uint64(n), 0)), 1, here.Dimensions, 0)[0]) //nolint:gosec // repeatable on purpose
	}
	return vectortest.Points(id, n, texts...), vectors
}

// writeUntilKilled replaces documents for ever and prints a line for each that
// the index has promised to keep.
func writeUntilKilled(path string) {
	x, err := Open(path, Options{Log: slog.New(slog.DiscardHandler)})
	n := 0
	if err == nil {
		var have map[assistants.DocumentID]assistants.Indexed
		have, err = x.Versions(context.Background())
		for _, of := range have {
			n = max(n, of.Version)
		}
	}
	for err == nil {
		n++
		id := fmt.Sprint("d", n%3)
		points, vectors := versionOf(id, n)
		if err = x.Apply(context.Background(), vectortest.Doc("c1", id, ""), n, points); err != nil {
			break
		}
		fmt.Println("words", n)
		if err = x.ApplyVectors(context.Background(), assistants.DocumentID(id), n, here, vectors); err != nil {
			break
		}
		fmt.Println("vectors", n)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// What was acknowledged outlasts a kill at any time, and of what was not there is
// all or nothing.
func TestAKillAtAnyTimeLosesNothingAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	for round := range 6 {
		words, vectors := killWriter(t, path, 5+7*round)
		x := open(t, path)
		have, err := x.Versions(t.Context())
		if err != nil || x.Recreated() {
			t.Fatalf("recreated %v, %v", x.Recreated(), err)
		}
		newest := assistants.Indexed{}
		for _, of := range have {
			if of.Version > newest.Version {
				newest = of
			}
		}
		if newest.Version < words || newest.Version > words+1 || newest.Version == vectors && len(newest.Spaces) == 0 {
			t.Fatalf("words of %d and vectors of %d were acknowledged, the newest is %+v", words, vectors, newest)
		}
		for id, of := range have {
			q := vectortest.Ask(fmt.Sprint("mark", of.Version), "c1")
			_, of1 := versionOf(string(id), of.Version)
			q.Vector, q.Space, q.TextWeight = of1[0], here, 0.5
			q.Documents = []assistants.DocumentID{id}
			found, err := x.Search(t.Context(), q)
			if err != nil || len(found.Matches) != of.Version%4+1 {
				t.Fatalf("version %d has chunks %+v, %v", of.Version, found.Matches, err)
			}
			for _, m := range found.Matches {
				if m.Version != of.Version || len(of.Spaces) > 0 && m.Cosine < 0.999 || m.TextScore == 0 {
					t.Fatalf("version %d has the chunk %+v", of.Version, m)
				}
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killWriter lets a writer acknowledge some lines and kills it. It returns the
// newest version whose words, and whose vectors, were acknowledged.
func killWriter(t *testing.T, path string, lines int) (words, vectors int) {
	t.Helper()
	writer := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // it is this program
	writer.Env = append(os.Environ(), writerPath+"="+path)
	writer.Stderr = os.Stderr
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	from := bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == lines {
			if err := writer.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		var what string
		var version int
		if _, err := fmt.Fscanln(from, &what, &version); err != nil {
			if n < lines {
				t.Errorf("the writer ended after %d lines: %v", n, err)
			}
			break
		}
		if what == "words" {
			words = version
		} else {
			vectors = version
		}
	}
	if _, err := io.Copy(io.Discard, from); err != nil {
		t.Fatal(err)
	}
	if err := writer.Wait(); err == nil {
		t.Error("the writer was not killed")
	}
	return words, vectors
}
