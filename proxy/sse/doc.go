// Package sse splits and writes event streams, byte for byte.
//
// Its rule: what a stream means does not depend on how its bytes were split
// across reads, and an event that already has the form we send (one `data: `
// line ended by LF) is handed on as the very bytes that came. Comments, ids,
// retry times and empty events are swallowed; CR, CRLF, several data lines, a
// missing space and a byte order mark are understood.
//
// The package imports nothing else of this module: it reads events, not their content.
package sse
