// Package dashboard holds the built dashboard: files that a browser loads, and the pages
// of which they are made. The sources are in src; `make dashboard` writes dist, which is
// committed, so that the program is built without Node.js. The package knows nothing of
// the server but paths and imports no other package of ours.
package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed all:dist
var dist embed.FS

// Policy is the Content-Security-Policy of all files: nothing comes from elsewhere, no
// script or style stands in a page, and no other page may frame this one.
const Policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

// A file is a file of the dashboard as it is sent.
type file struct {
	contentType  string
	tag          string // strong entity tag of the content
	content, zip []byte
}

// files are the files of dist by their path. Building them takes some milliseconds, so
// the first request does that, and not the start.
var files = sync.OnceValues(func() (map[string]file, error) {
	found := map[string]file{}
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := dist.ReadFile(name)
		if err != nil {
			return err
		}
		found[strings.TrimPrefix(name, "dist")], err = newFile(name, content)
		return err
	})
	return found, err
})

func newFile(name string, content []byte) (file, error) {
	var zip bytes.Buffer
	w, err := gzip.NewWriterLevel(&zip, gzip.BestCompression)
	if err != nil {
		return file{}, err
	}
	if _, err := w.Write(content); err != nil {
		return file{}, err
	}
	if err := w.Close(); err != nil {
		return file{}, err
	}
	sum := sha256.Sum256(content)
	return file{contentTypeOf(name), `"` + hex.EncodeToString(sum[:12]) + `"`, content, zip.Bytes()}, nil
}

// contentTypeOf does not ask the machine, whose table of types may be another one.
func contentTypeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// pages are the addresses that the dashboard shows; one with a slash at its end stands
// for all below it. Their content is made in the browser.
var pages = []string{"/", "/welcome", "/a/", "/documents/", "/search", "/keys", "/upstreams", "/audit", "/status"}

// Has reports whether the dashboard answers a path.
func Has(at string) bool {
	return at == "/icon.svg" || strings.HasPrefix(at, "/assets/") || isPage(at)
}

func isPage(at string) bool {
	for _, page := range pages {
		if at == page || page != "/" && strings.HasSuffix(page, "/") && strings.HasPrefix(at, page) {
			return true
		}
	}
	return false
}

// Serve answers a GET or HEAD of a path that [Has] knows. It reports false, and has written
// nothing, if there is no such file.
func Serve(w http.ResponseWriter, r *http.Request) (bool, error) {
	all, err := files()
	if err != nil {
		return false, fmt.Errorf("read the files of the dashboard: %w", err)
	}
	name := r.URL.Path
	if isPage(name) {
		name = "/index.html"
	}
	f, ok := all[name]
	if !ok {
		return false, nil
	}
	h := w.Header()
	h.Set("Content-Security-Policy", Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache") // ask whether it is still the same: names have no hashes
	h.Set("Content-Type", f.contentType)
	h.Set("Vary", "Accept-Encoding")
	content := f.content
	h.Set("ETag", f.tag)
	if acceptsGzip(r) {
		content = f.zip
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", strings.TrimSuffix(f.tag, `"`)+`-gzip"`)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return true, nil
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			quality = strings.ReplaceAll(quality, " ", "")
			return quality != "q=0" && !strings.HasPrefix(quality, "q=0.0")
		}
	}
	return false
}
