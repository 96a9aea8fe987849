package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"footnote/assistants"
)

// A library in English is asked in German, with no word that is in it: the
// English model does not know what is meant. With the multilingual one beside
// it, installed later, the library is embedded anew and finds it.
func TestTheMultilingualModelFindsWhatIsAskedInAnotherLanguage(t *testing.T) {
	weights, second := packedModel(t), packedFile(t, "FOOTNOTE_TEST_MULTILINGUAL", "model-multilingual")
	data := t.TempDir()
	install := func(file, name string) {
		t.Helper()
		if out, said, code := run(t, t.TempDir(), "model", "import", "--data-dir", data, file); code != 0 || !strings.Contains(out, name) {
			t.Fatalf("exit status %d: %s%s", code, out, said)
		}
	}
	status := func(p *process) (s embedderStatus) {
		t.Helper()
		p.json(http.MethodGet, "/v1.0/status", nil, &s)
		return s
	}
	stop := func(p *process) {
		t.Helper()
		if p.stop(os.Interrupt) != 0 {
			t.Errorf("the server did not stop well:\n%s", p.stderr)
		}
	}
	install(weights, "all-MiniLM-L6-v2")
	p := start(t, data, nil)
	var assistant struct {
		CollectionID string `json:"collection_id"`
	}
	if code := p.json(http.MethodPost, "/v1.0/assistants", map[string]string{"slug": "notes", "name": "Notes"}, &assistant); code != 201 {
		t.Fatal(code)
	}
	for name, text := range map[string]string{
		"bees.txt":    "A colony needs twenty kilograms of honey to survive the cold months.",
		"boats.txt":   "The keel of a sailing boat is cast from lead.",
		"letters.txt": "Parcels are handed in at the counter until six in the evening.",
		"roof.txt":    "Broken tiles on the roof are replaced by the landlord.",
	} {
		if doc, code := p.note("notes", name, text); code != 202 {
			t.Fatal(code, doc)
		}
	}
	p.documents("notes")
	stop(p)

	p = start(t, data, nil, "FOOTNOTE_EMBEDDING_MODEL=multilingual")
	if e := status(p).Embedder; e.State != "none" || !strings.Contains(e.Reason, "make model-multilingual") {
		t.Errorf("without its weights: %+v", e)
	}
	stop(p)

	install(second, "use-multilingual-3")
	p = start(t, data, nil, "FOOTNOTE_EMBEDDING_MODEL=multilingual")
	if e := status(p).Embedder; e.State != "ready" || e.Model != "all-MiniLM-L6-v2+use-multilingual-3" || e.Dimensions != 896 {
		t.Errorf("status %+v", e)
	}
	if _, measured := assistants.KnownCalibration(status(p).Embedder.Model); !measured {
		t.Error("nobody knows what its cosines mean")
	}
	const question = "Wie viel Nahrung brauchen Bienen im Winter?"
	if n := p.finds(question); n > 0 {
		t.Errorf("%d passages are found by words that none of them has", n)
	}
	collection := "/v1.0/collections/" + assistant.CollectionID
	if code := p.json(http.MethodPost, collection+"/reprocess", nil, nil); code != 202 {
		t.Fatal(code)
	}
	eventually(t, "the library is embedded with both models", func() bool {
		var c struct {
			NeedsReprocess bool `json:"needs_reprocess"`
			Reprocessing   any
		}
		return p.json(http.MethodGet, collection, nil, &c) == 200 && !c.NeedsReprocess && c.Reprocessing == nil
	})
	var found struct{ Data []passage }
	if p.json(http.MethodPost, "/v1.0/assistants/notes/retrieve", map[string]any{"query": question}, &found); len(found.Data) == 0 || !strings.Contains(found.Data[0].Text, "honey") {
		t.Errorf("found %+v", found.Data)
	}
	var made struct {
		Data []struct{ Embedding []float32 }
	}
	if code := p.json(http.MethodPost, "/v1/embeddings", map[string]string{"model": "all-MiniLM-L6-v2+use-multilingual-3", "input": question}, &made); code != 200 || len(made.Data) != 1 || len(made.Data[0].Embedding) != 896 {
		t.Errorf("%d, %d embeddings", code, len(made.Data))
	}
	stop(p)
}
