// Package responses speaks OpenAI's API of responses: a request becomes a chat request of
// this server to itself, and the chat's answer a response, with its citations as
// annotations.
//
// It obeys one rule: what it cannot pass on to the chat is an error that names it. It
// knows no model, no index and no database; its caller passes them in behind the
// interfaces of this package, and the chat as a handler of HTTP.
package responses

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
	"footnote/proxy/front"
)

// Answers reads the answers of assistants that store them. Errors wrap ErrUnavailable
// when the database cannot answer.
type Answers interface {
	// AssistantOfAnswer finds the assistant that an answer belongs to, if it is in sight
	// and, unless of is "", the answer to a question with that key. ErrNotFound.
	AssistantOfAnswer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID, sight assistants.Sight, of assistants.KeyID) (assistants.Assistant, error)
	Answer(ctx context.Context, tenant assistants.TenantID, id assistants.AnswerID) (assistants.Answer, error)
	FindAnswers(ctx context.Context, tenant assistants.TenantID, assistant assistants.AssistantID, q assistants.AnswerQuery, list assistants.List) (assistants.Listing[assistants.Answer], error)
}

// History writes what chats have noted.
type History interface {
	// Flush waits until what was noted can be found. ErrUnavailable.
	Flush(ctx context.Context) error
}

// Deps are the parts that a handler works with. All are required but Answers and History.
type Deps struct {
	Front *front.Front
	// Chat answers a chat request of a caller within this process, and the control API's
	// requests about stored answers.
	Chat    func(w http.ResponseWriter, r *http.Request, caller access.Principal)
	Answers Answers // nil: nothing is stored
	History History // nil: nothing is stored
	Now     func() time.Time
}

// A Handler answers requests for responses. It is safe for concurrent use.
type Handler struct{ deps Deps }

// New returns a handler.
func New(d Deps) *Handler { return &Handler{d} }

// Headers of chats.
const (
	answerHeader  = "X-Footnote-Answer"
	threadHeader  = "X-Thread-Id"
	historyHeader = "X-Footnote-History"
	formatHeader  = "X-Footnote-Citation-Format"
)

// Create answers POST /v1/responses, also at the address of an assistant.
func (h *Handler) Create(c *gin.Context, caller access.Principal) error {
	in, r, err := h.read(c, caller)
	if err != nil {
		return err
	}
	memory := h.deps.Front.NewShare()
	defer memory.Release()
	if in.stream {
		h.stream(c, in, r, caller, memory)
		return nil
	}
	out := &whole{header: http.Header{}, memory: memory}
	h.deps.Chat(out, r, caller)
	switch {
	case out.failure != nil:
		return out.failure
	case c.Request.Context().Err() != nil && out.status != http.StatusOK:
		return context.Cause(c.Request.Context())
	case out.status != http.StatusOK:
		maps.Copy(c.Writer.Header(), out.header)
		return refuse(c.Writer, in, out.status, out.body.Bytes())
	}
	answer, err := readCompletion(out.body.Bytes())
	if err != nil {
		return err
	}
	object := in.object(out.header, h.deps.Now())
	object.answered(answer)
	body, err := encode(object)
	if err != nil {
		return err
	}
	copyHeaders(c.Writer.Header(), out.header)
	c.Data(http.StatusOK, "application/json", body)
	return nil
}

// read reads a request, and makes the chat request that it becomes.
func (h *Handler) read(c *gin.Context, caller access.Principal) (*request, *http.Request, error) {
	body, err := h.deps.Front.ReadJSON(c)
	if err != nil {
		return nil, nil, err
	}
	defer body.Release()
	in, err := readRequest(body.Bytes)
	if err != nil {
		return nil, nil, err
	}
	if err := h.resolve(c.Request.Context(), caller, in); err != nil {
		return nil, nil, err
	}
	before, err := h.before(c.Request.Context(), caller, in)
	if err != nil {
		return nil, nil, err
	}
	chat, err := in.chat(before.messages)
	if err != nil {
		return nil, nil, err
	}
	r := c.Request.Clone(c.Request.Context())
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(chat)), int64(len(chat)), nil
	r.URL = &url.URL{Path: atChat(c.Request.URL.Path), RawPath: atChat(c.Request.URL.RawPath)}
	r.RequestURI = r.URL.RequestURI()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Content-Length", strconv.Itoa(len(chat)))
	r.Header.Set(formatHeader, string(assistants.FormatNative)) // which the response is made from
	if in.store != nil && !*in.store {
		r.Header.Set(historyHeader, "off")
	}
	if before.thread != "" {
		r.Header.Set(threadHeader, string(before.thread))
	}
	return in, r, nil
}

