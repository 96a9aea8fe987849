package embedding

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestSentencePieceModelsThatCannotBeUsedAreRefused(t *testing.T) {
	table := replacementTable(tinyReplaced)
	good := sentencePiece(tinyPieces(), table)
	with := func(p tinyPiece) []byte { return sentencePiece(append(tinyPieces(), p), table) }
	normalizer := func(field protowire.Number, value uint64) []byte {
		m := protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), value)
		return protowire.AppendBytes(protowire.AppendTag(slices.Clone(good), fieldNormalizer, protowire.BytesType), m)
	}
	trainer := protowire.AppendVarint(protowire.AppendTag(nil, fieldTrainerKind, protowire.VarintType), 2)
	for name, file := range map[string][]byte{
		"nothing":                        nil,
		"cut":                            good[:len(good)-1],
		"a field that is none":           append(slices.Clone(good), 0xff, 0xff),
		"a group that does not end":      append(slices.Clone(good), 0x0b),
		"no pieces at all":               sentencePiece(nil, table),
		"other first pieces":             sentencePiece(tinyPieces()[1:], table),
		"an empty piece":                 with(tinyPiece{"", -1, kindNormal}),
		"a piece that is no text":        with(tinyPiece{"a\xff", -1, kindNormal}),
		"a piece of two words":           with(tinyPiece{"a▁b", -1, kindNormal}),
		"an endless piece":               with(tinyPiece{strings.Repeat("a", longestPiece+1), -1, kindNormal}),
		"a piece without a score":        with(tinyPiece{"zz", float32(math.NaN()), kindNormal}),
		"a piece that stands for a byte": with(tinyPiece{"<0x00>", 0, 6}),
		"the same piece twice":           with(tinyPiece{"river", -1, kindNormal}),
		"another kind of model":          protowire.AppendBytes(protowire.AppendTag(slices.Clone(good), fieldTrainer, protowire.BytesType), trainer),
		"no space before a text":         normalizer(fieldDummyPrefix, 0),
		"spaces that are kept":           normalizer(fieldCollapseSpaces, 0),
		"spaces that stay what they are": normalizer(fieldEscapeSpaces, 0),
		"a table of three bytes":         sentencePiece(tinyPieces(), []byte{4, 0, 0}),
		"a table that is cut":            sentencePiece(tinyPieces(), []byte{8, 0, 0, 0, 1, 2, 3, 4}),
		"a table of half a unit":         sentencePiece(tinyPieces(), []byte{2, 0, 0, 0, 1, 2, 0}),
		"a table without replacements":   sentencePiece(tinyPieces(), []byte{4, 0, 0, 0, 1, 2, 3, 4}),
		"replacements that are no texts": sentencePiece(tinyPieces(), []byte{4, 0, 0, 0, 1, 2, 3, 4, 0xff, 0}),
	} {
		m, err := parsePieces(file)
		if err == nil {
			_, err = newPieces(m)
		}
		if !errors.Is(err, errPieces) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAModelWithoutReplacementsChangesNoText(t *testing.T) {
	list := tinyPieces()
	file := sentencePiece(list, replacementTable(nil))
	m, err := parsePieces(file[:len(file)-1]) // its table is cut
	if err == nil {
		t.Errorf("%+v", m)
	}
	p := &pieces{}
	if got := string(p.normalize(nil, " Ａ  e\u0301")); got != "▁Ａ▁e\u0301" {
		t.Errorf("%q", got)
	}
}

func FuzzSentencePieceModelsAreReadOrRefused(f *testing.F) {
	f.Add(sentencePiece(tinyPieces()[:6], replacementTable([]string{"\t", " "})[:2000]), "a\tb")
	f.Add(sentencePiece(tinyPieces(), []byte{4, 0, 0, 0, 0, 1, 0, 0, 0}), "the river")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		m, err := parsePieces(file)
		if err != nil {
			return
		}
		p, err := newPieces(m)
		if err != nil {
			return
		}
		ids := p.cut(text, new(cutting))
		if len(ids) < 2 || slices.Min(ids) < 0 || int(slices.Max(ids)) >= len(m.texts) {
			t.Errorf("%v of %d pieces", ids, len(m.texts))
		}
	})
}
