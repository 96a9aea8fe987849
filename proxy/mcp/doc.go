// Package mcp lets agents use Footnote through the Model Context Protocol: the
// tools search and ask, and the documents as resources, at POST /mcp.
//
// It obeys one rule: a tool is a client of the server's own API, within the process
// and in the name of the caller. So scopes, visibility, limits, the audit log and the
// text of errors are those of the API, and this package only translates. It keeps no
// sessions, so that any instance can answer any message. It must not import a store,
// the retrieval or the chat.
package mcp
