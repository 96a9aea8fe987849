package responses

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"footnote/assistants"
	"footnote/proxy/access"
	"footnote/proxy/apierr"
)

// maxTurns is how many earlier questions of a conversation are put before a new one.
const maxTurns = 100

// earlier is what a request continues.
type earlier struct {
	messages []message
	thread   assistants.ThreadID // "": nothing
}

// before returns the turns up to the response that a request continues.
func (h *Handler) before(ctx context.Context, caller access.Principal, in *request) (earlier, error) {
	if in.previous == "" {
		return earlier{}, nil
	}
	last, err := h.find(ctx, caller, in.previous)
	if errors.Is(err, assistants.ErrNotFound) {
		return earlier{}, apierr.Invalid("previous_response_id", "There is no stored response with this id, or this key may not see it. "+
			"Responses are stored while the assistant's setting store_history is on, unless store is false.")
	}
	if err != nil {
		return earlier{}, err
	}
	upTo := assistants.AnswerQuery{Thread: last.Thread, To: last.CreatedAt.Add(time.Microsecond)}
	found, err := h.deps.Answers.FindAnswers(ctx, last.TenantID, last.Assistant, upTo, assistants.List{Limit: maxTurns, Descending: true})
	if err != nil {
		return earlier{}, err
	}
	out := earlier{thread: last.Thread}
	slices.Reverse(found.Items)
	for _, a := range found.Items {
		if a.ID == last.ID || a.Outcome == assistants.AnswerComplete && a.Key == last.Key {
			out.messages = append(out.messages, message{Role: "user", Content: a.Question}, message{Role: "assistant", Content: a.Text})
		}
	}
	return out, nil
}

// resolve finds the texts of the messages that a request refers to.
func (h *Handler) resolve(ctx context.Context, caller access.Principal, in *request) error {
	resolved := 0
	for i, m := range in.input {
		if m.reference == "" {
			continue
		}
		if resolved++; resolved > maxTurns {
			return apierr.Invalid("input", fmt.Sprintf("input must have at most %d references to stored messages; send the messages themselves.", maxTurns))
		}
		answer, _ := strings.CutPrefix(m.reference, itemPrefix)
		found, err := h.find(ctx, caller, answer)
		if errors.Is(err, assistants.ErrNotFound) {
			return apierr.Invalid(fmt.Sprintf("input[%d].id", i), "There is no stored message with this id, or this key may not see it. Send the message itself; "+
				"some SDKs do with store false. Messages are stored while the assistant's setting store_history is on, unless store is false.")
		}
		if err != nil {
			return err
		}
		in.input[i] = message{Role: m.Role, Content: found.Text}
	}
	return nil
}

// find returns a stored answer that the caller may see: an admin any of an assistant that
// the key covers, others their own. ErrNotFound otherwise.
func (h *Handler) find(ctx context.Context, caller access.Principal, id string) (assistants.Answer, error) {
	if h.deps.Answers == nil || !assistants.IsID("ans_", id) {
		return assistants.Answer{}, assistants.ErrNotFound
	}
	if h.deps.History != nil {
		if err := h.deps.History.Flush(ctx); err != nil {
			return assistants.Answer{}, err
		}
	}
	own := cmp.Or(caller.Key.ID, "none")
	if caller.Require(assistants.ScopeAdmin) == nil {
		own = ""
	}
	if _, err := h.deps.Answers.AssistantOfAnswer(ctx, caller.Tenant, assistants.AnswerID(id), caller.Sight(), own); err != nil {
		return assistants.Answer{}, err
	}
	return h.deps.Answers.Answer(ctx, caller.Tenant, assistants.AnswerID(id))
}

// stored is find for a request that needs a key.
func (h *Handler) stored(ctx context.Context, caller access.Principal, id string) (assistants.Answer, error) {
	if err := caller.RequireAny(assistants.Scopes...); err != nil {
		return assistants.Answer{}, err
	}
	return h.find(ctx, caller, id)
}

// storedObject is a stored answer as a response.
func storedObject(a assistants.Answer) *response {
	r := newResponse(string(a.ID), a.CreatedAt)
	r.Model, r.Store = a.Model, true
	if a.User != "" {
		r.User = &a.User
	}
	c := completion{text: a.Text, finish: a.Finish, citations: a.Citations}
	if a.Tokens != nil {
		c.usage = (&chatUsage{Prompt: a.Tokens.Prompt, Completion: a.Tokens.Completion}).usage()
	}
	r.answered(c)
	switch a.Outcome {
	case assistants.AnswerFailed:
		r.Status, r.Error = statusFailed, &fault{Code: a.Code, Message: "The answer broke off."}
	case assistants.AnswerInterrupted:
		r.Status, r.IncompleteDetails = statusIncomplete, nil
	}
	return r
}
