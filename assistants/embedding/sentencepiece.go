package embedding

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Special pieces, which models of this family have at these indices: one stands
// for unknown characters, the others for the beginning and the end of a text.
// They are never matched in a text, even if it contains their spelling.
const (
	unknownPiece int32 = iota
	beginPiece
	endPiece
)

// pieceSpace replaces the spaces of a text, so that pieces can contain them.
const pieceSpace = "▁"

// longestPiece bounds a piece, in bytes; the model's longest has 48.
const longestPiece = 255

// The fields of SentencePiece's ModelProto that matter here, and their values.
const (
	fieldPiece, fieldTrainer, fieldNormalizer = 1, 2, 3

	fieldPieceText, fieldPieceScore, fieldPieceKind = 1, 2, 3
	kindNormal, kindUnknown, kindControl, kindUser  = 1, 2, 3, 4

	fieldTrainerKind, trainerUnigram = 3, 1

	fieldNormalizerTable                                     = 2
	fieldDummyPrefix, fieldCollapseSpaces, fieldEscapeSpaces = 3, 4, 5
)

var errPieces = errors.New("not a SentencePiece model that can be used")

// A pieceModel is a SentencePiece model as it is published, before newPieces
// converts it. It is of the kind unigram.
type pieceModel struct {
	texts        []string
	scores       []float32
	kinds        []uint64
	units        []uint32 // the normalizer's double array
	replacements string   // the normalizer's replacements, each ended by NUL
}

// parsePieces reads a SentencePiece model. It refuses models that cut texts in
// another way than this package does.
func parsePieces(file []byte) (*pieceModel, error) {
	m := &pieceModel{}
	unigram := true // the default of the format
	err := eachField(file, func(field protowire.Number, value fieldValue) error {
		switch field {
		case fieldPiece:
			return m.addPiece(value.bytes)
		case fieldTrainer:
			return eachField(value.bytes, func(field protowire.Number, value fieldValue) error {
				if field == fieldTrainerKind {
					unigram = value.number == trainerUnigram
				}
				return nil
			})
		case fieldNormalizer:
			return eachField(value.bytes, m.setNormalizer)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !unigram {
		return nil, fmt.Errorf("%w: not of the kind unigram", errPieces)
	}
	if len(m.kinds) <= int(endPiece) || m.kinds[unknownPiece] != kindUnknown || m.kinds[beginPiece] != kindControl || m.kinds[endPiece] != kindControl {
		return nil, fmt.Errorf("%w: it does not begin with <unk>, <s> and </s>", errPieces)
	}
	return m, nil
}

// addPiece reads a piece. A piece may have a space at its beginning only, so that
// a text can be cut word by word. User-defined pieces, of which the model has
// none, are scored like all others.
func (m *pieceModel) addPiece(message []byte) error {
	text, score, kind := "", float32(0), uint64(kindNormal)
	err := eachField(message, func(field protowire.Number, value fieldValue) error {
		switch field {
		case fieldPieceText:
			text = string(value.bytes)
		case fieldPieceScore:
			score = math.Float32frombits(uint32(value.number))
		case fieldPieceKind:
			kind = value.number
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case text == "" || len(text) > longestPiece || !utf8.ValidString(text) || strings.LastIndex(text, pieceSpace) > 0:
		return fmt.Errorf("%w: piece %d is not a text that can be matched", errPieces, len(m.texts))
	case math.IsNaN(float64(score)) || math.IsInf(float64(score), 0):
		return fmt.Errorf("%w: piece %d has no score", errPieces, len(m.texts))
	case kind < kindNormal || kind > kindUser:
		return fmt.Errorf("%w: piece %d is of the kind %d", errPieces, len(m.texts), kind)
	case len(m.texts) == maxVocabulary:
		return fmt.Errorf("%w: it has too many pieces", errPieces)
	}
	m.texts, m.scores, m.kinds = append(m.texts, text), append(m.scores, score), append(m.kinds, kind)
	return nil
}

// setNormalizer reads one field of the normalizer.
func (m *pieceModel) setNormalizer(field protowire.Number, value fieldValue) error {
	switch field {
	case fieldNormalizerTable:
		return m.setTable(value.bytes)
	case fieldDummyPrefix, fieldCollapseSpaces, fieldEscapeSpaces:
		if value.number != 1 {
			return fmt.Errorf("%w: it treats spaces in another way", errPieces)
		}
	}
	return nil
}

// setTable reads the table of replacements: the length of a double array, the
// array, the replacements.
func (m *pieceModel) setTable(table []byte) error {
	if len(table) < 4 {
		return fmt.Errorf("%w: its table of replacements is cut", errPieces)
	}
	length := binary.LittleEndian.Uint32(table)
	table = table[4:]
	if uint64(length) > uint64(len(table)) || length%4 != 0 || length == 0 {
		return fmt.Errorf("%w: its table of replacements is cut", errPieces)
	}
	m.units = make([]uint32, length/4)
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(table[4*i:])
	}
	m.replacements = string(table[length:])
	if !strings.HasSuffix(m.replacements, "\x00") || !utf8.ValidString(m.replacements) {
		return fmt.Errorf("%w: its replacements are no texts", errPieces)
	}
	return nil
}

// A fieldValue is the value of a message's field: bytes, or a number in all other
// formats.
type fieldValue struct {
	bytes  []byte
	number uint64
}

// eachField visits the fields of a message.
func eachField(message []byte, visit func(protowire.Number, fieldValue) error) error {
	for len(message) > 0 {
		field, format, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errPieces
		}
		message = message[n:]
		var value fieldValue
		switch format {
		case protowire.BytesType:
			value.bytes, n = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			value.number, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var number uint32
			number, n = protowire.ConsumeFixed32(message)
			value.number = uint64(number)
		default:
			n = protowire.ConsumeFieldValue(field, format, message)
		}
		if n < 0 {
			return errPieces
		}
		message = message[n:]
		if err := visit(field, value); err != nil {
			return err
		}
	}
	return nil
}