// atChat is the path of the chat beside a path of responses.
func atChat(path string) string {
	at, ok := strings.CutSuffix(path, "/responses")
	if !ok {
		return path // "", if the path has no escapes
	}
	return at + "/chat/completions"
}

// copyHeaders copies what a chat says in its headers, other than of its body.
func copyHeaders(to, from http.Header) {
	for name, values := range from {
		if name != "Content-Length" && name != "Content-Type" && name != "X-Request-Id" {
			to[name] = values
		}
	}
}

// A whole keeps an answer in memory. It implements [http.ResponseWriter].
type whole struct {
	header  http.Header
	status  int
	body    bytes.Buffer
	memory  *front.Share
	failure error // there is no memory for it
}

// Header implements [http.ResponseWriter].
func (w *whole) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *whole) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements [http.ResponseWriter].
func (w *whole) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.failure != nil {
		return 0, w.failure
	}
	if w.failure = w.memory.Take(2 * len(p)); w.failure != nil { // the answer, and the response made from it
		return 0, w.failure
	}
	return w.body.Write(p)
}

// refuse passes on the error of a chat. It names the parameter that the client has sent
// where the chat knows it by another name.
func refuse(w http.ResponseWriter, in *request, status int, body []byte) error {
	if renamed := in.renamed(body); renamed != nil {
		body = renamed
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(status)
	_, err := w.Write(body)
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		return nil //nolint:nilerr // the client has left
	}
	return nil
}

// Get answers GET /v1/responses/{id} with a stored response.
func (h *Handler) Get(c *gin.Context, caller access.Principal) error {
	for name, remedy := range map[string]string{
		"stream": "A stored response is no stream; leave stream out.", "starting_after": "A stored response is no stream; leave starting_after out.",
		"include": "The sources of a response are in its member citations; leave include out.", "include[]": "The sources of a response are in its member citations; leave include out.",
	} {
		if value, given := c.GetQuery(name); given && (name != "stream" || value != "false") {
			return unsupported(name, remedy)
		}
	}
	found, err := h.stored(c.Request.Context(), caller, c.Param("answer"))
	if err != nil {
		return err
	}
	body, err := encode(storedObject(found))
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, "application/json", body)
	return nil
}

// Delete answers DELETE /v1/responses/{id}. The control API deletes the stored answer.
func (h *Handler) Delete(c *gin.Context, caller access.Principal) error {
	id := c.Param("answer")
	if caller.Anonymous {
		return assistants.ErrUnauthorized
	}
	if !assistants.IsID("ans_", id) {
		return assistants.ErrNotFound
	}
	r := c.Request.Clone(c.Request.Context())
	r.URL = &url.URL{Path: "/v1.0/history/" + id}
	r.RequestURI = r.URL.RequestURI()
	memory := h.deps.Front.NewShare()
	defer memory.Release()
	out := &whole{header: http.Header{}, memory: memory}
	h.deps.Chat(out, r, caller)
	if out.status != http.StatusNoContent {
		maps.Copy(c.Writer.Header(), out.header)
		return refuse(c.Writer, &request{}, out.status, out.body.Bytes())
	}
	c.JSON(http.StatusOK, struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Deleted bool   `json:"deleted"`
	}{id, "response", true})
	return nil
}

// unsupported says that a parameter is known and cannot be obeyed.
func unsupported(param, remedy string) error {
	e := apierr.Unsupported(param)
	e.Message = remedy
	return e
}
