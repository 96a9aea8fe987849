package upstream

import "footnote/proxy/wire"

// maxMessage bounds a message that an upstream chose, in bytes.
const maxMessage = 2000

// Redact takes keys, hosts, addresses and paths out of words that an upstream
// chose. It errs on the side of taking too much. Longer texts are cut.
func Redact(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage] + "…"
	}
	return wire.Redact(s)
}
