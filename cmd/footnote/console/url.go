package console

import (
	"net/url"
	"strings"
)

// IsAbsoluteURL reports whether s is a full http or https address.
func IsAbsoluteURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// RedactURL replaces the parts of a URL that may be secret, user information
// and the values of the query, by ***. Text that is not a URL is replaced as a
// whole: it may be a key that was given to the wrong option.
func RedactURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" && s != "" {
		return "***"
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
