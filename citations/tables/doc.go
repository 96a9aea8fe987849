// Package tables tells which names of columns, which unit and which title belong to each
// row of a table in the text of a document, where rows are lines with cells and a table
// is nothing but the order of such lines.
//
// A column is named only where the cells of a row and the names above them pair off. A
// figure below the wrong year would be worse than one below none.
//
// It imports nothing of Footnote.
package tables
