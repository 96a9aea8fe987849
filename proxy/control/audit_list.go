package control

import (
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// An auditView is an event as clients read it.
type auditView struct {
	ID             assistants.AuditID        `json:"id"`
	CreatedAt      time.Time                 `json:"created_at"`
	Action         assistants.AuditAction    `json:"action"`
	Result         assistants.AuditResult    `json:"result"`
	Status         int                       `json:"status"` // of HTTP; 0: not known
	Code           string                    `json:"code,omitempty"`
	KeyID          assistants.KeyID          `json:"key_id,omitempty"`
	KeyName        string                    `json:"key_name,omitempty"`
	UserID         string                    `json:"user_id,omitempty"`
	Address        string                    `json:"address,omitempty"`
	RequestID      string                    `json:"request_id,omitempty"`
	AssistantID    assistants.AssistantID    `json:"assistant_id,omitempty"`
	TargetID       string                    `json:"target_id,omitempty"`
	Fields         []string                  `json:"fields"`
	Model          string                    `json:"model,omitempty"`
	Query          string                    `json:"query,omitempty"`
	CollectionIDs  []assistants.CollectionID `json:"collection_ids"`
	DocumentIDs    []assistants.DocumentID   `json:"document_ids"`
	ResultCount    int                       `json:"result_count"`
	ResponseTimeMS float64                   `json:"response_time_ms"`
}

func viewAudit(e assistants.AuditEvent) auditView {
	return auditView{
		ID: e.ID, CreatedAt: stamp(e.CreatedAt), Action: e.Action, Result: e.Result(), Status: e.Status, Code: e.Code,
		KeyID: e.Key, KeyName: e.KeyName, UserID: e.User, Address: e.Address, RequestID: e.RequestID,
		AssistantID: e.Assistant, TargetID: e.Target, Fields: e.Fields, Model: e.Model, Query: e.Query,
		CollectionIDs: e.Collections, DocumentIDs: e.Documents, ResultCount: e.Results, ResponseTimeMS: float64(e.Took.Microseconds()) / 1000,
	}
}

// listAudit lists the audit log, the newest first.
func (a *api) listAudit(c *gin.Context) error {
	list, err := listOf(c)
	if err != nil {
		return err
	}
	q, err := a.auditQuery(c, &list)
	if err != nil {
		return err
	}
	found, err := a.Store.FindAudit(c.Request.Context(), principalOf(c).Tenant, q, list)
	if err != nil {
		return err
	}
	answerListing(c, list, found, viewAudit)
	return nil
}

// exportAudit writes everything that a query selects as CSV.
func (a *api) exportAudit(c *gin.Context) error {
	list := assistants.List{Limit: maxLimit}
	q, err := a.auditQuery(c, &list)
	if err != nil {
		return err
	}
	return a.writeAudit(c, q, list)
}

// auditQuery reads what events are asked for and in which order, and waits until all
// that were noted can be found.
func (a *api) auditQuery(c *gin.Context, list *assistants.List) (assistants.AuditQuery, error) {
	q, err := auditQueryOf(c)
	if err != nil {
		return q, err
	}
	oldestFirst, err := choice(c, "sort", "-created_at", "created_at")
	if list.Descending = !oldestFirst; err != nil || a.Audit == nil {
		return q, err
	}
	return q, a.Audit.Flush(c.Request.Context())
}

// choice reads a query parameter with two values. It reports whether it has the second.
func choice(c *gin.Context, name, usual, other string) (bool, error) {
	value, given, err := apierr.QueryOnce(c, name)
	if err != nil {
		return false, err
	}
	if given && value != usual && value != other {
		return false, apierr.Invalid(name, fmt.Sprintf("%s must be %s or %s.", name, usual, other))
	}
	return value == other, nil
}

// auditQueryOf reads what the audit log is filtered by.
func auditQueryOf(c *gin.Context) (assistants.AuditQuery, error) {
	var q assistants.AuditQuery
	for _, name := range c.QueryArray("action") {
		if !slices.Contains(assistants.AuditActions, assistants.AuditAction(name)) {
			return q, apierr.Invalid("action", fmt.Sprintf("action must be one of %s.", joined(assistants.AuditActions)))
		}
		if !slices.Contains(q.Actions, assistants.AuditAction(name)) {
			q.Actions = append(q.Actions, assistants.AuditAction(name))
		}
	}
	result, given, err := apierr.QueryOnce(c, "result")
	if err != nil {
		return q, err
	}
	if given && !slices.Contains(assistants.AuditResults, assistants.AuditResult(result)) {
		return q, apierr.Invalid("result", fmt.Sprintf("result must be one of %s.", joined(assistants.AuditResults)))
	}
	q.Result = assistants.AuditResult(result)
	key, err := idParameter(c, "key_id", "key_")
	if err != nil {
		return q, err
	}
	assistant, err := idParameter(c, "assistant_id", "asst_")
	if err != nil {
		return q, err
	}
	q.Key, q.Assistant = assistants.KeyID(key), assistants.AssistantID(assistant)
	if q.From, err = timeParameter(c, "from"); err != nil {
		return q, err
	}
	q.To, err = timeParameter(c, "to")
	return q, err
}

// idParameter reads a query parameter that is an id; "" when it was not sent.
func idParameter(c *gin.Context, name, prefix string) (string, error) {
	value, given, err := apierr.QueryOnce(c, name)
	if err != nil || !given {
		return "", err
	}
	if !assistants.IsID(prefix, value) && value != string(access.AdminKeyID) {
		return "", apierr.Invalid(name, fmt.Sprintf("%s must be an id that begins with %s.", name, prefix))
	}
	return value, nil
}

// timeParameter reads a query parameter that is a time; zero when it was not sent.
func timeParameter(c *gin.Context, name string) (time.Time, error) {
	value, given, err := apierr.QueryOnce(c, name)
	if err != nil || !given {
		return time.Time{}, err
	}
	t, err := time.Parse(time.RFC3339, value)
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return t, apierr.Invalid(name, name+" must be a time in RFC 3339, such as 2026-11-23T08:00:00Z.")
	}
	return t.UTC(), nil
}

