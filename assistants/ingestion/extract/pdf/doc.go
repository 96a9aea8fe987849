// Package pdf reads PDF files with PDFium: text in reading order, headings,
// tables and code, recognised scans, and pictures of pages. Importing it makes
// extract.Extract read PDF.
//
// Offsets follow the rules of package extract. Files are hostile: callers run
// this package in the child process of package sandbox. It imports package
// extract only.
package pdf
