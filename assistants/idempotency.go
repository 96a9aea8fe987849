package assistants

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// An IdempotentRequest is a request with an idempotency key: sending it again
// repeats the answer instead of the work. It is stored before the work begins,
// with the ids of what the work will make. If the process dies, the next attempt
// uses these ids to find what was made already.
type IdempotentRequest struct {
	TenantID    TenantID
	Key         string   // hash of the sender's key: see [HashIdempotencyKey]
	Fingerprint string   // hash of the request; one key must not be used for two requests
	Resources   []string // ids of what the request makes
	Attempt     int      // number of attempts, including this one
	Status      int      // of the answer; 0: not answered yet
	Body        []byte   // of the answer
	LeaseUntil  time.Time
	Revision    int64
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// HashIdempotencyKey returns the hash by which a key is stored. The key itself
// is not stored, because senders may put personal data into it.
func HashIdempotencyKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}
