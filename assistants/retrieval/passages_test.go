package retrieval

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"footnote/assistants"
)

// document makes a document of a text that is cut into chunks between words, and
// an index that finds some of them.
func document(text string, size int, found ...int) (*index, *store) {
	s := &store{chunks: map[assistants.ChunkID]assistants.Chunk{}}
	at, n := 0, 0
	for at < len(text) {
		end := min(at+size, len(text))
		if i := strings.LastIndexByte(text[at:end], ' '); i > 0 && end < len(text) {
			end = at + i
		}
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		body := strings.TrimSpace(text[at:end])
		start := at + strings.Index(text[at:end], body)
		id := assistants.ChunkID(fmt.Sprintf("chunk%02d", n))
		if body != "" {
			from := utf8.RuneCountInString(text[:start])
			s.chunks[id] = assistants.Chunk{ID: id, DocumentID: "doc", Version: 1, Index: n, Text: body, CharStart: from, CharEnd: from + utf8.RuneCountInString(body), Page: n/2 + 1, PageEnd: n/2 + 1}
			n++
		}
		at = end
	}
	var matches []assistants.Match
	for i, f := range found {
		matches = append(matches, assistants.Match{ChunkID: assistants.ChunkID(fmt.Sprintf("chunk%02d", f)), DocumentID: "doc", Version: 1, Score: 1 - float64(i)/100})
	}
	x, _ := world(0)
	x.answer = anyway(matches)
	return x, s
}

const story = `In the spring the miller counts his sacks.  The baker waits in the yard until noon and the übergroße scale is brought.   Nobody speaks of the price before the tea is served. Then they shake hands and the boy carries flour to the cart.`

func TestNeighboursComeWithTheHitAndNoTextTwice(t *testing.T) {
	x, s := document(story, 30, 4, 1)
	q := query("miller")
	q.Neighbors, q.TopK = 2, 10
	hits := retrieve(t, New(x, s, Options{}), q).Hits
	if ids(hits) != "04 01" {
		t.Fatalf("hits %s", ids(hits))
	}
	runes := []rune(story)
	seen := make([]bool, len(runes))
	for _, h := range hits {
		if h.Given == nil {
			t.Fatalf("%s has no neighbours", h.Chunk.ID)
		}
		given := []rune(h.Given.Text)
		for i, r := range given {
			at := h.Given.CharStart + i
			if r == '\n' {
				continue // white space between two passages
			}
			if runes[at] != r || seen[at] {
				t.Fatalf("%s: character %d is %q, given before: %t", h.Chunk.ID, at, r, seen[at])
			}
			seen[at] = true
		}
		if !strings.Contains(h.Given.Text, h.Chunk.Text) || h.Given.Page == 0 || len(h.Given.PageStarts) == 0 || h.Given.PageStarts[0].CharStart != h.Given.CharStart {
			t.Errorf("%+v", h.Given)
		}
	}
	if !strings.Contains(hits[0].Given.Text, s.chunks["chunk02"].Text) { // between the two: the better one has it
		t.Errorf("%q", hits[0].Given.Text)
	}
}

func TestWithoutNeighboursAHitStandsAlone(t *testing.T) {
	x, s := document(story, 1000, 0)
	q := query("miller")
	q.Neighbors = 3
	if hits := retrieve(t, New(x, s, Options{}), q).Hits; hits[0].Given != nil {
		t.Errorf("%+v", hits[0].Given)
	}
	x, s = document(story, 30, 2)
	if hits := retrieve(t, New(x, s, Options{}), query("miller")).Hits; hits[0].Given != nil || len(s.ranges) != 0 {
		t.Errorf("nobody asked for neighbours: %+v", hits[0].Given)
	}
}

// TestJoinedPassagesKeepOffsetsTrue is a property: whatever chunks there are and are
// found, each character given stands where it should, and once.
func TestJoinedPassagesKeepOffsetsTrue(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	runes := []rune(story)
	for range 300 {
		_, s := document(story, 10+random.IntN(60))
		n := len(s.chunks)
		var found []int
		for i := range n {
			if random.IntN(3) == 0 {
				found = append(found, i)
			}
		}
		random.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
		var hits []assistants.Hit
		for _, f := range found {
			hits = append(hits, assistants.Hit{Chunk: s.chunks[assistants.ChunkID(fmt.Sprintf("chunk%02d", f))]})
		}
		q := query("x")
		q.Neighbors = random.IntN(maxNeighbors + 1)
		w := &run{Retriever: New(nil, s, Options{}), q: q, trace: &Trace{Stages: map[string]time.Duration{}}}
		seen := map[int]bool{}
		for i, h := range w.withNeighbors(t.Context(), hits) {
			given, start := h.Chunk.Text, h.Chunk.CharStart
			if h.Given != nil {
				given, start = h.Given.Text, h.Given.CharStart
			}
			if h.Chunk.ID != hits[i].Chunk.ID || !strings.Contains(given, h.Chunk.Text) {
				t.Fatalf("hit %d changed", i)
			}
			for j, r := range []rune(given) {
				if r == '\n' {
					continue
				}
				if runes[start+j] != r || seen[start+j] {
					t.Fatalf("character %d is %q, seen %t", start+j, r, seen[start+j])
				}
				seen[start+j] = true
			}
		}
	}
}

