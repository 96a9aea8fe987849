package control

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// maxConditions bounds the labels and the tags that a list is filtered by.
const maxConditions = 100

// queriedListOf is listOf for a list that counts.
func queriedListOf(c *gin.Context) (assistants.List, error) {
	list, err := listOf(c)
	if err != nil {
		return list, err
	}
	count, given, err := apierr.QueryOnce(c, "count")
	if err != nil {
		return list, err
	}
	if list.Count = count == "true"; given && !list.Count && count != "false" {
		return list, apierr.Invalid("count", "count must be true or false.")
	}
	return list, nil
}

// partOfName reads the parameter q: a part of a name.
func partOfName(c *gin.Context) (string, error) {
	q, _, err := apierr.QueryOnce(c, "q")
	if err != nil || q == "" {
		return "", err
	}
	return q, checkMark("q", q)
}

// checkMark checks a text that documents are filtered by. It may be empty or
// white space.
func checkMark(param, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return checkQueried(param, text)
}

// checkQueried checks a name in a query, which need not be UTF-8.
func checkQueried(param, text string) error {
	if !utf8.ValidString(text) {
		return apierr.Invalid(param, param+" must be text in UTF-8.")
	}
	return assistants.CheckText(param, text)
}

// sortOf reads the parameter sort of a list of documents.
func sortOf(c *gin.Context, list *assistants.List) error {
	text, given, err := apierr.QueryOnce(c, "sort")
	if err != nil || !given {
		return err
	}
	name, descending := strings.CutPrefix(text, "-")
	if !slices.Contains(assistants.Sorts, assistants.Sort(name)) {
		return apierr.Invalid("sort", fmt.Sprintf("sort must be one of %s, with \"-\" before it for descending order.", joined(assistants.Sorts)))
	}
	list.Sort, list.Descending = assistants.Sort(name), descending
	return nil
}

// documentQueryOf reads what a list of documents is filtered by.
func documentQueryOf(c *gin.Context) (assistants.DocumentQuery, error) {
	q := assistants.DocumentQuery{Labels: c.QueryArray("label")}
	var err error
	if q.Name, err = partOfName(c); err != nil {
		return q, err
	}
	for _, status := range c.QueryArray("status") {
		if !slices.Contains(assistants.Statuses, assistants.Status(status)) {
			return q, apierr.Invalid("status", fmt.Sprintf("status must be one of %s.", joined(assistants.Statuses)))
		}
		q.Statuses = append(q.Statuses, assistants.Status(status))
	}
	for _, name := range []string{"status", "label", "tag"} {
		if len(c.QueryArray(name)) > maxConditions {
			return q, apierr.Invalid(name, fmt.Sprintf("%s may be given at most %d times.", name, maxConditions))
		}
	}
	for _, label := range q.Labels {
		if err := checkQueried("label", label); err != nil {
			return q, err
		}
	}
	for _, text := range c.QueryArray("tag") {
		key, value, ok := strings.Cut(text, ":")
		if !ok {
			return q, apierr.Invalid("tag", "tag must be a key and a value with a colon between them, as in year:2026.")
		}
		if err := checkQueried("tag", key); err != nil {
			return q, err
		}
		if err := checkMark("tag", value); err != nil {
			return q, err
		}
		q.Tags = append(q.Tags, assistants.Tag{Key: key, Value: value})
	}
	return q, nil
}

// joined lists the values of an enumeration in a sentence.
func joined[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// answerListing answers with a page of what a query selects.
func answerListing[T, V any](c *gin.Context, list assistants.List, found assistants.Listing[T], view func(T) V) {
	p := pageOf(found.Items, found.Next, view)
	if list.Count {
		p.Total = &found.Total
	}
	c.JSON(http.StatusOK, p)
}

func (a *api) listDocuments(c *gin.Context) error {
	owner, err := a.assistant(c)
	if err != nil {
		return err
	}
	return a.answerDocuments(c, owner.TenantID, owner.CollectionID)
}

// answerDocuments lists the documents of a collection.
func (a *api) answerDocuments(c *gin.Context, tenant assistants.TenantID, collection assistants.CollectionID) error {
	list, err := queriedListOf(c)
	if err == nil {
		err = sortOf(c, &list)
	}
	if err != nil {
		return err
	}
	q, err := documentQueryOf(c)
	if err != nil {
		return err
	}
	found, err := a.Store.FindDocuments(c.Request.Context(), tenant, collection, q, list)
	if err != nil {
		return err
	}
	answerListing(c, list, found, viewDocument)
	return nil
}

func (a *api) listAssistants(c *gin.Context) error {
	list, err := queriedListOf(c)
	if err != nil {
		return err
	}
	name, err := partOfName(c)
	if err != nil {
		return err
	}
	found, err := a.Store.FindAssistants(c.Request.Context(), principalOf(c).Tenant, assistants.AssistantQuery{Name: name}, list)
	if err != nil {
		return err
	}
	answerListing(c, list, found, viewAssistant)
	return nil
}

func (a *api) listKeys(c *gin.Context) error {
	list, err := queriedListOf(c)
	if err != nil {
		return err
	}
	state, given, err := apierr.QueryOnce(c, "state")
	if err != nil {
		return err
	}
	if given && !slices.Contains(assistants.KeyStates, assistants.KeyState(state)) {
		return apierr.Invalid("state", fmt.Sprintf("state must be one of %s.", joined(assistants.KeyStates)))
	}
	found, err := a.Store.FindKeys(c.Request.Context(), principalOf(c).Tenant, assistants.KeyQuery{State: assistants.KeyState(state)}, list)
	if err != nil {
		return err
	}
	answerListing(c, list, found, viewKey)
	return nil
}
