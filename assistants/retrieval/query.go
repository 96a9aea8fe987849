package retrieval

import (
	"context"
	"unicode/utf8"

	"footnote/assistants"
)

// MaxQueryBytes bounds the text of a question that is searched for.
const MaxQueryBytes = 8 << 10

// A Turn is a message of a conversation.
type Turn struct{ Role, Text string }

// Roles of turns.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"
)

// A Query is what is asked of a [Retriever].
type Query struct {
	Tenant      assistants.TenantID
	Collections []assistants.CollectionID // no others are searched; the assistant's own comes first
	Filter      assistants.Filter         // of documents
	Text        string                    // the question; if it exceeds MaxQueryBytes, only its beginning and end are used
	Before      []Turn                    // what was said before it, oldest first
	// Whole is what several queries search together, nil if this one is alone. What a
	// question names and what it leaves open is then judged over all of it.
	Whole *Whole

	TopK        int     // clamped to 1–assistants.MaxMatches
	Keep        int     // how many of them are returned; 0: all
	PerDocument int     // hits of one document at most; 0: no limit
	Threshold   float64 // least score of a hit
	// Lenient asks for the threshold of the best hit only. Others may have a little less: that the
	// documents have something about the question is then sure.
	Lenient    bool
	Mode       assistants.SearchMode // the mode wished for; Trace.Mode is the one that ran
	TextWeight float64               // of words; meaning has the rest
	Synonyms   []string              // of the assistant, a group on each line
	Packs      []string              // names of built-in synonyms
	Neighbors  int                   // passages before and after each hit that come with it
	// Undivided keeps a question from being searched for what is left of it without the words that name
	// its document. A text that is no question has no such rest.
	Undivided bool
	// Strict makes a search that should look for meaning, and cannot, fail
	// instead of looking for words alone.
	Strict bool

	Model   Model // that the stages ask; nil: there is no language model, so they are skipped
	Gate    bool
	Rewrite *Rewrite // nil: off
	Rerank  *Rerank  // nil: off
}

// NewQuery returns the query of an assistant's settings, without question and model.
func NewQuery(tenant assistants.TenantID, own assistants.CollectionID, s assistants.Settings) Query {
	q := Query{
		Tenant: tenant, Collections: s.Searches(own), Filter: s.Filter(), TopK: s.RetrievalTopK, PerDocument: int(s.MaxSourcesPerDocument), Threshold: s.RetrievalScoreThreshold, Lenient: true,
		Mode: s.SearchMode, TextWeight: s.TextWeight, Neighbors: s.RetrievalIncludeNeighbors, Synonyms: s.Synonyms, Packs: s.SynonymPacks,
		Strict: s.OnRetrievalError == assistants.OnErrorFail, Gate: s.EnableRetrievalGate,
	}
	if s.ContextTopK != nil {
		q.Keep = *s.ContextTopK
	}
	if s.EnableQueryRewrite {
		q.Rewrite = &Rewrite{Prompt: valueOf(s.QueryRewritePrompt)}
	}
	if s.EnableReranking {
		q.Rerank = &Rerank{TopK: s.RerankerTopK, Threshold: s.RerankerScoreThreshold, Prompt: valueOf(s.RerankPrompt)}
	}
	return q
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// A Model is the language model of an assistant.
type Model interface {
	// Complete returns what the model answers to a prompt. Any error means that
	// there is no answer; it may be that of ctx.
	Complete(ctx context.Context, p Prompt) (string, error)
}

// A Prompt is what a model is asked.
type Prompt struct {
	Messages    []Turn
	MaxTokens   int
	Temperature float64
}

// A Rewrite makes the model reword a question.
type Rewrite struct {
	Prompt string // "": the built-in one
}

// A Rerank makes the model put passages in order.
type Rerank struct {
	TopK      int     // passages that are kept; 0: all
	Threshold float64 // least score, 0–10
	Prompt    string  // "": the built-in one
}

// clip cuts a question to MaxQueryBytes, between characters. The beginning and
// the end stay: people ask before or after what they paste.
func clip(text string) string {
	if len(text) <= MaxQueryBytes {
		return text
	}
	const half = MaxQueryBytes / 2
	head, tail := half, len(text)-half+1
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + "\n" + text[tail:]
}
