package upstream

import "regexp"

// What must not reach a client in words that an upstream chose. The order
// matters: an address is taken out whole before its parts could match.
var redactions = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`), "[address]"},
	// Secrets with a name before them, then the known shapes of keys, masked ones included.
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[^\s"',;]{6,}`), "$1 [key]"},
	{regexp.MustCompile(`(?i)\b(api[-_ ]?key|token|secret|password|signature|authorization)(["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}`), "$1$2[key]"},
	{regexp.MustCompile(`\b(sk|pk|rk|fn|gsk|xai|nvapi|hf|pplx|ghp|csk|fw|tgp|AIza|AKIA)[-_]?[A-Za-z0-9_*.…-]{8,}`), "[key]"},
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]+){0,2}`), "[key]"},
	{regexp.MustCompile(`\b[0-9A-Fa-f]{32,}\b`), "[key]"},
	// Addresses: IPv4, IPv6, names with a port, names that end like one of a network.
	{regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?\b`), "[address]"},
	{regexp.MustCompile(`\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]+(%\w+)?\](:\d{1,5})?`), "[address]"},
	{regexp.MustCompile(`(?i)\b([0-9a-f]{1,4}:){3,7}[0-9a-f]{0,4}\b|\b([0-9a-f]{1,4}:)+(:[0-9a-f]{1,4})+\b|::1\b`), "[address]"},
	{regexp.MustCompile(`(?i)\b[a-z][a-z0-9-]*(\.[a-z0-9-]+)*:\d{2,5}\b`), "[address]"},
	{regexp.MustCompile(`(?i)\b([a-z0-9][a-z0-9-]*\.)+(com|net|org|io|ai|dev|app|cloud|internal|local|lan|corp|home|svc|cluster|localdomain|localhost|test|example)\b`), "[address]"},
	{regexp.MustCompile(`(?i)\blocalhost\b`), "[address]"},
}

// maxMessage bounds a message that an upstream chose, in bytes.
const maxMessage = 2000

// Redact takes keys, hosts and addresses out of words that an upstream chose.
// It errs on the side of taking too much. Longer texts are cut.
func Redact(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage] + "…"
	}
	for _, r := range redactions {
		s = r.re.ReplaceAllString(s, r.with)
	}
	return s
}
