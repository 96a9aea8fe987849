// Package lexical turns text into the terms that a full-text index stores and
// a question is matched by, and into sentences. The index, the extractive
// answerer, the chunker and explanations share it, so that they agree on what
// a word is.
//
// # Terms of a document
//
// Of the text around a word only its language matters.
//
//   - Words follow UAX #29. They are compared in lower case, in compatibility
//     form (NFKC: full width equals half width), without accents on Latin,
//     Greek and Cyrillic letters. "ß" is "ss".
//   - A Latin word gives its English stem and, where that differs, its stem in the
//     language of the text as well, at the same place: German, French, Italian,
//     Spanish, Portuguese or Dutch, detected by the small words of the text. The
//     German stem also equates "ue" with "ü"; English texts get it too. If the
//     language cannot be detected (a name, a caption, a table), the word gives its
//     stems in all of them, so that questions in any of them find it.
//   - What is elided before a vowel ("l'avis", "dell'elenco") is a word of its own.
//   - Function words of English and German give no terms, nor do the articles of
//     French, Spanish and Italian, nor those of the text's own language.
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
// words, the phrases that only ask: question words, "how many", "do
// I get", "tell me", "is it allowed", and the same in the other languages, Chinese
// and Japanese. Each remaining word gives one term: its stem in the question's
// language, English unless small words or endings speak for another. Pairs of
// kana are dropped when anything else remains: they are mostly grammar. A
// question of more than [MaxQueryTerms] terms is searched by its first and last
// ones, because people put the question before or after the text that they paste.
//
// # Compounds
//
// [Parts] splits a compound into terms that are known. An index adds the parts of a
// document's compounds that are also words of the document. A question whose compound
// no passage contains is searched by its parts ([AskedTerms]). A German verb
// whose particle stands at the end of the clause is searched as the whole verb.
//
// The package imports nothing else of this module. All functions are pure, safe
// for concurrent use and linear in the text.
package lexical

// Version names the rules by which terms are made. An index that was written
// under another version must be rebuilt.
const Version = 3
