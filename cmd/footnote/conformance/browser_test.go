package conformance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"footnote/storage/blob/s3test"
)

// opened is what a browser made of a link.
type opened struct {
	Status             int
	Type, Name, SHA256 string
}

// A presigned link in an answer opens in a browser, which saves the document under its
// name, with its type. It opens nothing when it was changed, when its key was revoked,
// and when the document was deleted.
func TestAPresignedLinkOpensInABrowser(t *testing.T) {
	t.Parallel()
	if !asksFrameworks() {
		return
	}
	const key, secret, name = "AKIATHEBROWSERS", "a-secret-that-is-revoked-later", "Reisekosten – 旅費規程.pdf"
	server := s3test.Start(t)
	server.AddKey(t, key, secret)
	blobs := "FOOTNOTE_BLOB_URL=" + s3test.URL(server.Endpoint, server.Bucket(t), "footnote")
	p := start(t, nil, blobs, "FOOTNOTE_S3_ACCESS_KEY_ID="+key, "FOOTNOTE_S3_SECRET_ACCESS_KEY="+secret)
	settings := map[string]any{"enable_rag": true, "enable_citations": true, "citation_link_mode": "Public"}
	if code := p.post("/v1.0/assistants", map[string]any{"name": "Travel", "settings": settings}, nil); code != http.StatusCreated {
		t.Fatal(code)
	}
	content, err := os.ReadFile(filepath.Join("..", "demo", "documents", "travel-policy.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	p.upload("travel", name, string(content))
	poll(t, "the document is ready", func() bool { return p.documentsReady("travel", 1) })
	var found struct {
		Data []struct {
			URL      string `json:"download_url"`
			Document string `json:"document_id"`
		}
	}
	if code := p.post("/v1.0/assistants/travel/retrieve", map[string]any{"query": "What does the company pay for meals?"}, &found); code != http.StatusOK || len(found.Data) == 0 {
		t.Fatalf("%d %+v", code, found)
	}
	link := found.Data[0].URL
	sum := sha256.Sum256(content)
	want := opened{http.StatusOK, "application/pdf", name, hex.EncodeToString(sum[:])}
	changed := link[:len(link)-1] + map[bool]string{true: "0", false: "1"}[strings.HasSuffix(link, "1")]
	open := browserOf(t)
	got := open(link, changed)
	if got[0] != want || got[1].Status != http.StatusForbidden || got[1].SHA256 != "" {
		t.Errorf("opened %+v, want %+v; changed %+v", got[0], want, got[1])
	}
	if code := p.do(http.MethodDelete, "/v1.0/documents/"+found.Data[0].Document, "application/json", nil, nil); code != http.StatusNoContent {
		t.Fatal(code)
	}
	poll(t, "the document is gone", func() bool {
		got = open(link)
		return got[0].Status == http.StatusNotFound && got[0].SHA256 == ""
	})
	server.RevokeKey(t, key)
	if got := open(link); got[0].Status != http.StatusForbidden || got[0].SHA256 != "" {
		t.Errorf("after its key was revoked: %+v", got)
	}
}

// browserOf returns what opens links in Chromium.
func browserOf(t *testing.T) func(links ...string) []opened {
	t.Helper()
	dir, chromium, node := dashboardCopy(t), tool(t, "chromium"), tool(t, "node")
	copyFile(t, filepath.Join("browser", "link.mjs"), filepath.Join(dir, "link.mjs"))
	return func(links ...string) (all []opened) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, node, append([]string{"link.mjs"}, links...)...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "CHROMIUM=" + chromium, "LANG=C.UTF-8"} // else names of files are ASCII
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(out, &all)
		}
		if err != nil || len(all) != len(links) {
			t.Fatalf("%v %s %s", err, out, &stderr)
		}
		return all
	}
}
