package control

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

// Entity tags are hashes of what a GET answers with, and not revisions of rows:
// a client's copy is stale exactly if it would look different now, whether its
// row has changed, or another one that it shows, or the program.

// tagOf returns the entity tag of what GET answers with. beside is what a change
// of must change the tag as well, although it is not shown.
func tagOf(view any, beside ...any) string {
	raw, err := json.Marshal(append([]any{view}, beside...))
	if err != nil {
		panic(err) // views have a JSON form; otherwise they could not be answers
	}
	sum := sha256.Sum256(raw)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
}

func tagOfAssistant(a assistants.Assistant) string { return tagOf(viewAssistant(a)) }

func tagOfSettings(a assistants.Assistant) string { return tagOf(a.Settings) }

func tagOfDocument(d assistants.Document) string { return tagOf(viewDocument(d)) }

func tagOfKey(k assistants.Key) string { return tagOf(viewKey(k)) }

// tagOfUpstream also depends on when the upstream was changed, because the view
// masks its secrets.
func tagOfUpstream(u assistants.Upstream) string {
	return tagOf(viewUpstream(u), u.UpdatedAt.UnixMicro())
}

// answerTagged answers with a resource, or a part of it, whose entity tag is tag.
func answerTagged(c *gin.Context, tag string, body any) {
	c.Header("ETag", tag)
	read := c.Request.Method == http.MethodGet
	if tags, ok := tagsIn(c, "If-None-Match"); read && ok && (slices.Contains(tags, tag) || slices.Contains(tags, "*")) {
		c.Status(http.StatusNotModified)
		return
	}
	c.JSON(http.StatusOK, body)
}

// tagsIn returns the entity tags of a header. Weak ones count as strong, because
// proxies that compress answers weaken the tags, and tags are about what is
// stored and not about bytes.
func tagsIn(c *gin.Context, header string) (tags []string, given bool) {
	values := c.Request.Header.Values(header)
	for tag := range strings.SplitSeq(strings.Join(values, ","), ",") { // our tags have no comma
		tags = append(tags, strings.TrimPrefix(strings.TrimSpace(tag), "W/"))
	}
	return tags, len(values) > 0
}

// unlessStale returns what checks, inside the store's transaction, that the
// stored resource still has an entity tag of If-Match; ErrStale otherwise. It
// returns nil without the header.
func unlessStale[T any](c *gin.Context, tag func(T) string) func(T) error {
	tags, given := tagsIn(c, "If-Match")
	if !given || slices.Contains(tags, "*") {
		return nil
	}
	return func(stored T) error {
		if !slices.Contains(tags, tag(stored)) {
			return assistants.ErrStale
		}
		return nil
	}
}

// guardedChange is change, unless what it would change is stale.
func guardedChange[T any](check func(T) error, change func(*T) error) func(*T) error {
	if check == nil {
		return change
	}
	return func(stored *T) error {
		if err := check(*stored); err != nil {
			return err
		}
		return change(stored)
	}
}
