package assistants

// EmbedderState is whether vectors can be made.
type EmbedderState string

// States of the embedder.
const (
	// EmbedderNone: no embedder is configured; only full text is searched.
	EmbedderNone EmbedderState = "none"
	// EmbedderReady: the last request for vectors succeeded.
	EmbedderReady EmbedderState = "ready"
	// EmbedderUntried: no vectors were requested yet.
	EmbedderUntried EmbedderState = "untried"
	// EmbedderFailing: the last request for vectors failed.
	EmbedderFailing EmbedderState = "failing"
)

// An EmbedderStatus describes the embedder to an operator.
type EmbedderStatus struct {
	State  EmbedderState
	Space  Space  // zero while unknown
	Reason string // a sentence; "" when it is ready
}
