// Package runs keeps gold questions and evaluates assistants in the background:
// a [Runner] puts the questions of a run through the engine of package
// evaluation and stores each outcome as soon as it is there.
//
// It obeys one rule: a stored run says truly how far it came. What was measured
// is in the database before the next question counts as done, and a run that
// nothing works on any more is not called running.
package runs
