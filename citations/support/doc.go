// Package support decides whether a passage backs the claim that cites it.
// It compares numbers, dates, names, negation and words, and asks no model;
// the section "Support and quote" of citations/FORMAT.md specifies the result.
//
// It obeys one rule: passages and claims are untrusted text, so its work is
// bounded by constants and linear in their length. It imports the standard
// library only, and nothing of this module.
package support
