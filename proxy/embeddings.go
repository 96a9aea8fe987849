package proxy

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/chat"
	"footnote/proxy/upstream"
	"footnote/proxy/wire"
)

// Bounds of a request to the embedder in this process: OpenAI's on the number of
// texts, and as many tokens as one core embeds in some twenty seconds.
const (
	maxEmbeddingTexts  = 2048
	maxEmbeddingTokens = 65_536
	maxTextTokens      = 4066
)

// Embeddings answer POST /v1/embeddings: the server if there is one, else the
// embedder in this process. Without either the answer is 503.
type Embeddings struct {
	Server EmbeddingServer
	Local  LocalEmbedder
}

// An EmbeddingServer is a model server that gets the requests as clients send them.
type EmbeddingServer interface {
	// Model is the model that it is configured with.
	Model() string
	// Embeddings sends a request for embeddings; see [upstream.HTTP.Embeddings].
	Embeddings(ctx context.Context, c upstream.Call) (*upstream.Response, error)
}

// A LocalEmbedder makes vectors in this process.
type LocalEmbedder interface {
	// Space returns the space of its vectors; ErrNoEmbedder.
	Space(ctx context.Context) (assistants.Space, error)
	// EmbedPassages makes the vectors of texts, in order; ErrNoEmbedder,
	// ErrUnavailable, the context's error.
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
	// CountTokens is how many tokens a text has, no fewer than any bound on them.
	CountTokens(text string) int
}

// handleEmbeddings answers one request for embeddings, with a key for chats or
// for search.
func (s *Server) handleEmbeddings(c *gin.Context) error {
	p := principalOf(c)
	if err := p.RequireAny(assistants.ScopeChat, assistants.ScopeSearch); err != nil {
		return err
	}
	if err := s.front.Admit(c); err != nil {
		return err
	}
	defer s.front.Leave()
	entry := entryOf(c)
	entry.Key = p.Key.ID
	body, err := s.front.ReadJSON(c)
	if err != nil {
		return err
	}
	defer body.Release()
	req, err := wire.ReadEmbeddings(body.Bytes)
	if err != nil {
		return err
	}
	ctx, cancel := s.chat.Bounded(c.Request.Context())
	defer cancel(nil)
	if s.deps.Embeddings.Server != nil {
		return s.forwardEmbeddings(ctx, c, p, req)
	}
	return s.embed(ctx, c, p, req)
}

// embeddingModel returns the model that a request is for. The name of an assistant
// that the caller may see stands for the embedder's model, because clients often
// know no other name. Its limits hold then: named is nil without one.
func (s *Server) embeddingModel(ctx context.Context, p access.Principal, asked, own string) (model string, named *assistants.Assistant, err error) {
	if asked == own {
		return own, nil, nil
	}
	a, err := s.visibleModel(ctx, p, asked)
	if err != nil {
		e, ok := errors.AsType[*apierr.Error](err)
		if ok && e.Code == apierr.CodeModelNotFound && s.cfg.Passthrough && s.deps.Embeddings.Server != nil {
			return asked, nil, nil
		}
		return "", nil, err
	}
	return own, a, nil
}

// forwardEmbeddings passes a request on to the server, and its answer back.
func (s *Server) forwardEmbeddings(ctx context.Context, c *gin.Context, p access.Principal, req *wire.EmbeddingsRequest) error {
	server := s.deps.Embeddings.Server
	model, named, err := s.embeddingModel(ctx, p, req.Model(), server.Model())
	if err != nil {
		return err
	}
	if entryOf(c).Model = model; model != req.Model() {
		req.SetModel(model)
	}
	pass, err := s.admitEmbeddings(c, p, named, func() int { return len(req.Body()) / bytesPerToken })
	if err != nil {
		return err
	}
	used := 0
	defer func() { pass.Release(used) }() // after a panic as well
	resp, err := server.Embeddings(ctx, upstream.Call{Body: req.Body(), Model: model, Header: chat.PassedHeaders(c)})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	defer func() { _ = resp.Body.Close() }() // read, or given up
	entryOf(c).UpstreamStatus = resp.Status
	pass.Own(resp.Header)
	memory := s.front.NewShare()
	defer memory.Release()
	answer, err := chat.RelayWhole(ctx, c, resp, memory)
	if err == nil && resp.Status == http.StatusOK {
		used = pass.Estimate()
		if counted, ok := wire.UsageOf(answer); ok {
			used = int(counted.Prompt + counted.Completion)
		}
	}
	return err
}

