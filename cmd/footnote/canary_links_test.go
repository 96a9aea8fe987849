package main

import (
	"strings"

	"footnote/storage/blob/s3test"
)

// withLinks are the answers that have links to documents.
var withLinks = []string{"answer /v1.0/assistants", "answer /v1/chat", "answer /v1/responses", "answer /assistants"}

// useS3 puts the documents of the sweep into a bucket. Its name and its key are in
// presigned links, which are in answers only.
func (s *sweep) useS3() {
	s.t.Helper()
	s.s3 = s3test.Start(s.t)
	s.bucket = s.s3.Bucket(s.t)
	s.presigned = []canary{
		{"the secret of S3", s3test.Secret, nil},
		{"the bucket", s.bucket, append([]string{"output of check-config"}, withLinks...)},
		{"the key of S3", s3test.KeyID, withLinks},
		{"a presigned link", "X-Amz-Signature=", withLinks},
	}
}

// deliver sets who sends the documents of links.
func (s *sweep) deliver(by any) {
	s.t.Helper()
	if status := s.sendJSON("PATCH", "/v1.0/assistants/mine/settings", map[string]any{"citation_link_delivery": by}, nil); status != 200 {
		s.t.Fatal(status)
	}
}

// withoutS3 asks for what needs the bucket while its server is away.
func (s *sweep) withoutS3() {
	s.t.Helper()
	if s.s3 == nil {
		return
	}
	s.s3.Stop(s.t)
	form, contentType := formOf(s.t, "another.txt", "It cannot be stored now.")
	for _, c := range []struct{ method, path, contentType, body string }{
		{"POST", "/v1.0/assistants/mine/documents", contentType, form}, {"GET", "/v1.0/documents/:document/download", "", ""},
		{"GET", "/v1.0/documents/:document/pages/1?format=png", "", ""}, {"GET", "/v1.0/links/*link", "", ""}, {"GET", "/readyz", "", ""},
	} {
		s.send(c.method, s.ids.Replace(c.path), c.contentType, c.body, canaryText("the admin key"), nil)
	}
	s.s3.Start(s.t)
}

// link finds the link to the document, whose signature becomes a canary.
func (s *sweep) link() string {
	s.t.Helper()
	s.deliver("proxy")
	defer s.deliver(nil)
	var found struct {
		Data []struct {
			DownloadURL string `json:"download_url"`
		}
	}
	s.sendJSON("POST", "/v1.0/assistants/mine/retrieve", map[string]any{"query": "holidays in the handbook"}, &found)
	if len(found.Data) == 0 {
		s.t.Fatal("nothing is found")
	}
	_, link, ok := strings.Cut(found.Data[0].DownloadURL, "/v1.0/links/")
	if !ok {
		s.t.Fatalf("no link: %v", found)
	}
	signature, _, _ := strings.Cut(link, "/")
	s.extra = append(s.extra, canary{"a link's signature", signature, []string{"answer /v1.0/assistants", "answer /v1/chat", "answer /assistants"}})
	return link
}
