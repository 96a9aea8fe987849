package upstream

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
)

// maxDimensions bounds a vector; the longest known ones have 4096 numbers.
const maxDimensions = 1 << 16

// An embeddingItem is one vector of an answer. Some servers leave the index out.
type embeddingItem struct {
	Index     *int            `json:"index"`
	Embedding json.RawMessage `json:"embedding"`
}

// parseEmbeddings reads the vectors of as many texts, in the texts' order, scaled to
// length 1. A vector that is missing, repeated, zero, of another length than the
// rest, or not numeric makes the whole answer invalid.
func parseEmbeddings(raw []byte, texts int) ([][]float32, error) {
	var answer struct {
		Data []embeddingItem `json:"data"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, Invalid("The embedding server's answer could not be read.")
	}
	if len(answer.Data) != texts {
		return nil, Invalid("The embedding server's answer has not as many vectors as texts were sent.")
	}
	vectors := make([][]float32, texts)
	for place, item := range answer.Data {
		at := place
		if item.Index != nil {
			at = *item.Index
		}
		if (item.Index == nil) != (answer.Data[0].Index == nil) || at < 0 || at >= texts || vectors[at] != nil {
			return nil, Invalid("The embedding server's answer does not tell which vector is of which text.")
		}
		vector, ok := parseVector(item.Embedding)
		if !ok {
			return nil, Invalid("The embedding server's answer has a vector that is zero, or has what is no number.")
		}
		if vectors[at] = vector; len(vector) != len(vectors[firstMade(vectors)]) {
			return nil, Invalid("The embedding server's answer has vectors of different lengths.")
		}
	}
	return vectors, nil
}

func firstMade(vectors [][]float32) int {
	for i, v := range vectors {
		if v != nil {
			return i
		}
	}
	return 0
}

// parseVector reads a list of numbers, or base64 of 32-bit numbers with the low
// byte first, and brings it to length 1.
func parseVector(raw json.RawMessage) ([]float32, bool) {
	var vector []float32
	switch {
	case len(raw) == 0:
		return nil, false
	case raw[0] == '"':
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(data)%4 != 0 {
			return nil, false
		}
		vector = make([]float32, len(data)/4)
		for i := range vector {
			vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case bytes.Contains(raw, []byte("null")): // encoding/json would take it for 0
		return nil, false
	default:
		if json.Unmarshal(raw, &vector) != nil {
			return nil, false
		}
	}
	return vector, len(vector) <= maxDimensions && toUnit(vector)
}

// toUnit scales a vector to length 1. It returns false if its length is not a
// positive number.
func toUnit(vector []float32) bool {
	var square float64
	for _, x := range vector {
		square += float64(x) * float64(x)
	}
	if !(square > 0) || math.IsInf(square, 0) {
		return false
	}
	scale := 1 / math.Sqrt(square)
	for i, x := range vector {
		vector[i] = float32(float64(x) * scale)
	}
	return true
}
