// Package office reads the documents of Word, PowerPoint, Excel and OpenDocument,
// and EPUB books. Importing it makes extract.Extract read them.
//
// They are zip archives of XML. What an archive may hold is limited in number,
// size and depth, nothing in it is executed, and nothing outside it is fetched.
// It imports package extract only.
package office
