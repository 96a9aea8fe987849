package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
	"footnote/proxy/apierr"
	"footnote/proxy/strict"
)

// maxImport bounds the body of an import: as many questions as an assistant may
// have, of a usual length.
const maxImport = 8 << 20

// goldInput is a gold question in a request. Its members are those of a gold
// set, but for the id.
type goldInput struct {
	GoldID     string                `json:"gold_id" want:"a string"`
	Document   string                `json:"document" want:"a string" required:"true"`
	Pages      []int                 `json:"pages" want:"a list of page numbers"`
	Also       []evaluation.Expected `json:"also" want:"a list of objects with document and pages"`
	Question   string                `json:"question" want:"a string"`
	Turns      []evaluation.Turn     `json:"turns" want:"a list of messages with role and content"`
	WrittenOut string                `json:"written_out" want:"a string"`
	Passage    string                `json:"passage" want:"a string"`
	Answer     string                `json:"answer" want:"a string"`
	Language   string                `json:"language" want:"a string"`
	Kind       string                `json:"kind" want:"a string"`
	Cross      bool                  `json:"cross" want:"true or false"`
}

// importedGold is a gold question of an import. A gold set calls its id "id".
type importedGold struct {
	ID string `json:"id" want:"a string"`
	goldInput
}

// question checks the input. at is where it stands in the request, "" for all of it.
func (in goldInput) question(at string) (evaluation.Question, error) {
	q := evaluation.Question{
		ID: in.GoldID, Document: in.Document, Pages: in.Pages, Also: in.Also, Question: in.Question, Turns: in.Turns, WrittenOut: in.WrittenOut,
		Passage: in.Passage, Answer: in.Answer, Language: in.Language, Kind: in.Kind, Cross: in.Cross,
	}
	if q.ID != "" {
		if err := assistants.CheckName(member(at, "gold_id"), q.ID); err != nil {
			return q, err
		}
	}
	if err := q.Validate(); err != nil {
		return q, apierr.Invalid(member(at, "question"), sentence(err))
	}
	raw, err := json.Marshal(q)
	if err == nil && len(raw) > runs.MaxQuestion {
		err = apierr.Invalid(member(at, "question"), fmt.Sprintf("A gold question has at most %d bytes.", runs.MaxQuestion))
	}
	return q, err
}

// member names a member of the object that stands at a place in the request.
func member(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// sentence makes a sentence of an error's text.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

type goldView struct {
	ID          assistants.GoldID      `json:"id"`
	AssistantID assistants.AssistantID `json:"assistant_id"`
	GoldID      string                 `json:"gold_id"`
	Document    string                 `json:"document"`
	Pages       []int                  `json:"pages"`
	Also        []evaluation.Expected  `json:"also,omitempty"`
	Question    string                 `json:"question,omitempty"`
	Turns       []evaluation.Turn      `json:"turns,omitempty"`
	WrittenOut  string                 `json:"written_out,omitempty"`
	Passage     string                 `json:"passage,omitempty"`
	Answer      string                 `json:"answer,omitempty"`
	Language    string                 `json:"language,omitempty"`
	Kind        string                 `json:"kind,omitempty"`
	Cross       bool                   `json:"cross,omitempty"`
	CreatedAt   time.Time              `json:"created_at"`
	UpdatedAt   time.Time              `json:"updated_at"`
}

func viewGold(g runs.Gold) goldView {
	q := g.Question
	v := goldView{
		ID: g.ID, AssistantID: g.Assistant, GoldID: q.ID, Document: q.Document, Pages: q.Pages, Also: q.Also, Question: q.Question, Turns: q.Turns,
		WrittenOut: q.WrittenOut, Passage: q.Passage, Answer: q.Answer, Language: q.Language, Kind: q.Kind, Cross: q.Cross,
		CreatedAt: stamp(g.CreatedAt), UpdatedAt: stamp(g.UpdatedAt),
	}
	if v.Pages == nil {
		v.Pages = []int{}
	}
	return v
}

func tagOfGold(g runs.Gold) string { return tagOf(viewGold(g)) }

// newGold makes a gold question of an assistant. Without an id of its own it is
// known by ours.
func (a *api) newGold(owner assistants.Assistant, q evaluation.Question) runs.Gold {
	now := a.Now()
	g := runs.Gold{ID: assistants.NewGoldID(), Tenant: owner.TenantID, Assistant: owner.ID, Question: q, CreatedAt: now, UpdatedAt: now}
	if q.ID == "" {
		g.Question.ID = string(g.ID)
	}
	return g
}

// createQuestion adds a gold question to an assistant.
func (a *api) createQuestion(c *gin.Context) error {
	owner, err := a.assistant(c)
	if err != nil {
		return err
	}
	var in goldInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	q, err := in.question("")
	if err != nil {
		return err
	}
	made := a.newGold(owner, q)
	noteMade(c, string(made.ID))
	if _, err := a.Store.AddQuestions(c.Request.Context(), owner.TenantID, owner.ID, []runs.Gold{made}, false); err != nil {
		return err
	}
	c.Header("ETag", tagOfGold(made))
	c.JSON(http.StatusCreated, viewGold(made))
	return nil
}

// importQuestions adds a gold set to an assistant, as a JSON object or as a JSON
// object per line: all of it, or nothing. A question whose id is known replaces
// the stored one, so that an import may be repeated.
func (a *api) importQuestions(c *gin.Context) error {
	owner, err := a.assistant(c)
	if err != nil {
		return err
	}
	questions, err := importedQuestions(c)
	if err != nil {
		return err
	}
	if len(questions) == 0 || len(questions) > runs.MaxQuestions {
		return apierr.Invalid("questions", fmt.Sprintf("An import has 1 to %d questions.", runs.MaxQuestions))
	}
	golds := make([]runs.Gold, len(questions))
	seen := map[string]bool{}
	for i, q := range questions {
		golds[i] = a.newGold(owner, q)
		if q.ID != "" && seen[q.ID] {
			return apierr.Invalid(fmt.Sprintf("questions[%d].id", i), "Another question of the import has this id.")
		}
		seen[q.ID] = true
	}
	e := eventOf(c)
	e.Fields = nil
	stored, err := a.Store.AddQuestions(c.Request.Context(), owner.TenantID, owner.ID, golds, true)
	if err != nil {
		return err
	}
	e.Results = len(stored)
	c.JSON(http.StatusOK, pageOf(stored, "", viewGold))
	return nil
}

// importedQuestions reads the questions of an import in either form.
func importedQuestions(c *gin.Context) ([]evaluation.Question, error) {
	media, _, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	lines := err == nil && (media == "application/jsonl" || media == "application/x-ndjson")
	if !lines && media != "application/json" {
		return nil, apierr.UnsupportedMedia("Send the questions as application/json, or as application/jsonl with an object per line.")
	}
	if err := refuseEncoding(c); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(connection(c.Writer), c.Request.Body, maxImport))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err != nil && !tooLarge {
		return nil, apierr.InvalidJSON("The request body could not be read to its end.")
	}
	if err != nil {
		return nil, err
	}
	items, err := itemsOf(body, lines)
	if err != nil {
		return nil, err
	}
	questions := make([]evaluation.Question, len(items))
	for i, raw := range items {
		if questions[i], err = importedQuestion(raw, fmt.Sprintf("questions[%d]", i)); err != nil {
			return nil, err
		}
	}
	return questions, nil
}

