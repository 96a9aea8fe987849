package wire

import "regexp"

// redactions are tried in order; each leaves a word in place of what it takes.
var redactions = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>()\[\]{}]*(\[[0-9a-f:.%a-z]*\][^\s"'<>()]*)?`), "[url]"},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[^\s"',;]{4,}`), "$1 [secret]"},
	{regexp.MustCompile(`(?i)\b(api[-_ ]?key|x-api-key|token|secret|password|authorization)(["']?\s*[:=]\s*["']?)[^\s"',;}]{4,}`), "$1$2[secret]"},
	{regexp.MustCompile(`\b(sk|fn|pk|rk|ak|gsk|hf|xai|key|ghp|nvapi|pplx|or)[-_][A-Za-z0-9_*.…-]{5,}[A-Za-z0-9_*…-]`), "[secret]"},
	{regexp.MustCompile(`\b(AIza[A-Za-z0-9_-]{10,}|A[KS]IA[A-Z0-9]{12,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]+)`), "[secret]"},
	{regexp.MustCompile(`\b[A-Fa-f0-9]{32,}\b`), "[secret]"},
	{regexp.MustCompile(`\[?\b(?:\d{1,3}\.){3}\d{1,3}\b\]?(?::\d{1,5})?`), "[address]"},
	{regexp.MustCompile(`(?i)\[(?:[0-9a-f]{0,4}:){2,}[0-9a-f.:]*(?:%[\w.]+)?\](?::\d{1,5})?`), "[address]"},
	{regexp.MustCompile(`(?i)\b(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b|\b(?:[0-9a-f]{1,4}:)+(?::[0-9a-f]{1,4})+\b|\b(?:[0-9a-f]{1,4}:)+:|::(?:[0-9a-f]{1,4}:)*[0-9a-f]{1,4}\b`), "[address]"},
	{regexp.MustCompile(`(?i)\b(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*:\d{1,5}\b`), "[host]"},
	{regexp.MustCompile(`(?i)\blocalhost\b(?::\d{1,5}\b)?`), "[host]"},
	{regexp.MustCompile(`(?i)\b[a-z][a-z0-9_-]*:\d{4,5}\b`), "[host]"},
	{regexp.MustCompile(`(?i)\b(lookup|host|hostname|server|resolve|resolving)(\s+["']?)(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+\b`), "$1$2[host]"},
	{regexp.MustCompile(`(?i)\b(?:[a-z0-9_-]+\.)+(?:com|net|org|io|ai|dev|app|cloud|local|internal|intranet|lan|corp|home|arpa|localdomain|svc|example|test|invalid|eu|de|uk|fr|us|cn|jp|ru)\b`), "[host]"},
	{regexp.MustCompile(`(^|[\s"'(=:<\[,])(?:/[\w.@+~-]+){2,}/?`), "$1[path]"},
	{regexp.MustCompile(`(?i)\b[a-z]:\\[^\s"')]+`), "[path]"},
}

// Redact removes from an upstream's message what must not leave the server:
// URLs, host names with ports, internal names, IP addresses, keys and bearer
// tokens, and file paths. It is for short messages, not for documents.
func Redact(message string) string {
	for _, r := range redactions {
		message = r.pattern.ReplaceAllString(message, r.with)
	}
	return message
}
