package search

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
)

// Bounds of a request.
const (
	maxQuery       = 500 // characters
	maxLimit       = 50
	defaultLimit   = 10
	quickLimit     = 5
	maxCollections = 1000
)

// A request is what a client asks for.
type request struct {
	query       string
	chunk       assistants.ChunkID
	collections []string // nil: all that the key may see
	assistant   string   // "": the key's default
	limit       int
	synthesize  bool
	stream      bool
	filter      assistants.Filter
}

// members are those of all four requests; each route takes some of them.
type members struct {
	Query       *string         `json:"query" want:"a string"`
	Chunk       *string         `json:"chunk_id" want:"a string"`
	Collections json.RawMessage `json:"collections" want:"a list of ids, or null"`
	Assistant   json.RawMessage `json:"assistant" want:"an id or a slug, or null"`
	Limit       *int            `json:"limit" want:"a whole number"`
	Synthesize  *bool           `json:"synthesize" want:"true or false"`
	Stream      *bool           `json:"stream" want:"true or false"`
	Filter      json.RawMessage `json:"metadata_filter" want:"an object"`
}

// taken lists the members that each route takes.
var taken = map[string][]string{
	"search":  {"query", "collections", "assistant", "limit", "synthesize", "stream", "metadata_filter"},
	"quick":   {"query", "collections", "assistant", "metadata_filter"},
	"similar": {"chunk_id", "collections", "assistant", "limit", "metadata_filter"},
	"explain": {"query", "chunk_id", "assistant"},
}

// read reads the request's body, and the other ways to ask for a stream.
func (j *job) read(c *gin.Context, route string) error {
	body, err := j.deps.Front.ReadJSON(c)
	if err != nil {
		return err
	}
	defer body.Release()
	all, err := jsonbody.Members(body.Bytes)
	if err != nil {
		return err
	}
	for name := range all {
		if !slices.Contains(taken[route], name) {
			return apierr.Unsupported(name)
		}
	}
	var m members
	if err := jsonbody.Decode(body.Bytes, &m); err != nil {
		return err
	}
	j.in = request{limit: defaultLimit, synthesize: true}
	if slices.Contains(taken[route], "query") {
		if err := j.in.readQuery(m.Query); err != nil {
			return err
		}
		j.event.Query = j.in.query
	}
	if slices.Contains(taken[route], "chunk_id") {
		if m.Chunk == nil {
			return apierr.Missing("chunk_id")
		}
		j.in.chunk = assistants.ChunkID(*m.Chunk)
	}
	if err := j.in.readRest(m); err != nil || route != "search" {
		return err
	}
	return j.in.readStream(c, m.Stream)
}

func (in *request) readQuery(query *string) error {
	if query == nil {
		return apierr.Missing("query")
	}
	in.query = strings.TrimSpace(*query)
	if in.query == "" {
		return apierr.Invalid("query", "query must not be empty.")
	}
	if utf8.RuneCountInString(*query) > maxQuery {
		return apierr.Invalid("query", fmt.Sprintf("query must have at most %d characters.", maxQuery))
	}
	return nil
}

func (in *request) readRest(m members) (err error) {
	if m.Limit != nil {
		if in.limit = *m.Limit; in.limit < 1 || in.limit > maxLimit {
			return apierr.Invalid("limit", fmt.Sprintf("limit must be a whole number from 1 to %d.", maxLimit))
		}
	}
	if m.Synthesize != nil {
		in.synthesize = *m.Synthesize
	}
	if given(m.Filter) {
		if in.filter, err = assistants.ParseFilter(m.Filter); err != nil {
			return err
		}
	}
	if given(m.Assistant) {
		if json.Unmarshal(m.Assistant, &in.assistant) != nil {
			return apierr.InvalidType("assistant", "assistant must be an id or a slug, or null.")
		}
		if in.assistant == "" {
			return apierr.Invalid("assistant", "assistant must be an id or a slug; leave it out for the key's default.")
		}
	}
	if given(m.Collections) {
		var ids []*string
		if json.Unmarshal(m.Collections, &ids) != nil || slices.Contains(ids, nil) {
			return apierr.InvalidType("collections", "collections must be a list of ids, or null.")
		}
		if len(ids) == 0 || len(ids) > maxCollections {
			return apierr.Invalid("collections", fmt.Sprintf("collections must have from 1 to %d ids; send null for all that the key may see.", maxCollections))
		}
		for _, id := range ids {
			in.collections = append(in.collections, *id)
		}
	}
	return nil
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return raw != nil && string(raw) != "null" }

// readStream reads the three ways to ask for a stream: the body, the query of the
// address, and the header Accept.
func (in *request) readStream(c *gin.Context, asked *bool) error {
	in.stream = asked != nil && *asked
	if text, ok := c.GetQuery("stream"); ok {
		on, err := strconv.ParseBool(text)
		if err != nil || text != "true" && text != "false" {
			return apierr.Invalid("stream", "stream must be true or false.")
		}
		in.stream = in.stream || on
	}
	for _, accept := range c.Request.Header.Values("Accept") {
		for media := range strings.SplitSeq(accept, ",") {
			media, _, _ = strings.Cut(media, ";")
			in.stream = in.stream || strings.EqualFold(strings.TrimSpace(media), "text/event-stream")
		}
	}
	return nil
}
