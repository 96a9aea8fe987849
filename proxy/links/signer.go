package links

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"footnote/assistants"
)

// Path is where signed links start on this server. It is followed by these
// segments:
//
//	signature / tenant / document / assistant / expiry / name
//
// The signature covers everything behind it byte for byte, so that a link has
// exactly one spelling. The expiry is in Unix seconds. The name is for people,
// and for programs that name a file by the end of its path; browsers take the
// name from the answer's Content-Disposition.
const Path = "/v1.0/links/"

// The errors for a link that is refused. A client gets nothing else to read.
var (
	errInvalid = &assistants.FieldError{Kind: assistants.ErrForbidden,
		Message: "This link is not valid: it was not made by this server, or is not complete. Copy the whole link, or ask again for a new one."}
	errExpired = &assistants.FieldError{Kind: assistants.ErrForbidden,
		Message: "This link has expired. Ask again: a new answer carries new links."}
)

// skew is how far the clocks of several instances may be apart: the server that
// signed a link may be ahead of the one that checks it.
const skew = 5 * time.Minute

// A Link is what a signed path opens, until it expires.
type Link struct {
	Tenant    assistants.TenantID
	Document  assistants.DocumentID
	Assistant assistants.AssistantID
	Expires   time.Time
}

// A Signer makes links to this server's own documents and checks them. It is
// safe for concurrent use.
type Signer struct {
	key []byte
	now func() time.Time
}

// NewSigner returns a signer with this secret key. now is the clock.
func NewSigner(key []byte, now func() time.Time) *Signer { return &Signer{key, now} }

// DownloadURL implements [Public]. The link lives for its TTL, rounded up to a
// whole second. Without a base there is none.
func (s *Signer) DownloadURL(_ context.Context, g Grant) (string, error) {
	if g.Base == "" {
		return "", nil
	}
	expires := s.now().Add(g.TTL + time.Second - 1).Unix()
	signed := strings.Join([]string{
		url.PathEscape(string(g.Document.TenantID)), string(g.Document.ID), string(g.Assistant),
		strconv.FormatInt(expires, 10), fileName(g.Document.Name),
	}, "/")
	return g.Base + Path + s.sign(signed) + "/" + signed, nil
}

func (s *Signer) sign(text string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Verify returns what a request's URL opens. Its error is of kind ErrForbidden
// and says whether the link is forged or expired.
func (s *Signer) Verify(u *url.URL) (Link, error) {
	signature, signed, _ := strings.Cut(strings.TrimPrefix(target(u), Path), "/")
	if !hmac.Equal([]byte(signature), []byte(s.sign(signed))) {
		return Link{}, errInvalid
	}
	link, ok := parse(signed)
	now := s.now()
	switch {
	case !ok || link.Expires.After(now.Add(assistants.MaxLinkTTLSeconds*time.Second+skew)):
		// The signature is right, so another version signed it, or a wrong clock.
		return Link{}, errInvalid
	case !now.Before(link.Expires):
		return Link{}, errExpired
	}
	return link, nil
}

// target is a request's path and query as they were sent. net/url sets RawPath
// only when it would write the path in another way.
func target(u *url.URL) string {
	path := u.RawPath
	if path == "" {
		path = u.EscapedPath()
	}
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	return path
}

func parse(signed string) (Link, bool) {
	parts := strings.Split(signed, "/")
	if len(parts) != 5 {
		return Link{}, false
	}
	tenant, err := url.PathUnescape(parts[0])
	seconds, numberErr := strconv.ParseInt(parts[3], 10, 64)
	return Link{
		Tenant: assistants.TenantID(tenant), Document: assistants.DocumentID(parts[1]),
		Assistant: assistants.AssistantID(parts[2]), Expires: time.Unix(seconds, 0),
	}, err == nil && numberErr == nil
}

// maxFileName bounds the characters of a name in a link.
const maxFileName = 80

// fileName writes a document's name as the end of a path: letters and digits
// of any script with their marks, dots, hyphens and underscores; hyphens for
// everything else. So no character ends the link in running text or Markdown,
// or has a meaning for proxies. A long name keeps its end, which has the file's
// extension.
func fileName(name string) string {
	runes := make([]rune, 0, len(name))
	for _, r := range name {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
			runes = append(runes, r)
		case len(runes) == 0 || runes[len(runes)-1] == '.' || runes[len(runes)-1] == '-' && r != '.':
			// No dot or hyphen leads or follows another: never "." or "..".
		case r == '.':
			runes = append([]rune(strings.TrimRight(string(runes), "-")), r)
		default:
			runes = append(runes, '-')
		}
	}
	if over := len(runes) - maxFileName; over > 0 {
		runes = runes[over:]
	}
	if short := strings.Trim(string(runes), ".-"); short != "" {
		return url.PathEscape(short)
	}
	return "document"
}