func TestPassagesThatSayTheSameCountOnceUnlessTheirNumbersDiffer(t *testing.T) {
	long := "The committee met in the town hall and decided that the fee for the use of the public baths is raised for all visitors from outside of the district, with the exception of schools and clubs that are registered there."
	for name, c := range map[string]struct {
		second string
		want   string
	}{
		"the same":                     {long, "00"},
		"other case and spaces":        {strings.ToUpper(strings.ReplaceAll(long, " ", "  ")), "00"},
		"a word more":                  {long + " Indeed.", "00"},
		"another number":               {long + " 2023", "00 01"},
		"another end":                  {long[:len(long)/2] + " nothing else was decided on that day, and everybody went home before the rain began to fall.", "00 01"},
		"something else":               {"Bees visit two million flowers for a pound of honey.", "00 01"},
		"nothing but white space":      {" \n\t ", "00"},
		"nothing at all":               {"", "00"},
		"nothing that can be seen":     {"\x00\x1b\a \u200b\u2060\ufeff\u00ad", "00"},
		"something that can be seen":   {"\x00…", "00 01"},
		"a passage without any letter": {"!!! ???", "00 01"},
	} {
		x, s := world(2)
		s.text("chunk00", long)
		s.text("chunk01", c.second)
		if got := ids(retrieve(t, New(x, s, Options{}), query("vacation")).Hits); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	x, s := world(2)
	s.text("chunk00", long+" In 2022 it was 4 Euro.")
	s.text("chunk01", long+" In 2023 it was 5 Euro.")
	if got := ids(retrieve(t, New(x, s, Options{}), query("vacation")).Hits); got != "00 01" {
		t.Errorf("two years: %s", got)
	}
}

func TestAPassageOfAMegabyteIsCutBetweenCharacters(t *testing.T) {
	x, s := world(1)
	s.text("chunk00", strings.Repeat("größe ", 200_000))
	c := retrieve(t, New(x, s, Options{}), query("vacation")).Hits[0].Chunk
	if len(c.Text) > maxPassage || len(c.Text) < maxPassage-4 || !utf8.ValidString(c.Text) || c.CharEnd-c.CharStart != utf8.RuneCountInString(c.Text) {
		t.Errorf("%d bytes, %d to %d", len(c.Text), c.CharStart, c.CharEnd)
	}
	// Its pages are those of what is left.
	long := s.chunks["chunk00"]
	long.Page, long.PageEnd, long.TableHeader = 3, 9, long.Text
	for end, starts := range map[int][]assistants.PageStart{
		4: {{Page: 4, CharStart: c.CharEnd - 1}, {Page: 5, CharStart: c.CharEnd}, {Page: 9, CharStart: 500_000}},
		3: {{Page: 9, CharStart: c.CharEnd}},
		9: nil, // not noted
	} {
		long.PageStarts = starts
		s.chunks["chunk00"] = long
		c := retrieve(t, New(x, s, Options{}), query("vacation")).Hits[0].Chunk
		if c.PageEnd != end || len(c.PageStarts) != max(0, len(starts)-2) || c.TableHeader != "" {
			t.Errorf("pages %d to %d, %v", c.Page, c.PageEnd, c.PageStarts)
		}
	}
}

// A database may hold passages of any length, at any place. None of them
// becomes more than a model can be given.
func TestNeighboursOfAnyLengthAreBounded(t *testing.T) {
	huge := strings.Repeat("größe ", 200_000)
	at := func(index, start int, text string) assistants.Chunk {
		return assistants.Chunk{
			ID: assistants.ChunkID(fmt.Sprintf("chunk%02d", index)), DocumentID: "doc", Version: 1, Index: index, Text: text,
			CharStart: start, CharEnd: start + utf8.RuneCountInString(text),
		}
	}
	lying := at(2, 10, huge)
	lying.CharEnd = 20
	headed := at(2, 11, "after it")
	headed.TableHeader = huge
	for name, c := range map[string]struct {
		hit, neighbour assistants.Chunk
		want           string // of both; "": the hit stands alone
	}{
		"both short":            {at(1, 0, "the hit"), at(2, 8, "after it"), "the hit\nafter it"},
		"a long one after it":   {at(1, 0, "the hit"), at(2, 8, huge), ""},
		"a long one before it":  {at(1, 1_200_001, "the hit"), at(0, 0, huge), ""},
		"one after a long hit":  {at(1, 0, huge), at(2, 1_200_001, "after it"), ""},
		"one before a long hit": {at(1, 11, huge), at(0, 0, "before it"), "before it\n\n" + huge[:maxPassage]},
		"one far away":          {at(1, 0, "the hit"), at(2, 1<<60, "after it"), ""},
		"one far before":        {at(1, 1<<60, "the hit"), at(0, 0, "before it"), ""},
		"one on the wrong side": {at(1, 1<<40, "the hit"), at(2, 8, "after it"), ""},
		"a negative place":      {at(1, 0, "the hit"), at(2, -1<<60, "after it"), ""},
		"one that lies":         {at(1, 0, "the hit"), lying, ""},
		"one with a header":     {at(1, 0, "the hit"), headed, ""},
	} {
		s := &store{chunks: map[assistants.ChunkID]assistants.Chunk{c.hit.ID: c.hit, c.neighbour.ID: c.neighbour}}
		x := &index{answer: anyway([]assistants.Match{{ChunkID: c.hit.ID, DocumentID: "doc", Version: 1, Score: 1}})}
		q := query("vacation")
		q.Neighbors = 1
		got := ""
		if given := retrieve(t, New(x, s, Options{}), q).Hits[0].Given; given != nil {
			got = given.Text
		}
		if want := strings.ToValidUTF8(c.want, ""); got != want {
			t.Errorf("%s: %d bytes given, want %d", name, len(got), len(want))
		}
	}
}

func TestForeignPassagesAreDroppedAndLogged(t *testing.T) {
	for _, foreign := range []bool{true, false} {
		var log bytes.Buffer
		x, s := world(4)
		delete(s.chunks, "chunk01")
		if foreign {
			s.foreign = []assistants.DocumentID{"doc01"}
		}
		res := retrieve(t, New(x, s, Options{Log: slog.New(slog.NewTextHandler(&log, nil))}), query("vacation"))
		if ids(res.Hits) != "00 02 03" || res.Trace.Gone != 1 {
			t.Errorf("hits %s, %d gone", ids(res.Hits), res.Trace.Gone)
		}
		if got := log.String(); strings.Contains(got, "security") != foreign || strings.Contains(got, "ERROR") != foreign || foreign && !strings.Contains(got, "doc01") || strings.Contains(got, "vacation") {
			t.Errorf("foreign %t: log %s", foreign, got)
		}
	}
}

func TestOnlyTheBestAreKept(t *testing.T) {
	x, s := world(10)
	q := query("vacation")
	q.TopK, q.Keep = 5, 2
	if got := ids(retrieve(t, New(x, s, Options{}), q).Hits); got != "00 01" {
		t.Errorf("hits %s", got)
	}
}

func TestSeveralWordingsNeverMixVersions(t *testing.T) {
	p := plan{list: []subquery{{share: 1}, {share: 1, group: 1}}, groups: 2}
	old := []assistants.Match{{ChunkID: "a1", DocumentID: "a", Version: 1, Score: 0.9}, {ChunkID: "b1", DocumentID: "b", Version: 1, Score: 0.5}}
	now := []assistants.Match{{ChunkID: "a2", DocumentID: "a", Version: 2, Score: 0.6}, {ChunkID: "b1", DocumentID: "b", Version: 1, Score: 0.7}}
	var got []string
	for _, m := range p.merge([][]assistants.Match{old, now}, 0.3) {
		got = append(got, fmt.Sprint(m.ChunkID, m.Score))
	}
	if !slices.Equal(got, []string{"b10.7", "a20.6"}) {
		t.Errorf("%q", got)
	}
}

// A table of contents has the words of every question, and the answer to none.
func TestTablesOfContentsCountHalf(t *testing.T) {
	x, s := world(5)
	contents := "4.1 Vacation days … 12\n4.2 | Days of rest … | 13\n4.3 Sick leave .......... 14\n4.4 Parents . . . . . 15\nA Forms … iv"
	s.text("chunk00", contents)
	s.text("chunk01", "Wait … and see … three days. Then … 4 more … five in all, and whoever … asks for more of them writes to the office … within a week.")
	if res := retrieve(t, New(x, s, Options{}), query("vacation")); ids(res.Hits) != "01 02 03" {
		t.Errorf("hits %s", ids(res.Hits))
	}
	x, s = world(3)
	s.text("chunk00", "Name: …\nStreet: …\nCity: ........\nPhone: . . . . .\nTo be filled in by the office: …") // a form
	if res := retrieve(t, New(x, s, Options{}), query("vacation")); ids(res.Hits) != "00 01 02" || res.Hits[0].Score != 1 {
		t.Errorf("hits %+v", res.Hits)
	}
	x, s = world(2)
	s.text("chunk00", contents)
	res := retrieve(t, New(x, s, Options{}), query("vacation"))
	if ids(res.Hits) != "01 00" || res.Hits[1].Score != 0.5 {
		t.Errorf("hits %+v", res.Hits)
	}
	q := query("vacation")
	q.Threshold = 0.6
	if res := retrieve(t, New(x, s, Options{}), q); ids(res.Hits) != "01" {
		t.Errorf("hits over the threshold: %s", ids(res.Hits))
	}
	// A table of contents is no reason to show what is below the threshold.
	x.answer = anyway([]assistants.Match{{ChunkID: "chunk00", DocumentID: "doc00", Version: 1, Score: 0.9}, {ChunkID: "chunk01", DocumentID: "doc01", Version: 1, Score: 0.5}})
	q.Lenient = true
	if res := retrieve(t, New(x, s, Options{}), q); len(res.Hits) > 0 {
		t.Errorf("hits below the threshold: %s", ids(res.Hits))
	}
}