var auditColumns = []string{
	"created_at", "action", "result", "status", "code", "key_id", "key_name", "user_id", "address", "request_id", "assistant_id", "target_id",
	"fields", "model", "query", "collection_ids", "document_ids", "result_count", "response_time_ms", "id",
}

// row returns the event's cells, in the order of auditColumns.
func (v auditView) row() []string {
	cells := []string{
		v.CreatedAt.Format(time.RFC3339Nano), string(v.Action), string(v.Result), strconv.Itoa(v.Status), v.Code, string(v.KeyID), v.KeyName, v.UserID, v.Address, v.RequestID,
		string(v.AssistantID), v.TargetID, strings.Join(v.Fields, " "), v.Model, v.Query, spaced(v.CollectionIDs), spaced(v.DocumentIDs),
		strconv.Itoa(v.ResultCount), strconv.FormatFloat(v.ResponseTimeMS, 'f', -1, 64), string(v.ID),
	}
	for i, cell := range cells {
		if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
			cells[i] = "'" + cell // a spreadsheet would take it for a formula
		}
	}
	return cells
}

func spaced[T ~string](ids []T) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, " ")
}

// writeAudit writes all events that a query selects as CSV, page by page.
func (a *api) writeAudit(c *gin.Context, q assistants.AuditQuery, list assistants.List) error {
	w := csv.NewWriter(c.Writer)
	w.UseCRLF = true // RFC 4180
	for begun := false; ; begun = true {
		found, err := a.Store.FindAudit(c.Request.Context(), principalOf(c).Tenant, q, list)
		switch {
		case err != nil && !begun:
			return err
		case err != nil:
			a.Log.ErrorContext(c.Request.Context(), "the audit log could not be read to its end", "error", err)
			panic(http.ErrAbortHandler) // after a clean end the file would look complete
		case !begun:
			c.Header("Content-Type", "text/csv; charset=utf-8")
			c.Header("Content-Disposition", `attachment; filename="audit.csv"`)
			c.Header("Cache-Control", "no-store")
			c.Status(http.StatusOK)
			err = w.Write(auditColumns)
		}
		for _, e := range found.Items {
			err = errors.Join(err, w.Write(viewAudit(e).row()))
		}
		w.Flush()
		if errors.Join(err, w.Error()) != nil {
			return nil //nolint:nilerr // the client has left
		}
		c.Writer.Flush()
		if list.Cursor = found.Next; found.Next == "" {
			return nil
		}
	}
}
