package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"footnote/proxy/upstream/upstreamtest"
)

// largeStreams are streams of 20 to 200 KB: those recorded in
// testdata/streams/large, and some put together from the texts of the corpus.
func largeStreams(t *testing.T) []stream {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/large/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded streams", err)
	}
	var all []stream
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, stream{name: filepath.Base(file), body: body})
	}
	text := longText(t)
	third := len(text) / 3
	tools := `,"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"get","arguments":%s}}]`
	arguments := slices.Repeat([]string{fmt.Sprintf(tools, `"[1] [2]"`), fmt.Sprintf(tools, `"\"売上\""`)}, 60)
	return append(all,
		stream{name: "every text of the corpus", body: longStream("\n", nil, slices.Concat(text, []rune("\n\n"), text))},
		stream{name: "three choices, CRLF", request: `{"n":3}`, body: longStream("\r\n", nil, text[:third], text[third:2*third], text[2*third:])},
		stream{name: "text and long tool arguments", body: longStream("\n", arguments, text[:third/2])},
		stream{name: "one long delta", body: []byte(strings.Join([]string{"data: " + chunkOf(0, quoted(strings.Repeat(string(text)+"\n\n", 6)), "null", ""), "data: " + chunkOf(0, `""`, `"stop"`, ""), "data: [DONE]", ""}, "\n\n"))},
	)
}

// longText is what the streams of the corpus say, one after the other.
func longText(t *testing.T) []rune {
	var text []string
	for _, s := range corpus(t) {
		if s.end != "[DONE]" || s.cites == "" || s.cites == "skipped" || strings.Contains(s.name, "definitions") {
			continue // an open fence or a definition changes everything behind it
		}
		text = append(text, readEvents(t, s.body).texts(t)...)
	}
	return []rune(strings.Join(text, "\n\n"))
}

// longStream sends texts, one of each choice in turn, a few characters a delta.
func longStream(lineEnd string, members []string, texts ...[]rune) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	send := func(data string) { b.WriteString("data: " + data + lineEnd + lineEnd) }
	for left := true; left; {
		left = false
		for i, text := range texts {
			n := min(1+random.IntN(12), len(text))
			if n == 0 {
				continue
			}
			left = true
			member := ""
			if len(members) > 0 {
				member, members = members[0], members[1:]
			}
			send(chunkOf(i, quoted(string(text[:n])), "null", member))
			texts[i] = text[n:]
		}
	}
	for i := range texts {
		send(chunkOf(i, `""`, `"stop"`, ""))
	}
	send("[DONE]")
	return []byte(b.String())
}

func chunkOf(choice int, content, finish, members string) string {
	return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763740800,"model":"m","choices":[{"index":%d,"delta":{"content":%s%s},"finish_reason":%s}]}`, choice, content, members, finish)
}

func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestALargeStreamDribbledByteByByteIsTheStreamInOnePiece(t *testing.T) {
	hits, err := os.ReadFile("testdata/streams/hits.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range largeStreams(t) {
		for _, settings := range []string{`{}`, citesOn} {
			t.Run(s.name+settings, func(t *testing.T) {
				t.Parallel()
				if len(s.body) < 20_000 || len(s.body) > 200_000 {
					t.Errorf("%d bytes", len(s.body))
				}
				var bytewise []upstreamtest.Step
				for _, b := range s.body {
					bytewise = append(bytewise, upstreamtest.Chunk(string([]byte{b})))
				}
				dribble := upstreamtest.Stream().Then(bytewise...)
				whole := upstreamtest.Stream().Then(upstreamtest.Chunk(string(s.body)), upstreamtest.EndStream())
				up := upstreamtest.New(t, dribble.Then(upstreamtest.EndStream()), whole)
				f := newFixture(t, fixture{upstreamURL: up.URL(), settings: mergeSettings(t, []byte(settings)), hits: readHits(t, hits)})
				request := withMembers(`{"model":"support","stream":true,"messages":[{"role":"user","content":"How did revenue develop?"}]`, s.request)
				_, got := f.send(chatRequest(t, request))
				if _, want := f.send(chatRequest(t, request)); !bytes.Equal(got, want) {
					t.Fatalf("dribbled\n%s\nin one piece\n%s", got, want)
				}
				p := newPlayback(t, settings, s.request)
				if got := p.streamFrom(s, iotest.OneByteReader(s.read())); !bytes.Equal(got.body.Bytes(), p.stream(s).body.Bytes()) {
					t.Error("read byte by byte it is another answer")
				}
				read, said := readEvents(t, got), readEvents(t, s.body)
				if read.end != "[DONE]" || !slices.Equal(read.texts(t), said.texts(t)) || (read.citations != "") != (settings == citesOn) {
					t.Errorf("%q, citations %q, texts\n%q\nwant\n%q", read.end, read.citations, read.texts(t), said.texts(t))
				}
				if settings != citesOn {
					return
				}
				if json := readAnswer(t, p.ask(false, "application/json", bytes.NewReader(said.answer(t))).body.Bytes()); json.citations != read.citations {
					t.Errorf("the stream cites\n%s\nthe JSON answer\n%s", read.citations, json.citations)
				}
				if n := len(readCited(t, read.citations).Markers); n < 10 {
					t.Errorf("%d markers only", n)
				}
			})
		}
	}
}
