package ingestion

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/storage/blob"
	"footnote/storage/db"
	"footnote/storage/vector/embedded"
)

// doomedDir is the environment variable that makes a test process live until
// it is killed.
const doomedDir = "FOOTNOTE_TEST_DOOMED_DIR"

// liveUntilKilled is a server in small: it takes uploads in, says so on its
// output once they are acknowledged, and works on them at the same time.
func liveUntilKilled(dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	ctx := context.Background()
	store, err := db.Open(ctx, "sqlite:"+filepath.Join(dir, "footnote.db"), db.Options{})
	fail(err)
	blobs, err := blob.OpenDisk(filepath.Join(dir, "blobs"))
	fail(err)
	index, err := embedded.Open(filepath.Join(dir, "index"), embedded.Options{Log: quiet})
	fail(err)
	worker := NewWorker(WorkerConfig{Log: quiet, Embedder: newTestEmbedder("one")}, store, blobs, index, inProcess{})
	library := NewLibrary(store, blobs, worker.Notify)
	go func() { fail(worker.Run(ctx)) }()
	for i := 0; ; i++ {
		content := fmt.Sprintf("# Document %d of process %d\n\n%s", i, os.Getpid(), strings.Repeat("Some words that are cut into chunks. ", 400))
		d, _, err := library.Add(ctx, Upload{
			Tenant: assistants.DefaultTenant, Collection: assistants.CollectionID(os.Getenv(doomedDir + "_COLLECTION")),
			Name: fmt.Sprintf("%d.md", i), Content: strings.NewReader(content),
		})
		fail(err)
		fmt.Println(d.ID, d.Version.SHA256)
	}
}

func TestWhatWasAcknowledgedSurvivesKill(t *testing.T) {
	w, e := newEmbeddingWorld(t)
	acknowledged := map[assistants.DocumentID]string{}
	for round := range 4 {
		w.close()
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), doomedDir+"="+w.dir, doomedDir+"_COLLECTION="+string(w.collection))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		w.must(err)
		w.must(cmd.Start())
		lines := bufio.NewScanner(out)
		for range 3 + 4*round {
			if !lines.Scan() {
				t.Fatal("the process died by itself")
			}
			note(acknowledged, lines.Text())
		}
		w.must(cmd.Process.Kill())
		for lines.Scan() { // what it had said already
			note(acknowledged, lines.Text())
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the process was not killed")
		}
		w.open()
	}
	// The killed processes lived by the real clock; their leases have ended.
	w.now.Store(time.Now().Add(24 * time.Hour).UnixNano())
	w.restart()
	w.drain(w.worker)
	w.sweep()
	w.consistent()
	for id, sum := range acknowledged {
		d := w.document(id)
		if d.Status != assistants.StatusReady || d.Version.SHA256 != sum || d.Version.Space != e.space {
			t.Errorf("%s: %s, sum %s, want %s, in %v", id, d.Status, d.Version.SHA256, sum, d.Version.Space)
		}
	}
	t.Logf("%d acknowledged documents", len(acknowledged))
}

func note(acknowledged map[assistants.DocumentID]string, line string) {
	if id, sum, ok := strings.Cut(line, " "); ok {
		acknowledged[assistants.DocumentID(id)] = sum
	}
}
