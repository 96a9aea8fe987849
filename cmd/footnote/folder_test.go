package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// formatsOfTheFolder are documents of every format; some cannot be read.
var formatsOfTheFolder = []string{
	"demo/documents/*.*",
	"../../assistants/ingestion/testdata/*.*",
	"../../assistants/ingestion/extract/pdf/testdata/*.pdf",
	"../../assistants/ingestion/extract/office/testdata/*.*",
}

// A folder of every format goes in through `footnote ingest`, which is
// interrupted with Ctrl-C, then killed together with the server, and run again:
// every file is ready, or failed with a sentence; every chunk is its part of
// the text and begins on its page.
func TestAFolderOfEveryFormatSurvivesBeingInterrupted(t *testing.T) {
	t.Parallel()
	dir, folder := t.TempDir(), t.TempDir()
	files := copyDocuments(t, folder)
	p := start(t, dir, nil)
	ingest := func(args ...string) (*exec.Cmd, *lockedBuffer) {
		out := &lockedBuffer{}
		args = append([]string{"ingest", "--url", p.url, "--key", testAdminKey, "--assistant", "folder"}, args...)
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = bareEnv(), dir, out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}
	stored := func() int {
		var list struct{ Data []remoteDocument }
		if code := p.request("GET", "/v1.0/assistants/folder/documents?limit=1000", "", nil, &list); code != 200 {
			return 0
		}
		return len(list.Data)
	}

	cmd, out := ingest("--create", folder)
	eventually(t, "some files are stored", func() bool { return stored() >= 3 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // says that it was interrupted
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(out.String(), "interrupted; what was uploaded is kept") {
		t.Errorf("exit %d\n%s", code, out)
	}
	before := stored()
	if before >= len(files) {
		t.Fatal("everything was stored before the interruption")
	}

	cmd, _ = ingest(folder)
	eventually(t, "more files are stored", func() bool { return stored() >= before+3 })
	p.kill()
	_ = cmd.Process.Kill() // it may have given up already
	_ = cmd.Wait()
	p = start(t, dir, nil)

	cmd, out = ingest(folder)
	_ = cmd.Wait() // some files cannot be read, and that is its exit status
	if strings.Contains(out.String(), "Internal") || !strings.Contains(out.String(), " failed\n") {
		t.Errorf("%s", out)
	}
	byPath := map[string]remoteDocument{}
	for _, d := range p.documents("folder") {
		if d.SourcePath != "" {
			byPath[filepath.Base(d.SourcePath)] = d
		}
		switch {
		case d.Status == "ready":
			p.chunksFit(d)
		case d.Status != "failed" || d.Error == nil || len(strings.Fields(d.Error.Message)) < 4:
			t.Errorf("%s is %s: %+v", d.Name, d.Status, d.Error)
		}
	}
	for _, name := range files {
		// A file that no reader takes is refused at once, and ingest reports it.
		if _, ok := byPath[name]; !ok && !strings.Contains(out.String(), name+":") {
			t.Errorf("%s is not there, and nothing is said about it\n%s", name, out)
		}
	}
}

// copyDocuments fills a folder with the documents and returns their names.
func copyDocuments(t *testing.T, folder string) (names []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, pattern := range formatsOfTheFolder {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range found {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, same := filepath.Base(path), string(bytes.TrimSpace(raw))
			if filepath.Ext(path) == ".golden" || seen[same] {
				continue
			}
			seen[same] = true
			if err := os.WriteFile(filepath.Join(folder, name), raw, 0o600); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
	}
	return names
}
