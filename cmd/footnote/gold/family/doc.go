// Package family holds questions about 64 documents that look alike: annual reports of
// fictional companies over four years, contracts with their amendments, versions of
// manuals and price lists by quarter. build.py typesets the documents, and writes the
// questions with the pages that answer them. `make eval-family` asks them.
//
// questions.jsonl is the set to tune on. questions_heldout.jsonl has other wordings and
// only measures. A later report repeats the figures of the year before; there they count
// as found, too.
//
// The package has no code: its test keeps the files correct. It imports nothing.
package family