// bytesPerToken is how long a token is in most texts.
const bytesPerToken = 4

// admitEmbeddings holds a request against the limits of its key and of the assistant that
// it names, once it is known that the caller may make it.
func (s *Server) admitEmbeddings(c *gin.Context, p access.Principal, named *assistants.Assistant, tokens func() int) (*access.Pass, error) {
	pass, err := s.deps.Limits.Admit(c.Request.Context(), p, named, access.Ask{Kind: access.Chat, Tokens: tokens})
	pass.SetHeaders(c.Writer.Header())
	return pass, err
}

// embed answers a request with the embedder in this process.
func (s *Server) embed(ctx context.Context, c *gin.Context, p access.Principal, req *wire.EmbeddingsRequest) error {
	local := s.deps.Embeddings.Local
	if local == nil {
		return assistants.ErrNoEmbedder
	}
	space, err := local.Space(ctx)
	if err != nil {
		return err
	}
	model, named, err := s.embeddingModel(ctx, p, req.Model(), space.Model)
	if err != nil {
		return err
	}
	entryOf(c).Model = model
	texts, err := req.Texts(maxEmbeddingTexts)
	if err != nil {
		return err
	}
	asBase64, err := req.Base64()
	if err != nil {
		return err
	}
	if n, err := req.Dimensions(); err != nil || n != 0 && n != space.Dimensions {
		if err == nil {
			err = apierr.Invalid("dimensions", fmt.Sprintf("%s has %d dimensions, and no other number.", space.Model, space.Dimensions))
		}
		return err
	}
	tokens, err := countTokens(local, texts)
	if err != nil {
		return err
	}
	pass, err := s.admitEmbeddings(c, p, named, func() int { return tokens })
	if err != nil {
		return err
	}
	used := 0
	defer func() { pass.Release(used) }() // after a panic as well
	vectors, err := local.EmbedPassages(ctx, texts)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	used = tokens
	chat.WriteBody(c, http.StatusOK, embeddingList(vectors, space.Model, tokens, asBase64))
	return nil
}

// countTokens adds up the texts, and refuses those that would take too long.
func countTokens(local LocalEmbedder, texts []string) (int, error) {
	total := 0
	for i, text := range texts {
		n := local.CountTokens(text)
		if total += n; n > maxTextTokens {
			return 0, apierr.Invalid(fmt.Sprintf("input[%d]", i), fmt.Sprintf("A text has at most %d tokens; cut it into parts.", maxTextTokens))
		}
		if total > maxEmbeddingTokens {
			return 0, apierr.Invalid("input", fmt.Sprintf("The texts of one request have at most %d tokens; send several requests.", maxEmbeddingTokens))
		}
	}
	return total, nil
}

// embeddingList is OpenAI's list of vectors, as lists of numbers or as base64
// of 32-bit numbers with the low byte first.
func embeddingList(vectors [][]float32, model string, tokens int, asBase64 bool) []byte {
	out := []byte(`{"object":"list","data":[`)
	var raw []byte
	for i, vector := range vectors {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"object":"embedding","index":`...)
		out = append(strconv.AppendInt(out, int64(i), 10), `,"embedding":`...)
		if asBase64 {
			raw = raw[:0]
			for _, x := range vector {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
			}
			out = append(base64.StdEncoding.AppendEncode(append(out, '"'), raw), `"}`...)
			continue
		}
		for j, x := range vector {
			separator := byte(',')
			if j == 0 {
				separator = '['
			}
			out = strconv.AppendFloat(append(out, separator), float64(x), 'g', -1, 32)
		}
		out = append(out, "]}"...)
	}
	out = wire.AppendString(append(out, `],"model":`...), model)
	return fmt.Appendf(out, `,"usage":{"prompt_tokens":%d,"total_tokens":%d}}`, tokens, tokens)
}
