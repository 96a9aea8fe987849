package assistants

import (
	"context"
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

// IdempotencyStore keeps what became of requests that carry a key.
type IdempotencyStore interface {
	// ReserveRequest begins an attempt at r, which is one's own until
	// r.LeaseUntil, and returns reserved true: the first one, or a further one
	// when the lease of the one before ended without an answer. A further
	// attempt keeps the resources and the time of creation of the first.
	// Otherwise it returns what is stored: a request with another fingerprint,
	// one that was answered, or one in work. What expired before now counts as absent.
	ReserveRequest(ctx context.Context, r IdempotentRequest, now time.Time) (stored IdempotentRequest, reserved bool, err error)
	// RenewRequest moves the end of an attempt's lease; a time that has passed
	// gives the request free for another attempt. ErrConflict: somebody else
	// has it, or it is gone.
	RenewRequest(ctx context.Context, r IdempotentRequest, until time.Time) (IdempotentRequest, error)
	// AnswerRequest stores the answer (Status, Body) of an attempt. ErrConflict as RenewRequest.
	AnswerRequest(ctx context.Context, r IdempotentRequest) error
	// ForgetRequest removes an attempt that made nothing, so that its key may
	// be used for something else. ErrConflict as RenewRequest.
	ForgetRequest(ctx context.Context, r IdempotentRequest) error
	// RemoveExpiredRequests removes the requests, of every tenant, that
	// expired before now, and returns how many.
	RemoveExpiredRequests(ctx context.Context, now time.Time) (int, error)
}
