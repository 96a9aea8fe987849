package upstream

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestAPanicWhilePassagesAreEmbeddedIsAnErrorAndFreesItsSlot(t *testing.T) {
	e := newEmbeddingServer(t).embedder(t, nil)
	client := e.http
	e.http = nil // so a request panics
	_, err := e.EmbedPassages(t.Context(), make([]string, maxBatchTexts*(passageCalls+1)))
	if err == nil || !strings.Contains(err.Error(), "panic: ") || len(e.passages) != 0 {
		t.Errorf("got %v, %d slots are taken", err, len(e.passages))
	}
	e.http = client
	if _, err := e.EmbedPassages(t.Context(), []string{"one"}); err != nil {
		t.Error(err)
	}
}

func TestAPanicWhileModelsAreListedIsAnError(t *testing.T) {
	models := &modelList{fetch: func(context.Context) ([]Model, error) { panic("a bug") }, base: t.Context(), limit: time.Minute, now: time.Now}
	if _, err := models.get(t.Context()); err == nil || !strings.Contains(err.Error(), "panic: a bug") {
		t.Errorf("got %v", err)
	}
}
