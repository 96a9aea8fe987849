package citations

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// threePassages returns two passages of one document around one of another.
func threePassages() []Source {
	page := func(n int) *int { return &n }
	return []Source{
		{DocumentID: "doc_a", DocumentName: "A.pdf", Score: .6, ChunkID: "chunk_1", ChunkIndex: 1, PageNumber: page(2), CharStart: 10, CharEnd: 20, Text: "first of A"},
		{DocumentID: "doc_b", DocumentName: "B.pdf", Score: .9, ChunkID: "chunk_2", ChunkIndex: 0, Text: "of B", CharEnd: 4},
		{DocumentID: "doc_a", DocumentName: "A.pdf", Score: .8, ChunkID: "chunk_3", ChunkIndex: 7, PageNumber: page(5), CharStart: 90, CharEnd: 101, Text: "second of A"},
	}
}

func TestPassagesOfADocumentShareItsNumber(t *testing.T) {
	s := NewSet(threePassages(), Options{Numbering: NumberDocuments})
	if got := s.Sources(); len(got) != 2 || got[0].ChunkID != "chunk_3" || got[0].Score != .8 || *got[0].PageNumber != 5 ||
		got[0].Excerpt != "second of A" || got[0].Index != 1 || got[1].Index != 2 || len(got[0].Chunks) != 2 || len(got[1].Chunks) != 1 {
		t.Errorf("%+v", got)
	}
	var numbers []int
	for _, p := range s.Passages() {
		numbers = append(numbers, p.Index)
	}
	if !slices.Equal(numbers, []int{1, 1, 2}) {
		t.Errorf("%v", numbers)
	}
	tr := s.Tracker()
	tr.Write(0, "It is [2] so [3].")
	c := tr.Result()
	if !slices.Equal(c.ReferencedIndices, []int{2}) || !slices.Equal(c.InvalidIndices, []int{3}) {
		t.Errorf("%+v", c)
	}
	const want = `"chunks":[{"chunk_id":"chunk_1","chunk_index":1,"page_number":2,"char_start":10,"char_end":20,"score":0.6},` +
		`{"chunk_id":"chunk_3","chunk_index":7,"page_number":5,"char_start":90,"char_end":101,"score":0.8}]`
	if raw := string(c.AppendJSON(nil)); !strings.Contains(raw, want) {
		t.Error(raw)
	}
}

func TestPassagesWithoutADocumentKeepNumbersOfTheirOwn(t *testing.T) {
	s := NewSet([]Source{{Text: "a"}, {Text: "b"}}, Options{Numbering: NumberDocuments})
	if got := s.Sources(); len(got) != 2 || got[1].Index != 2 {
		t.Errorf("%+v", got)
	}
}

func TestDroppingPassagesDropsADocumentWithItsLast(t *testing.T) {
	s := NewSet(threePassages(), Options{Numbering: NumberDocuments})
	block := s.Prompt(PromptOptions{Cite: true, Instruct: true})
	if got := strings.Count(block, "\n[1] (Source: "); got != 2 {
		t.Errorf("%d headers of document 1 in\n%s", got, block)
	}
	if !strings.Contains(block, "the only valid numbers are 1 to 2") {
		t.Error(block)
	}
	if dropped := s.Fit(PromptOptions{Cite: true, Instruct: true}, len(block)-1, func(b string) int { return len(b) }); dropped != 1 || len(s.Sources()) != 1 || len(s.Passages()) != 2 {
		t.Errorf("dropped %d, left %+v", dropped, s.Passages())
	}
	if got := s.Sources()[0]; len(got.Excerpt) != len("second of A") || got.Citation != "(Source: A.pdf, page 5, chunk 7)" {
		t.Errorf("%+v", got)
	}
}

// Passages that share a number have separate headers and fences.
func TestEveryPassageOfADocumentHasItsOwnHeader(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	header := regexp.MustCompile(`(?mi)^[ \t]*\[([\p{Nd} \t]+)\][ \t]*\(source`)
	for range 2_000 {
		given := make([]Source, 1+r.IntN(6))
		for i := range given {
			given[i] = Source{DocumentID: fmt.Sprint(r.IntN(3)), DocumentName: mixture(r), Text: mixture(r), PageNumber: pointer(i + 1)}
		}
		set := NewSet(given, Options{Numbering: NumberDocuments})
		prompt := set.Prompt(PromptOptions{Secret: []byte("k"), Cite: true})
		var got, want []string
		for _, h := range header.FindAllStringSubmatch(prompt, -1) {
			got = append(got, h[1])
		}
		for _, p := range set.Passages() {
			want = append(want, strconv.Itoa(p.Index))
			if page := fmt.Sprintf(", page %d)\n<passage ", *p.PageNumber); strings.Count(prompt, page) != 1 {
				t.Fatalf("%q is not there once in\n%s", page, prompt)
			}
		}
		if fences := len(fenceLine.FindAllString(prompt, -1)); !slices.Equal(got, want) || fences != 2*len(given) {
			t.Fatalf("headers %v, want %v; %d fence lines in\n%s", got, want, fences, prompt)
		}
	}
}