// itemsOf splits an import into its questions, which it does not decode.
func itemsOf(body []byte, lines bool) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if !lines {
		var in struct {
			Questions []json.RawMessage `json:"questions" want:"a list of questions" required:"true"`
		}
		err := strict.Decode(body, &in)
		return in.Questions, err
	}
	scanner := bufio.NewScanner(bytes.NewReader(body))
	scanner.Buffer(nil, maxImport)
	for scanner.Scan() {
		line := bytes.TrimSpace(bytes.TrimPrefix(scanner.Bytes(), []byte("\xef\xbb\xbf")))
		if len(line) > 0 {
			items = append(items, bytes.Clone(line))
		}
	}
	return items, scanner.Err()
}

// importedQuestion reads a question that stands at a place in the request.
func importedQuestion(raw []byte, at string) (evaluation.Question, error) {
	var in importedGold
	if err := decodeGold(raw, &in); err != nil {
		if e, ok := errors.AsType[*apierr.Error](err); ok {
			moved := *e
			if moved.Param = at; e.Param != "" {
				moved.Param = member(at, e.Param)
			}
			return evaluation.Question{}, &moved
		}
		return evaluation.Question{}, err
	}
	if in.GoldID == "" {
		in.GoldID = in.ID
	}
	return in.question(at)
}

// decodeGold decodes a question of an import, whose own id may have either name.
func decodeGold(raw []byte, in *importedGold) error {
	members, err := strict.Members(raw)
	if err != nil {
		return err
	}
	if id, ok := members["id"]; ok {
		if json.Unmarshal(id, &in.ID) != nil {
			return apierr.InvalidType("id", "id must be a string.")
		}
		delete(members, "id")
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return strict.Decode(rest, &in.goldInput)
}

func (a *api) listQuestions(c *gin.Context) error {
	owner, err := a.assistant(c)
	if err != nil {
		return err
	}
	list, err := queriedListOf(c)
	if err != nil {
		return err
	}
	found, err := a.Store.FindQuestions(c.Request.Context(), owner.TenantID, owner.ID, list)
	if err != nil {
		return err
	}
	answerListing(c, list, found, viewGold)
	return nil
}

// questionID returns the id in the path, if the principal may see its assistant.
func (a *api) questionID(c *gin.Context) (assistants.GoldID, error) {
	id := c.Param("question")
	if !assistants.IsID("gold_", id) {
		return "", assistants.ErrNotFound
	}
	p := principalOf(c)
	owner, err := a.Store.AssistantOfQuestion(c.Request.Context(), p.Tenant, assistants.GoldID(id), p.Sight())
	eventOf(c).Assistant = owner.ID
	return assistants.GoldID(id), err
}

func (a *api) getQuestion(c *gin.Context) error {
	id, err := a.questionID(c)
	if err != nil {
		return err
	}
	found, err := a.Store.GoldQuestion(c.Request.Context(), principalOf(c).Tenant, id)
	if err != nil {
		return err
	}
	answerTagged(c, tagOfGold(found), viewGold(found))
	return nil
}

// putQuestion replaces what a gold question asks and expects.
func (a *api) putQuestion(c *gin.Context) error {
	id, err := a.questionID(c)
	if err != nil {
		return err
	}
	var in goldInput
	if err := readJSON(c, &in); err != nil {
		return err
	}
	q, err := in.question("")
	if err != nil {
		return err
	}
	saved, err := a.Store.ReplaceQuestionIf(c.Request.Context(), principalOf(c).Tenant, id, q, a.Now(), unlessStale(c, tagOfGold))
	if err != nil {
		return err
	}
	answerTagged(c, tagOfGold(saved), viewGold(saved))
	return nil
}

func (a *api) deleteQuestion(c *gin.Context) error {
	id, err := a.questionID(c)
	if err != nil {
		return err
	}
	if err := a.Store.DeleteQuestionIf(c.Request.Context(), principalOf(c).Tenant, id, unlessStale(c, tagOfGold)); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}
