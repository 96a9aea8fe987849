// Package evaluation judges an assistant by questions whose answers are known:
// which document, which pages, which passage. It is the one engine behind
// `footnote eval` and the report in cmd/footnote/gold/RESULTS.md. It reads gold
// sets, puts their questions to a server, and judges how well the passages that
// were found and the pages that were cited match. Two runs are compared by
// paired tests.
//
// It obeys one rule: a question that failed counts as not found, and its error is
// reported. It imports the standard library only; callers bring the HTTP client.
package evaluation
