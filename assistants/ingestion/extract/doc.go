// Package extract turns a file into one text with pages, headings and blocks.
//
// It obeys two rules. The kind of a file is decided by its content; its name
// only chooses between kinds of text. And every offset is exact: pages,
// headings and blocks are half-open byte ranges of [Document.Text], which is
// valid UTF-8 with LF line ends and without control characters.
//
// This package reads texts. The packages pdf and office read the other formats:
// importing them registers their readers with [Extract], as image formats
// register with package image.
//
// It imports nothing else of this module, opens no file by name and never
// touches the network. Hostile files are expected: callers run it in the child
// process of package sandbox.
package extract
