// Package gold holds the questions by which Footnote's retrieval is judged, and
// the list of the documents they are about: PDF files of Debian packages that
// nobody wrote for this project, which fetch.sh downloads and nobody copies.
//
// questions.jsonl is there to tune on. questions_heldout.jsonl asks about other
// passages and only measures: who looks at what it got wrong and then changes a
// rule must write new questions. In conversations.jsonl the last turn is the
// question, and demo.jsonl asks about the sample documents. A question whose
// language is not its document's has "cross" set and is counted apart.
//
// Questions are written by hand, in the words of a reader who has not seen the
// page. pages lists every page that answers; passage stands word for word on one
// of them, as pdftotext reads it, in Unicode's composed form (NFC).
//
// Somebody else judged the pages of the first two sets anew, without knowing
// which ones were listed: of each question the listed ones and the first five of
// every mode, 5,281 pages in all. He agreed about 328 of 373 questions; 26 pages
// were added that answer as well, and 13 removed that do not answer alone.
//
// The package has no code: its tests keep the files true. It imports nothing.
package gold
