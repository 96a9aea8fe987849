package assistants

import "time"

// Usage counts the chats that one assistant answered within an hour for one key.
type Usage struct {
	TenantID  TenantID
	Hour      time.Time   // its begin, in UTC
	Assistant AssistantID // "": none
	Key       KeyID       // "": none
	UsageCounts
}

// A UsageMinute counts the chats that came within a minute.
type UsageMinute struct {
	Start time.Time // in UTC
	UsageCounts
}

// UsageCounts are the figures of some chats.
type UsageCounts struct {
	Requests         int64
	Refused          int64 // for a mistake of the request
	Failed           int64
	Interrupted      int64 // the client left
	Counted          int64 // whose model server told the tokens
	PromptTokens     int64
	CompletionTokens int64
	FirstBytes       int64         // whose answer began
	FirstByteSum     time.Duration // from the request to the first byte of its answer
	FirstByteMax     time.Duration
	Cited            int64 // by the status of their citations
	Uncited          int64 // sources were given, none is cited
	NoSources        int64
	Unavailable      int64 // retrieval failed
}

// Add adds the figures of other chats.
func (c *UsageCounts) Add(o UsageCounts) {
	c.Requests += o.Requests
	c.Refused += o.Refused
	c.Failed += o.Failed
	c.Interrupted += o.Interrupted
	c.Counted += o.Counted
	c.PromptTokens += o.PromptTokens
	c.CompletionTokens += o.CompletionTokens
	c.FirstBytes += o.FirstBytes
	c.FirstByteSum += o.FirstByteSum
	c.FirstByteMax = max(c.FirstByteMax, o.FirstByteMax)
	c.Cited += o.Cited
	c.Uncited += o.Uncited
	c.NoSources += o.NoSources
	c.Unavailable += o.Unavailable
}

// A ChatOutcome is what usage is counted from, besides the audit event of a chat.
type ChatOutcome struct {
	Tokens    *Tokens       // nil: the model server did not tell
	FirstByte time.Duration // 0: the answer did not begin
	Citations string        // the status; "": there are none
}

// Tokens are how many tokens a model server counted.
type Tokens struct{ Prompt, Completion int64 }

// UsageOf counts the chats among events, by hour, assistant and key.
func UsageOf(events []AuditEvent) []Usage {
	type group struct {
		tenant    TenantID
		hour      time.Time
		assistant AssistantID
		key       KeyID
	}
	var groups []group
	counts := map[group]*UsageCounts{}
	for _, e := range events {
		if e.Chat == nil {
			continue
		}
		g := group{e.TenantID, e.CreatedAt.UTC().Truncate(time.Hour), e.Assistant, e.Key}
		if counts[g] == nil {
			groups, counts[g] = append(groups, g), &UsageCounts{}
		}
		counts[g].Add(e.Chat.Counts(e.Result()))
	}
	list := make([]Usage, len(groups))
	for i, g := range groups {
		list[i] = Usage{TenantID: g.tenant, Hour: g.hour, Assistant: g.assistant, Key: g.key, UsageCounts: *counts[g]}
	}
	return list
}

// Counts are the figures of one chat that ended so.
func (o ChatOutcome) Counts(result AuditResult) UsageCounts {
	c := UsageCounts{Requests: 1}
	switch result {
	case AuditRefused:
		c.Refused = 1
	case AuditFailed:
		c.Failed = 1
	case AuditInterrupted:
		c.Interrupted = 1
	}
	if o.Tokens != nil {
		c.Counted, c.PromptTokens, c.CompletionTokens = 1, o.Tokens.Prompt, o.Tokens.Completion
	}
	if o.FirstByte > 0 {
		c.FirstBytes, c.FirstByteSum, c.FirstByteMax = 1, o.FirstByte, o.FirstByte
	}
	switch o.Citations {
	case "cited":
		c.Cited = 1
	case "none":
		c.Uncited = 1
	case "no_sources":
		c.NoSources = 1
	case "unavailable":
		c.Unavailable = 1
	}
	return c
}

// MaxUsage is how many figures one query of usage returns. A store that has more
// returns one more.
const MaxUsage = 10_000

// A UsageQuery selects usage; its zero value selects all.
type UsageQuery struct {
	From, To    time.Time   // from the hour of the one, up to before the other
	Assistant   AssistantID // "": any
	Key         KeyID       // "": any
	ByAssistant bool        // keep assistants apart
	ByKey       bool        // keep keys apart
}
