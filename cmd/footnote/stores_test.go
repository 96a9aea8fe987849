package main

import (
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"footnote/cmd/footnote/demo"
	"footnote/storage/blob/s3test"
	"footnote/storage/db/mariadbtest"
	"footnote/storage/db/postgrestest"
)

// A placement is where a program keeps its rows or its documents. env returns the
// environment of a new one.
type placement struct {
	name string
	env  func(t *testing.T) []string
}

// databases and documentPlaces are all that are tested, and that the README promises.
var (
	databases = []placement{
		{"SQLite", func(*testing.T) []string { return nil }},
		{"PostgreSQL", func(t *testing.T) []string { return []string{"FOOTNOTE_DATABASE_URL=" + postgrestest.URL(t)} }},
		{"MariaDB", func(t *testing.T) []string { return []string{"FOOTNOTE_DATABASE_URL=" + mariadbtest.URL(t)} }},
	}
	documentPlaces = []placement{
		{"disk", func(*testing.T) []string { return nil }},
		{"S3", func(t *testing.T) []string {
			server := s3test.Start(t)
			return s3Env(server.Endpoint, server.Bucket(t))
		}},
	}
)

// s3Env is the environment of a program whose documents are in a bucket.
func s3Env(endpoint, bucket string) []string {
	return []string{
		"FOOTNOTE_BLOB_URL=" + s3test.URL(endpoint, bucket, "footnote"),
		"FOOTNOTE_S3_ACCESS_KEY_ID=" + s3test.KeyID, "FOOTNOTE_S3_SECRET_ACCESS_KEY=" + s3test.Secret,
	}
}

// On every database and with documents in every place: a document is uploaded, its
// page is cited, the link in the answer is the document for anyone, and when the
// document is deleted, link and citation are gone.
func TestAConversationOnEveryStore(t *testing.T) {
	t.Parallel()
	cache := t.TempDir() // of the compiled reader of PDFs, which takes longest
	for _, database := range databases {
		for _, documents := range documentPlaces {
			t.Run(database.name+" and "+documents.name, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.Symlink(cache, filepath.Join(dir, "cache")); err != nil {
					t.Fatal(err)
				}
				converse(t, dir, documents.name == "S3", append(database.env(t), documents.env(t)...))
			})
		}
	}
}

// storedName is a name that only RFC 6266's extended notation can tell.
const storedName = "Reisekosten – 旅費規程.pdf"

func converse(t *testing.T, dir string, presigned bool, env []string) {
	t.Helper()
	p := start(t, dir, nil, append(env, "FOOTNOTE_LOG_LEVEL=debug")...)
	settings := map[string]any{"enable_rag": true, "enable_citations": true, "citation_link_mode": "Public"}
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "Travel", "settings": settings}, nil); status != 201 {
		t.Fatal(status)
	}
	content, err := demo.Documents.ReadFile("documents/travel-policy.pdf")
	if err != nil {
		t.Fatal(err)
	}
	form, contentType := formOf(t, storedName, string(content))
	var document remoteDocument
	if status := p.request("POST", "/v1.0/assistants/travel/documents", contentType, strings.NewReader(form), &document); status != 202 {
		t.Fatal(status)
	}
	p.documents("travel")

	link := p.citedPage(document.ID)
	if here := strings.HasPrefix(link, p.url+"/v1.0/links/"); here == presigned {
		t.Errorf("presigned is %v, and the link is %s", presigned, link)
	}
	opensAs(t, link, string(content))
	if presigned {
		p.deliver("proxy")
		proxied := p.citedPage(document.ID)
		if !strings.HasPrefix(proxied, p.url+"/v1.0/links/") {
			t.Errorf("with delivery proxy the link is %s", proxied)
		}
		opensAs(t, proxied, string(content))
		p.deliver(nil)
	}
	if status := p.request("DELETE", "/v1.0/documents/"+document.ID, "", nil, nil); status != 204 {
		t.Fatal(status)
	}
	eventually(t, "the link is gone", func() bool {
		resp, _ := follow(t, link)
		return resp.StatusCode == http.StatusNotFound
	})
	if a := p.askTravel(); a.Citations == nil || len(a.Citations.Sources) > 0 {
		t.Errorf("a deleted document is cited: %+v", a.Citations)
	}
	if log := p.stderr.String(); presigned && (strings.Contains(log, "X-Amz-Signature") || strings.Contains(log, "documents-") || strings.Contains(log, s3test.Secret)) {
		t.Error("the log tells the bucket, the secret or a signature")
	}
}

// deliver sets who sends the documents of public links.
func (p *process) deliver(by any) {
	p.t.Helper()
	if status := p.json("PATCH", "/v1.0/assistants/travel/settings", map[string]any{"citation_link_delivery": by}, nil); status != 200 {
		p.t.Fatal(status)
	}
}

// A citedAnswer is an answer with the links of its sources.
type citedAnswer struct {
	Citations *struct {
		ReferencedIndices []int `json:"referenced_indices"`
		Sources           []struct {
			DocumentID  string `json:"document_id"`
			PageNumber  int    `json:"page_number"`
			Index       int
			DownloadURL string `json:"download_url"`
		}
	}
}

func (p *process) askTravel() (answer citedAnswer) {
	p.t.Helper()
	question := map[string]any{"model": "travel", "messages": []map[string]string{{"role": "user", "content": "What is the per diem on a trip to Norway?"}}}
	if status := p.json("POST", "/v1/chat/completions", question, &answer); status != 200 {
		p.t.Fatal(status)
	}
	return answer
}

// citedPage asks, and returns the link of a source that is cited with its page.
func (p *process) citedPage(document string) string {
	p.t.Helper()
	a := p.askTravel()
	if a.Citations != nil {
		for _, s := range a.Citations.Sources {
			if s.DocumentID == document && slices.Contains(a.Citations.ReferencedIndices, s.Index) && s.PageNumber == 3 && s.DownloadURL != "" {
				return s.DownloadURL
			}
		}
	}
	p.t.Fatalf("no cited page with a link: %+v", a.Citations)
	return ""
}

// opensAs opens a link as a browser does, whole and in part.
func opensAs(t *testing.T, link, content string) {
	t.Helper()
	resp, body := follow(t, link)
	disposition, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
	if resp.StatusCode != 200 || body != content || err != nil || disposition != "attachment" || params["filename"] != storedName || resp.Header.Get("Content-Type") != "application/pdf" {
		t.Errorf("%d, %d bytes, %v", resp.StatusCode, len(body), resp.Header)
	}
	req, err := http.NewRequest("GET", link, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Range", "bytes=100-199")
	resp, err = http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	part, err := readAnswer(resp.Body)
	if closed := resp.Body.Close(); err != nil || closed != nil || resp.StatusCode != 206 || string(part) != content[100:200] {
		t.Errorf("a range: %d, %d bytes, %v, %v", resp.StatusCode, len(part), err, closed)
	}
}
