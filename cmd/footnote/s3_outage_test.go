package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/proxy/upstream/upstreamtest"
	"footnote/storage/blob/s3test"
)

// The S3 server is killed for a while and started again while chats stream and clients
// upload: no stream is cut, chats go on, nothing that was acknowledged is lost or
// doubled, and the other requests are asked to try again.
func TestAnOutageOfS3CutsNoChatAndLosesNothing(t *testing.T) {
	t.Parallel()
	for _, database := range databases {
		if nightly || database.name == "SQLite" {
			t.Run(database.name, func(t *testing.T) { outageOfS3(t, database.env(t)) })
		}
	}
}

func outageOfS3(t *testing.T, env []string) {
	t.Helper()
	server := s3test.Start(t)
	goOn := make(chan struct{})
	chats, clients := 10, 5
	if nightly {
		chats, clients = 100, 20
	}
	var scripts []upstreamtest.Script
	for range chats {
		scripts = append(scripts, drainScripts(goOn)[0])
	}
	up := modelServer(t, append(scripts, upstreamtest.JSON(linkAnswer))...)
	env = append(env, s3Env(server.Endpoint, server.Bucket(t))...)
	p := start(t, t.TempDir(), nil, append(env, "FOOTNOTE_UPSTREAM_URL="+up.URL(), "FOOTNOTE_UPSTREAM_MODEL=m")...)
	settings := map[string]any{"enable_rag": true, "enable_citations": true, "citation_link_mode": "Public"}
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "handbook", "settings": settings}, nil); status != 201 {
		t.Fatalf("make the assistant: %d", status)
	}
	form, contentType := formOf(t, "handbook.txt", "You get 28 vacation days per year.")
	if status := p.request("POST", "/v1.0/assistants/handbook/documents", contentType, strings.NewReader(form), nil); status != 202 {
		t.Fatalf("upload: %d", status)
	}
	handbook := p.documents("handbook")
	if status := p.json("POST", "/v1.0/assistants", map[string]any{"name": "uploads"}, nil); status != 201 {
		t.Fatalf("make the assistant: %d", status)
	}

	running := p.startStreams(chats)
	uploads := p.startUploads(clients, "storage_unavailable")
	uploads.await(t, 2*clients)
	server.Stop(t)
	back := time.NewTimer(outage())
	p.whileS3IsAway(handbook[0].ID)
	<-back.C
	eventually(t, "an upload is refused", func() bool { return uploads.refusals() > 0 })
	server.Start(t)
	uploads.await(t, uploads.count()+2*clients)
	uploads.end()

	close(goOn)
	for i, stream := range running {
		whole := stream.rest()
		if !strings.HasSuffix(whole, "data: [DONE]\n\n") || strings.Contains(whole, `"error"`) {
			t.Errorf("stream %d: …%s", i, whole[max(0, len(whole)-400):])
		}
	}
	uploads.check(p)
	eventually(t, "the server is ready again", func() bool { return p.request("GET", "/readyz", "", nil, nil) == 200 })
}

func (u *uploads) refusals() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.refused
}

