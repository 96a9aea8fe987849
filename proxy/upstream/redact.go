package upstream

import "footnote/proxy/wire"

// maxMessage bounds a message from an upstream, in bytes.
const maxMessage = 2000

// Redact removes keys, hosts, addresses and paths from a message of an upstream. If
// in doubt it removes too much. Longer texts are cut.
func Redact(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage] + "…"
	}
	return wire.Redact(s)
}
