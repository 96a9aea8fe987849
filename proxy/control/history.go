package control

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// answer returns the stored answer that the path names, if the principal may see its
// assistant and is an admin or got the answer itself; ErrNotFound otherwise.
func (a *api) answer(c *gin.Context) (assistants.Answer, error) {
	id := c.Param("answer")
	if !assistants.IsID("ans_", id) {
		return assistants.Answer{}, assistants.ErrNotFound
	}
	ctx, p := c.Request.Context(), principalOf(c)
	if a.History != nil {
		if err := a.History.Flush(ctx); err != nil {
			return assistants.Answer{}, err
		}
	}
	own := cmp.Or(p.Key.ID, "none")
	if p.Require(assistants.ScopeAdmin) == nil {
		own = ""
	}
	owner, err := a.Store.AssistantOfAnswer(ctx, p.Tenant, assistants.AnswerID(id), p.Sight(), own)
	if err != nil {
		return assistants.Answer{}, err
	}
	eventOf(c).Assistant = owner.ID
	return a.Store.Answer(ctx, p.Tenant, assistants.AnswerID(id))
}

func (a *api) getAnswer(c *gin.Context) error {
	found, err := a.answer(c)
	if err != nil {
		return err
	}
	answerTagged(c, tagOfAnswer(found), viewAnswer(found))
	return nil
}

func (a *api) deleteAnswer(c *gin.Context) error {
	found, err := a.answer(c)
	if err != nil {
		return err
	}
	if err := a.Store.RemoveAnswer(c.Request.Context(), found.TenantID, found.ID); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

// deletingParameters say which stored answers are deleted.
var deletingParameters = []string{"thread_id", "user_id", "key_id", "completion_id", "rating", "from", "to", "all"}

// deleteHistory deletes the stored answers that a query selects. All of them are
// deleted only for all=true, so that a forgotten filter deletes nothing, and an
// unknown parameter, which may be a misspelled filter, is refused.
func (a *api) deleteHistory(c *gin.Context) error {
	owner, err := a.historyOf(c)
	if err != nil {
		return err
	}
	given, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil { // gin leaves out what cannot be read
		return apierr.Invalid("query", "The query cannot be read; percent-encode the values of its parameters.")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(deletingParameters, name) {
			return apierr.Unsupported(name)
		}
	}
	var list assistants.List
	q, err := answerQueryOf(c, &list)
	if err != nil {
		return err
	}
	all, err := choice(c, "all", "false", "true")
	if err != nil {
		return err
	}
	if q.IsZero() != all {
		return apierr.Invalid("all", "Say which answers are deleted, as by thread_id or user_id, or all=true for every answer; not both.")
	}
	return a.answerDeleted(c, owner, q)
}

func (a *api) deleteThread(c *gin.Context) error {
	owner, found, err := a.thread(c)
	if err != nil {
		return err
	}
	return a.answerDeleted(c, owner, assistants.AnswerQuery{Thread: found.ID})
}

// answerDeleted deletes stored answers, also if the client leaves, and says how many.
func (a *api) answerDeleted(c *gin.Context, owner assistants.Assistant, q assistants.AnswerQuery) error {
	n, err := a.Store.RemoveAnswers(context.WithoutCancel(c.Request.Context()), owner.TenantID, owner.ID, q)
	if err != nil {
		return err
	}
	eventOf(c).Results = n
	c.JSON(http.StatusOK, struct {
		Deleted int `json:"deleted"`
	}{n})
	return nil
}

// putFeedback says what a person thinks of an answer. It replaces what was said before.
func (a *api) putFeedback(c *gin.Context) error {
	found, err := a.answer(c)
	if err != nil {
		return err
	}
	var in struct {
		Rating  assistants.Rating `json:"rating" want:"a string" required:"true"`
		Comment string            `json:"comment" want:"a string"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if !slices.Contains(assistants.Ratings, in.Rating) {
		return apierr.Invalid("rating", fmt.Sprintf("rating must be one of %s.", joined(assistants.Ratings)))
	}
	if len(in.Comment) > assistants.MaxComment || !utf8.ValidString(in.Comment) {
		return apierr.Invalid("comment", fmt.Sprintf("comment must be text of at most %d bytes.", assistants.MaxComment))
	}
	return a.changeAnswer(c, found, func(stored *assistants.Answer) error {
		stored.Feedback = &assistants.Feedback{Rating: in.Rating, Comment: in.Comment, Key: principalOf(c).Key.ID, At: a.Now()}
		return nil
	})
}

func (a *api) deleteFeedback(c *gin.Context) error {
	found, err := a.answer(c)
	if err != nil {
		return err
	}
	return a.changeAnswer(c, found, func(stored *assistants.Answer) error {
		stored.Feedback = nil
		return nil
	})
}

// putVerification says what a person found when comparing a cited source with its document.
func (a *api) putVerification(c *gin.Context) error {
	found, source, err := a.citedSource(c)
	if err != nil {
		return err
	}
	var in struct {
		Result assistants.SourceResult `json:"result" want:"a string" required:"true"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if !slices.Contains(assistants.SourceResults, in.Result) {
		return apierr.Invalid("result", fmt.Sprintf("result must be one of %s.", joined(assistants.SourceResults)))
	}
	return a.changeAnswer(c, found, func(stored *assistants.Answer) error {
		stored.Verifications = append(withoutSource(stored.Verifications, source),
			assistants.Verification{Source: source, Result: in.Result, Key: principalOf(c).Key.ID, At: a.Now()})
		slices.SortFunc(stored.Verifications, func(a, b assistants.Verification) int { return a.Source - b.Source })
		return nil
	})
}

func (a *api) deleteVerification(c *gin.Context) error {
	found, source, err := a.citedSource(c)
	if err != nil {
		return err
	}
	return a.changeAnswer(c, found, func(stored *assistants.Answer) error {
		stored.Verifications = withoutSource(stored.Verifications, source)
		return nil
	})
}

// citedSource returns the stored answer that the path names and the number of the
// source in it, which the answer must cite.
func (a *api) citedSource(c *gin.Context) (assistants.Answer, int, error) {
	source, err := strconv.Atoi(c.Param("source"))
	if err != nil || strconv.Itoa(source) != c.Param("source") {
		return assistants.Answer{}, 0, assistants.ErrNotFound
	}
	found, err := a.answer(c)
	if err == nil && !slices.Contains(found.Cited, source) {
		err = assistants.ErrNotFound
	}
	return found, source, err
}

func withoutSource(list []assistants.Verification, source int) []assistants.Verification {
	return slices.DeleteFunc(slices.Clone(list), func(v assistants.Verification) bool { return v.Source == source })
}

// changeAnswer changes a stored answer and answers with it.
func (a *api) changeAnswer(c *gin.Context, found assistants.Answer, change func(*assistants.Answer) error) error {
	saved, err := a.Store.UpdateAnswer(c.Request.Context(), found.TenantID, found.ID, guardedChange(unlessStale(c, tagOfAnswer), change))
	if err != nil {
		return err
	}
	answerTagged(c, tagOfAnswer(saved), viewAnswer(saved))
	return nil
}
