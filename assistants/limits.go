package assistants

import (
	"fmt"
	"time"
)

// Limits bound what a key or an assistant may use. nil: there is no limit; 0:
// nothing is allowed. Requests are chats and requests for embeddings. A minute is
// any 60 seconds, a month is a month in UTC.
type Limits struct {
	RequestsPerMinute *int `json:"requests_per_minute"`
	TokensPerMinute   *int `json:"tokens_per_minute"`
	ConcurrentStreams *int `json:"concurrent_streams"`
	SearchesPerMinute *int `json:"searches_per_minute"`
	UploadsPerMinute  *int `json:"uploads_per_minute"`
	RequestsPerMonth  *int `json:"requests_per_month"`
	TokensPerMonth    *int `json:"tokens_per_month"`
}

// Limit names one of the [Limits].
type Limit string

// Names of limits, as in the API.
const (
	RequestsPerMinute Limit = "requests_per_minute"
	TokensPerMinute   Limit = "tokens_per_minute"
	ConcurrentStreams Limit = "concurrent_streams"
	SearchesPerMinute Limit = "searches_per_minute"
	UploadsPerMinute  Limit = "uploads_per_minute"
	RequestsPerMonth  Limit = "requests_per_month"
	TokensPerMonth    Limit = "tokens_per_month"
)

// LimitNames lists every limit.
var LimitNames = []Limit{
	RequestsPerMinute, TokensPerMinute, ConcurrentStreams, SearchesPerMinute, UploadsPerMinute, RequestsPerMonth, TokensPerMonth,
}

// limitNouns says what each limit counts, for messages.
var limitNouns = map[Limit]string{
	RequestsPerMinute: "requests a minute", TokensPerMinute: "tokens a minute", ConcurrentStreams: "concurrent streams",
	SearchesPerMinute: "searches a minute", UploadsPerMinute: "uploads a minute",
	RequestsPerMonth: "requests a month", TokensPerMonth: "tokens a month",
}

// IsQuota reports whether a limit is for a month.
func (l Limit) IsQuota() bool { return l == RequestsPerMonth || l == TokensPerMonth }

// MaxOfLimit is the highest value of a limit.
const MaxOfLimit = 1_000_000_000_000

// DefaultSearchesPerMinute is the limit of new keys that do not administrate.
const DefaultSearchesPerMinute = 30

// DefaultLimits are the limits of a key that was made without any. A key with scope
// admin has none, because it could set them itself.
func DefaultLimits(scopes []Scope) Limits {
	if (Key{Scopes: scopes}).Has(ScopeAdmin) {
		return Limits{}
	}
	n := DefaultSearchesPerMinute
	return Limits{SearchesPerMinute: &n}
}

// Field is where a limit is stored, so that it can be read and set; nil for an
// unknown name.
func (l *Limits) Field(name Limit) **int {
	switch name {
	case RequestsPerMinute:
		return &l.RequestsPerMinute
	case TokensPerMinute:
		return &l.TokensPerMinute
	case ConcurrentStreams:
		return &l.ConcurrentStreams
	case SearchesPerMinute:
		return &l.SearchesPerMinute
	case UploadsPerMinute:
		return &l.UploadsPerMinute
	case RequestsPerMonth:
		return &l.RequestsPerMonth
	case TokensPerMonth:
		return &l.TokensPerMonth
	}
	return nil
}

// Validate checks that each limit is from 0 to [MaxOfLimit]. Its error is a
// [FieldError] whose field is the name of the limit.
func (l Limits) Validate() error {
	for _, name := range LimitNames {
		if n := *l.Field(name); n != nil && (*n < 0 || *n > MaxOfLimit) {
			return &FieldError{Field: string(name), Message: fmt.Sprintf("%s must be a whole number from 0 to %d, or null for no limit.", name, MaxOfLimit)}
		}
	}
	return nil
}

// Limits are the limits among the settings.
func (s Settings) Limits() Limits {
	return Limits{
		RequestsPerMinute: s.RequestsPerMinute, TokensPerMinute: s.TokensPerMinute, ConcurrentStreams: s.ConcurrentStreams,
		SearchesPerMinute: s.SearchesPerMinute, UploadsPerMinute: s.UploadsPerMinute,
		RequestsPerMonth: s.RequestsPerMonth, TokensPerMonth: s.TokensPerMonth,
	}
}

// A LimitError says that a request is refused because of a limit.
type LimitError struct {
	Limit Limit
	Of    string // "key" or "assistant"
	Most  int    // what the limit allows
	Wait  time.Duration
	Until time.Time // end of the month, for a quota
	Asked int       // by a request that asks for more than the limit; 0: it does not
}

// Error is one sentence for the client, and what to do.
func (e *LimitError) Error() string {
	noun := limitNouns[e.Limit]
	switch {
	case e.Most == 0:
		return fmt.Sprintf("This %s is limited to 0 %s; ask its administrator for a higher limit.", e.Of, noun)
	case e.Asked > 0:
		return fmt.Sprintf("This request has %d files and this %s is limited to %d %s; send fewer at once.", e.Asked, e.Of, e.Most, noun)
	case e.Limit == ConcurrentStreams:
		return fmt.Sprintf("This %s has reached its limit of %d %s; close one, or try again later.", e.Of, e.Most, noun)
	case e.Limit.IsQuota():
		return fmt.Sprintf("This %s has used up its quota of %d %s; try again from %s UTC, or ask its administrator for more.",
			e.Of, e.Most, noun, e.Until.UTC().Format(time.DateOnly))
	}
	seconds := int((e.Wait + time.Second - 1) / time.Second)
	unit := "seconds"
	if seconds == 1 {
		unit = "second"
	}
	return fmt.Sprintf("This %s has reached its limit of %d %s; try again in %d %s.", e.Of, e.Most, noun, seconds, unit)
}

// A MonthCount is what a key or an assistant used within a month.
type MonthCount struct {
	TenantID TenantID
	Subject  string    // id of the key or the assistant
	Month    time.Time // its begin, in UTC
	Requests int64
	Tokens   int64
}

// A LimitSubject is a key or an assistant that has limits.
type LimitSubject struct {
	TenantID TenantID
	ID       string
}
