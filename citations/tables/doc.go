// Package tables reads the tables in the text of a document. There a row is a line with
// cells, and a table is a run of such lines. For each row the package finds the names of
// its columns, the unit of its amounts, and its title.
//
// A column is named only where the cells of a row and the names above them pair off. A
// figure below the wrong year would be worse than one below none.
//
// It imports nothing of Footnote.
package tables
