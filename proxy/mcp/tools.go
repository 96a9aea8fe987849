package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// A tool is a tool with the scope that a key needs for it.
type tool struct {
	scope assistants.Scope
	add   func(*sdk.Server)
}

// tools lists the tools. A new one needs a line here, and its work in a method such as
// [Handler.search], which asks the API.
func (h *Handler) tools() []tool {
	return []tool{
		newTool(h, assistants.ScopeSearch, searchTool, h.search),
		newTool(h, assistants.ScopeSearch, checkTool, h.check),
		newTool(h, assistants.ScopeChat, askTool, h.askAssistant),
	}
}

// newTool makes a tool of the method that does its work. The method returns the texts
// for a model and the same for programs.
func newTool[In, Out any](h *Handler, scope assistants.Scope, t *sdk.Tool, work func(context.Context, *call, In, progress) ([]string, Out, error)) tool {
	return tool{scope, func(s *sdk.Server) {
		sdk.AddTool(s, t, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
			texts, out, err := work(ctx, callOf(ctx), in, progressOf(req))
			if err != nil {
				return nil, out, h.failed(ctx, err)
			}
			result := &sdk.CallToolResult{}
			for _, text := range texts {
				result.Content = append(result.Content, &sdk.TextContent{Text: text})
			}
			return result, out, nil
		})
	}}
}

// readOnly says that a tool changes nothing and reads only this server's documents.
func readOnly() *sdk.ToolAnnotations {
	closed := false
	return &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed}
}

// assistantProperty is the schema of the input "assistant".
const assistantProperty = `{"type":"string","minLength":1,"maxLength":100,"description":"Name (slug) or id of the assistant whose documents are asked. May be left out if the key has a default assistant or sees only one."}`

func schema(s string) json.RawMessage { return json.RawMessage(s) }

// progress tells the client how far a call is. total is 0 when it is not known.
type progress func(ctx context.Context, done, total float64, message string)

// progressOf returns the progress of a call, which does nothing if the client did not
// ask for it.
func progressOf(req *sdk.CallToolRequest) progress {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func(context.Context, float64, float64, string) {}
	}
	return func(ctx context.Context, done, total float64, message string) {
		// After an error the client is gone, and with it the context of the call.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: total, Message: message})
	}
}

// maxNames bounds the assistants that an error lists.
const maxNames = 20

// choose returns the assistant that a tool was asked to use: the one it names, else
// the key's default, else the only one in sight.
func (h *Handler) choose(ctx context.Context, c *call, ref string, sight assistants.Sight) (*assistants.Assistant, error) {
	tenant := c.caller.Tenant
	if ref != "" {
		if !assistants.NamesAssistant(ref) {
			return nil, apierr.AssistantNotFound(ref)
		}
		a, err := h.deps.Directory.KnownAssistant(ctx, tenant, ref, sight)
		if errors.Is(err, assistants.ErrNotFound) {
			err = apierr.AssistantNotFound(ref)
		}
		return a, err
	}
	if id := c.caller.Key.DefaultAssistant; id != "" {
		a, err := h.deps.Directory.KnownAssistant(ctx, tenant, string(id), sight)
		if !errors.Is(err, assistants.ErrNotFound) {
			return a, err
		}
	}
	var seen []assistants.Assistant
	err := h.eachInSight(ctx, tenant, sight, func(a assistants.Assistant) bool {
		seen = append(seen, a)
		return len(seen) <= maxNames
	})
	if err != nil {
		return nil, err
	}
	switch len(seen) {
	case 0:
		return nil, apierr.Invalid("assistant", "This key may use no assistant. Ask an admin to bind it to one.")
	case 1:
		return &seen[0], nil
	}
	names := make([]string, min(len(seen), maxNames))
	for i := range names {
		names[i] = seen[i].Slug
	}
	list := strings.Join(names, ", ")
	if len(seen) > maxNames {
		list += " and others"
	}
	return nil, apierr.Invalid("assistant", fmt.Sprintf("Name an assistant. This key may use %s.", list))
}

// eachInSight calls use for every assistant in sight until it returns false.
func (h *Handler) eachInSight(ctx context.Context, tenant assistants.TenantID, sight assistants.Sight, use func(assistants.Assistant) bool) error {
	for list := (assistants.List{Limit: 1000}); ; {
		items, next, err := h.deps.Directory.Assistants(ctx, tenant, list)
		if err != nil {
			return err
		}
		for _, a := range items {
			if sight.Sees(&a) && !use(a) {
				return nil
			}
		}
		if list.Cursor = next; next == "" {
			return nil
		}
	}
}
