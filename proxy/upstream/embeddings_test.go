package upstream

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
)

func TestServersThatLeaveTheIndexOutAreTakenAtTheirOrder(t *testing.T) {
	s := newEmbeddingServer(t)
	s.before = func(_ int, w http.ResponseWriter, _ embeddingRequest) bool {
		fmt.Fprint(w, `{"data":[{"embedding":[1,1]},{"embedding":[2,1]}]}`)
		return true
	}
	embedAll(t, s.embedder(t, nil), []string{"x", "xx"})
}

// A server may answer 200 with any text, such as a page with secrets. No error repeats it.
func TestTextInPlaceOfVectorsIsNotShown(t *testing.T) {
	s := newEmbeddingServer(t)
	s.before = func(_ int, w http.ResponseWriter, _ embeddingRequest) bool {
		fmt.Fprint(w, "confidential")
		return true
	}
	e := s.embedder(t, nil)
	_, err := e.EmbedPassages(context.Background(), []string{"a"})
	if err == nil || strings.Contains(err.Error()+e.Status().Reason, "confidential") {
		t.Errorf("%v, %+v", err, e.Status())
	}
}

func TestVectorsBehindAByteOrderMarkAreRead(t *testing.T) {
	s := newEmbeddingServer(t)
	s.before = func(_ int, w http.ResponseWriter, _ embeddingRequest) bool {
		fmt.Fprint(w, "\ufeff"+`{"data":[{"embedding":[1,1]},{"embedding":[2,1]}]}`)
		return true
	}
	embedAll(t, s.embedder(t, nil), []string{"x", "xx"})
}

func FuzzAnswersOfEmbeddingServers(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":1,"embedding":[1,2]},{"index":0,"embedding":"AACAPwAAgD8="}]}`), 2)
	f.Add([]byte(`{"data":[{"embedding":[1,2]}]}`), 1)
	f.Fuzz(func(t *testing.T, raw []byte, texts int) {
		vectors, err := parseEmbeddings(raw, min(max(texts, 1), 100))
		if err != nil {
			return
		}
		for _, v := range vectors {
			var square float64
			for _, x := range v {
				square += float64(x) * float64(x)
			}
			if len(v) != len(vectors[0]) || math.Abs(square-1) > 1e-3 {
				t.Fatalf("%v", v)
			}
		}
	})
}
