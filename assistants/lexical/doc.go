// Package lexical turns text into the terms that a full-text index stores and
// a question is matched by, and into sentences. The index, the extractive
// answerer, the chunker and explanations share it, so that they agree on what
// a word is.
//
// # Terms of a document
//
// [Terms] does not depend on the text around a word: the same word gives the
// same terms in a book and in a caption.
//
//   - Words follow UAX #29. They are compared in lower case, in compatibility
//     form (NFKC: full width equals half width), without accents on Latin,
//     Greek and Cyrillic letters. "ß" is "ss".
//   - A Latin word gives its English stem and, where that differs, its German
//     stem as well, at the same place. The German one also equates "ue" with
//     "ü". So a question matches in whichever of the languages it is asked.
//   - Function words of English and German give no terms, nor do the articles of
//     French, Spanish and Italian.
//   - Numbers keep their decimals and lose their grouping: "1,000", "1.000" and
//     "1000" are one term, "4.2" and "4,2" another. Dates and versions give their
//     parts without leading zeros. "25kg" gives "25" and "kg", "Q3" stays whole.
//   - Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese have no spaces to
//     find words by, or glue particles to them: they give overlapping pairs of
//     characters of one script, and each Chinese character also alone.
//
// # Terms of a question
//
// [QueryTerms] keeps what a question is about. It drops, besides the function
// words, what readers wrap around their subject: question words, "how many", "do
// I get", "tell me", "is it allowed", and the same in German, Chinese and
// Japanese. Each remaining word gives one term: its stem in the question's
// language, English unless German words or letters speak for German. Pairs of
// kana are dropped when anything else remains: they are mostly grammar. A
// question of more than [MaxQueryTerms] terms is searched by its first and last
// ones, for that is where people put the question around what they paste.
//
// The package imports nothing else of this module. All functions are pure, safe
// for concurrent use and linear in the text.
package lexical

// Version names the rules by which terms are made. An index that was written
// under another version must be built anew.
const Version = 1
