package console

import (
	"net/url"
	"regexp"
	"strings"
)

// IsAbsoluteURL reports whether s is a full http or https address.
func IsAbsoluteURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// RedactURL replaces the parts of a URL that may be secret, user information
// and the values of the query, by ***. A URL with a mistake in it keeps the
// rest, so that the mistake can be seen. Text that looks like neither a URL nor
// a host is replaced as a whole: it may be a key that was given to the wrong option.
func RedactURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || strings.Contains(u.Opaque, "@") {
		return redactText(s)
	}
	switch { // what looks like the host may be a part of a password with special characters
	case u.Host == "":
	case strings.Contains(u.RawQuery+u.Fragment, "@"):
		return u.Scheme + "://***"
	case strings.Contains(u.Path, "@"):
		return redactText(s)
	}
	if u.User != nil {
		u.User = url.User("***")
	}
	if u.RawQuery != "" {
		query := u.Query()
		for name := range query {
			query.Set(name, "***")
		}
		u.RawQuery = strings.ReplaceAll(query.Encode(), "%2A%2A%2A", "***")
	}
	return strings.Replace(u.String(), "%2A%2A%2A@", "***@", 1)
}

var (
	// schemeLike is what may stand before "://": a scheme, also behind a quotation mark.
	schemeLike = regexp.MustCompile(`^["' ]{0,2}[a-zA-Z][a-zA-Z0-9+.-]{0,11}$`)
	// hostLike is an address without a scheme. A port, the form of an IP address or
	// a domain's ending tells it from a key.
	hostLike = regexp.MustCompile(`^(` +
		`[a-z0-9.-]{1,100}:[0-9]{1,5}|` +
		`\[[0-9a-f:.]{2,45}\](:[0-9]{1,5})?|` +
		`[0-9]{1,3}(\.[0-9]{1,3}){3}|` +
		`localhost|` +
		`([a-z0-9-]{1,63}\.)+[a-z]{2,10}` +
		`)(/[a-z0-9._/-]{0,100})?$`)
)

// redactText is RedactURL for text that is no valid URL.
func redactText(s string) string {
	scheme, rest, found := strings.Cut(s, "://")
	switch {
	case s == "" || hostLike.MatchString(s):
		return s
	case !found || !schemeLike.MatchString(scheme):
		return "***"
	}
	if before, after, _ := strings.Cut(rest, "?"); strings.Contains(before, "@") && strings.Contains(after, "@") {
		return scheme + "://***" // either of them may end the password
	}
	user := ""
	if i := strings.LastIndex(rest, "@"); i >= 0 { // a password may hold any other sign
		user, rest = "***@", rest[i+1:]
	}
	if address, _, asked := strings.Cut(rest, "?"); asked {
		rest = address + "?***"
	}
	return scheme + "://" + user + rest
}
