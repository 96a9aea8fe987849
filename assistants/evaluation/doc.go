// Package evaluation judges an assistant by questions whose answers are known:
// which document, which pages, which passage. It reads such gold sets, puts
// their questions to a server behind a small interface, and says how well the
// passages it found and the pages it cited fit; two runs are compared by paired
// tests.
//
// It obeys one rule: a question that failed counts as one that was not
// answered, and is told. It imports the standard library only.
package evaluation
