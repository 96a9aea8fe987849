package proxy_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// smallStream is how long most streams of the corpus are at most, maxStream how
// long any may be: longer ones would make cutting them at every byte too slow.
const (
	smallStream = 2 << 10
	maxStream   = 4 << 10
)

// A stream is one event stream of testdata/streams (its README says how they
// are written).
type stream struct {
	name    string
	shows   string
	request string // members that the client's request has besides
	cites   string // the numbers that the answer cites, then "!" and those it cites in vain
	end     string // "[DONE]", or the code of the error it ends with
	status  int    // of the answer
	refused int    // the status of an upstream that refuses; the body is its JSON
	breaks  bool   // the connection breaks off behind the last byte
	body    []byte
	answer  []byte // what the same server sent for the same request without "stream"
}

// corpus reads all streams.
func corpus(t testing.TB) []stream {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all []stream
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, part := range ar.Files {
			if name, ok := strings.CutSuffix(part.Name, ".json"); ok {
				if len(all) == 0 || all[len(all)-1].name != folder+"/"+name {
					t.Fatalf("%s: %s does not follow its stream", file, part.Name)
				}
				all[len(all)-1].answer = part.Data
				continue
			}
			s, err := readStream(folder+"/"+part.Name, part.Data)
			if err != nil {
				t.Fatalf("%s: %s: %v", file, part.Name, err)
			}
			all = append(all, s)
		}
	}
	return all
}

// readStream reads one stream: lines that begin with "# " say what it is.
func readStream(name string, part []byte) (stream, error) {
	s := stream{name: name, end: "[DONE]", status: 200}
	for {
		line, rest, ok := bytes.Cut(part, []byte("\n"))
		if !ok || !bytes.HasPrefix(line, []byte("# ")) {
			break
		}
		part = rest
		key, value, _ := strings.Cut(string(line[len("# "):]), ": ")
		switch key {
		case "request":
			s.request = value
		case "cites":
			s.cites = value
		case "ends":
			if _, err := fmt.Sscanf(value, "%d %s", &s.status, &s.end); err != nil {
				s.status, s.end = 200, value
			}
		case "refused":
			if _, err := fmt.Sscan(value, &s.refused); err != nil {
				return s, err
			}
		case "breaks":
			s.breaks = true
		default:
			s.shows += strings.TrimPrefix(string(line), "# ") + "\n"
		}
	}
	var err error
	if s.shows == "" {
		return s, errors.New("it does not say what it shows")
	}
	s.body, err = unescape(part)
	return s, err
}

// unescape puts in what a text file cannot show: ␍ is a CR, ␛hh the byte hh,
// and ⌫ takes the line break behind it away.
func unescape(text []byte) ([]byte, error) {
	text = bytes.ReplaceAll(text, []byte("⌫\n"), nil)
	text = bytes.ReplaceAll(text, []byte("␍"), []byte("\r"))
	first, rest, _ := bytes.Cut(text, []byte("␛"))
	out := bytes.Clone(first)
	for len(rest) > 0 {
		part, more, _ := bytes.Cut(rest, []byte("␛"))
		if len(part) < 2 {
			return nil, errors.New("␛ without two digits")
		}
		b, err := hex.DecodeString(string(part[:2]))
		if err != nil {
			return nil, err
		}
		out = append(append(out, b...), part[2:]...)
		rest = more
	}
	return out, nil
}

func TestTheCorpusOfStreamsIsWhatItsReadmeSays(t *testing.T) {
	names, origins := map[string]bool{}, map[string]int{}
	small := 0
	for _, s := range corpus(t) {
		if names[s.name] {
			t.Errorf("%s is there twice", s.name)
		}
		names[s.name] = true
		if len(s.body) <= smallStream && s.refused == 0 {
			small++
		}
		if len(s.body) > maxStream {
			t.Errorf("%s is %d bytes long", s.name, len(s.body))
		}
		origins[strings.Split(s.name, "/")[0]]++
	}
	if small < 200 || len(origins) < 15 || origins["recorded_llama_cpp"] < 25 || origins["recorded_litellm"] < 25 {
		t.Errorf("%d streams up to %d bytes from %v", small, smallStream, origins)
	}
}