// whileS3IsAway asks what can be asked while the documents cannot be read.
func (p *process) whileS3IsAway(document string) {
	t := p.t
	t.Helper()
	answer := p.raw("/v1/chat/completions", `{"model":"handbook","messages":[{"role":"user","content":"How many vacation days do I get?"}]}`)
	if sources, _ := linksIn(t, answer); len(sources) == 0 || !strings.Contains(sources[0], "X-Amz-Signature=") {
		t.Errorf("a chat: %s", answer)
	}
	for path, code := range map[string]string{"/v1.0/documents/" + document + "/download": "storage_unavailable", "/readyz": "storage_unavailable"} {
		resp, err := p.send("GET", path, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		told := refusal(t, resp)
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || told.Code != code {
			t.Errorf("%s: %d %+v", path, resp.StatusCode, told)
		}
	}
	if status := p.request("GET", "/healthz", "", nil, nil); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
}

// A program that cannot use its documents does not start, and says in one sentence
// what to do.
func TestAWrongBucketRegionOrKeyEndsTheStart(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	bucket := server.Bucket(t)
	good := s3Env(server.Endpoint, bucket)
	for name, c := range map[string]struct {
		env  string
		want string
	}{
		"bucket": {"FOOTNOTE_BLOB_URL=" + s3test.URL(server.Endpoint, "nowhere", ""), "there is no such bucket; create it"},
		"region": {strings.Replace(good[0], "us-east-1", "eu-west-7", 1), "correct region="},
		"key":    {"FOOTNOTE_S3_ACCESS_KEY_ID=AKIANOBODY", "correct FOOTNOTE_S3_ACCESS_KEY_ID"},
		"secret": {"FOOTNOTE_S3_SECRET_ACCESS_KEY=not-the-secret", "correct FOOTNOTE_S3_SECRET_ACCESS_KEY"},
		"half":   {"FOOTNOTE_S3_SECRET_ACCESS_KEY=", "set both FOOTNOTE_S3_ACCESS_KEY_ID and"},
		"url":    {good[0] + "&regoin=x", "it has a parameter that there is not"},
	} {
		dir := t.TempDir()
		_, stderr, code := runIn(t, dir, append(append([]string{}, good...), c.env), "serve", "--data-dir", dir)
		if code != 1 || !strings.Contains(stderr, c.want) || strings.Contains(stderr, bucket) || strings.Contains(stderr, s3test.Secret) {
			t.Errorf("%s: %d %s", name, code, stderr)
		}
	}
}

// So do commands that work without a server, before they copy anything.
func TestAWrongBucketOrKeyEndsACopyAndACheck(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	good, source, onS3 := s3Env(server.Endpoint, server.Bucket(t)), filled(t), filepath.Join(t.TempDir(), "on-s3")
	there := strings.TrimPrefix(good[0], "FOOTNOTE_BLOB_URL=")
	if out, stderr, code := runIn(t, t.TempDir(), good[1:], "copy", "--data-dir", source, "--to-data-dir", onS3, "--to-database", "sqlite:", "--to-blob", there); code != 0 {
		t.Fatalf("%d %s %s", code, out, stderr)
	}
	wrong := s3test.URL(server.Endpoint, "nowhere", "")
	for name, c := range map[string]struct {
		env, args []string
		want      []string
	}{
		"copy to no bucket": {good[1:], []string{"copy", "--data-dir", source, "--to-data-dir", filepath.Join(t.TempDir(), "new"), "--to-database", "sqlite:", "--to-blob", wrong},
			[]string{"correct --to-blob", "there is no such bucket; create it"}},
		"copy with a wrong secret": {[]string{good[1], "FOOTNOTE_S3_SECRET_ACCESS_KEY=not-the-secret"}, []string{"copy", "--data-dir", source, "--to-blob", there},
			[]string{"correct FOOTNOTE_S3_SECRET_ACCESS_KEY"}},
		"copy from no bucket": {append(slices.Clone(good[1:]), "FOOTNOTE_BLOB_URL="+wrong), []string{"copy", "--data-dir", onS3, "--to-data-dir", filepath.Join(t.TempDir(), "new"), "--to-database", "sqlite:", "--to-blob", "file:"},
			[]string{"there is no such bucket; create it"}},
		"check of no bucket": {append(slices.Clone(good[1:]), "FOOTNOTE_BLOB_URL="+wrong), []string{"check", "--data-dir", onS3}, []string{"there is no such bucket; create it"}},
		"check with a wrong secret": {append(slices.Clone(good), "FOOTNOTE_S3_SECRET_ACCESS_KEY=not-the-secret"), []string{"check", "--data-dir", onS3},
			[]string{"correct FOOTNOTE_S3_SECRET_ACCESS_KEY"}},
	} {
		out, stderr, code := runIn(t, t.TempDir(), c.env, c.args...)
		if code != 1 || out != "" {
			t.Errorf("%s: %d %s", name, code, out)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: %s\nwant %s", name, stderr, want)
			}
		}
	}
}

// The documents in a bucket belong to one database: another one would delete what it
// does not know.
func TestDocumentsOnS3BelongToOneDatabase(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	env := s3Env(server.Endpoint, server.Bucket(t))
	dir := t.TempDir()
	p := start(t, dir, nil, env...)
	p.linkedOffice(3600)
	p.kill()
	refused := func(what, want string, env []string, args ...string) {
		t.Helper()
		if _, stderr, code := runIn(t, dir, env, args...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: %d %s", what, code, stderr)
		}
	}
	refused("another database", "those of another database", env, "serve", "--data-dir", t.TempDir())
	refused("another bucket", "move them there with `footnote copy`", s3Env(server.Endpoint, server.Bucket(t)), "serve", "--data-dir", dir)
	refused("no bucket", "the documents are on S3", nil, "serve", "--data-dir", dir)
	stdout, stderr, code := runIn(t, dir, env, "check", "--deep", "--data-dir", dir)
	if code != 0 || !strings.Contains(stdout, "everything fits: 1 documents, 1 files") {
		t.Errorf("check: %d %s %s", code, stdout, stderr)
	}
	p = start(t, dir, nil, env...)
	if docs := p.documents("office"); len(docs) != 1 || p.download(docs[0].ID) != linkPage {
		t.Errorf("after a restart: %+v", docs)
	}
}
