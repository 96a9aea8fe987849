// Package demo holds the sample documents that `footnote serve --demo` loads:
// the handbooks of Tarnwick Instruments, a company that does not exist. They
// are plain text, Markdown, HTML and PDF, in English, German and Japanese.
// The PDF files are typeset from source/ by `make demo-documents`.
//
// questions.jsonl in this folder asks about them in a reader's words: each
// line names the document, the page (PDF) and the passage that answers, or
// says that nothing in the documents does. Tests measure retrieval with it.
//
// It obeys one rule: it is data, and imports nothing of this module.
package demo

import "embed"

// Slug is the slug of the sample assistant, by which OpenAI clients name it as
// their model.
const Slug = "handbook"

// Name is the name of the sample assistant.
const Name = "Handbook"

// Folder is the folder of [Documents] that holds the files.
const Folder = "documents"

// Documents holds the sample documents as files in [Folder], without subfolders.
//
//go:embed documents
var Documents embed.FS
