package assistants

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// An IdempotentRequest is a request that its sender named with a key, so that
// sending it again repeats the answer and not the work. It exists from before
// the work begins; a process that dies over the work leaves it behind with the
// ids of what it may have made, and the next attempt finds that by them.
type IdempotentRequest struct {
	TenantID    TenantID
	Key         string   // the sender's key, hashed: see [HashIdempotencyKey]
	Fingerprint string   // hash of what was asked for; the same key with another is a mistake
	Resources   []string // ids drawn for what the request makes
	Attempt     int      // attempts so far, the present one included
	Status      int      // of the answer; 0: not answered yet
	Body        []byte   // of the answer
	LeaseUntil  time.Time
	Revision    int64
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// HashIdempotencyKey is how a key is known to the store. Senders may put into
// a key what they like, so its text is not kept.
func HashIdempotencyKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
