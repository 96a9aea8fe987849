package assistants

import "time"

// A StoredStream is a stream of events that servers share through the database, so that
// another one can go on with it. Of a save, Events are those that are not stored yet; of
// a read, those from a number on.
type StoredStream struct {
	ID          string
	TenantID    TenantID
	Key         KeyID  // that asked; only it may resume the stream
	Fingerprint string // hash of the request
	First       int    // number of the oldest event that is kept
	Next        int    // number of the event after the last one
	Beat        int64  // grows while the answer is made; one that stands still shows that its server is gone
	Ended       bool   // there will be no more events
	ExpiresAt   time.Time
	Events      []StreamEvent // in order
}

// A StreamEvent is one event of a stream.
type StreamEvent struct {
	Number int
	Text   string // as it is sent
}
