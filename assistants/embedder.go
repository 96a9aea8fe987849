package assistants

// EmbedderState is whether vectors can be made.
type EmbedderState string

// States of the embedder.
const (
	// EmbedderNone: nothing is set up that makes vectors; full text alone is searched.
	EmbedderNone EmbedderState = "none"
	// EmbedderReady: the last vectors that were asked for were made.
	EmbedderReady EmbedderState = "ready"
	// EmbedderUntried: it was not asked for any yet.
	EmbedderUntried EmbedderState = "untried"
	// EmbedderFailing: the last ones that were asked for could not be made.
	EmbedderFailing EmbedderState = "failing"
)

// An EmbedderStatus tells an operator how the embedder does.
type EmbedderStatus struct {
	State  EmbedderState
	Space  Space  // as far as it is known
	Reason string // a sentence; "" when it is ready
}
