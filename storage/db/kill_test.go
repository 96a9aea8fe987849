package db

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// childEnv makes the test program write to the database it names until it is
// killed.
const childEnv = "FOOTNOTE_TEST_DB_CHILD"

const killedTenant = assistants.TenantID("t")

// writeUntilKilled stores documents and prints the id of each after the store
// has acknowledged it.
func writeUntilKilled(url string) int {
	ctx := context.Background()
	s, err := Open(ctx, url, Options{})
	if err == nil {
		_, err = s.Migrate(ctx)
	}
	a := assistants.Assistant{
		ID: assistants.NewAssistantID(), TenantID: killedTenant, Slug: strings.ToLower(fmt.Sprint("a", time.Now().UnixNano())),
		Name: "A", CollectionID: assistants.NewCollectionID(), Settings: assistants.DefaultSettings(),
	}
	if err == nil {
		err = s.CreateAssistant(ctx, a)
	}
	for n := 0; err == nil; n++ {
		var d assistants.Document
		d, _, err = s.CreateDocument(ctx, assistants.Document{
			ID: assistants.NewDocumentID(), TenantID: killedTenant, CollectionID: a.CollectionID, Name: "d",
			Version: assistants.Version{BlobKey: "default/1", SHA256: fmt.Sprint(n)},
		})
		if err == nil {
			_, err = fmt.Println(d.ID)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func TestAcknowledgedWritesSurviveAKill(t *testing.T) { eachDatabase(t, survivesAKill) }

func survivesAKill(t *testing.T, url string) {
	t.Helper()
	var acknowledged []assistants.DocumentID
	for round := range 5 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childEnv+"="+url)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n <= 3*round && lines.Scan(); n++ {
			acknowledged = append(acknowledged, assistants.DocumentID(lines.Text()))
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// Complete lines that it printed before it died count as well.
		for lines.Scan() {
			if len(lines.Text()) == len(acknowledged[0]) {
				acknowledged = append(acknowledged, assistants.DocumentID(lines.Text()))
			}
		}
		var exit *exec.ExitError
		if err := child.Wait(); !errors.As(err, &exit) {
			t.Fatal(err)
		}
	}
	s := openTest(t, url, Options{})
	for _, id := range acknowledged {
		if d, err := s.Document(t.Context(), killedTenant, id); err != nil || d.Status != assistants.StatusPending {
			t.Errorf("%s: %+v, %v", id, d.Status, err)
		}
	}
	// A document and its job are stored together.
	counts, err := s.CountDocuments(t.Context(), killedTenant)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := s.CountJobs(t.Context())
	if err != nil || jobs != counts[assistants.StatusPending] || jobs < len(acknowledged) {
		t.Errorf("%d jobs for %v documents, %d acknowledged, %v", jobs, counts, len(acknowledged), err)
	}
}
