// Package openapi describes the program's API as OpenAPI 3.1, for programs and as a
// page for people.
//
// The files in spec are written by hand: paths_*.yaml has the operations and
// schemas_*.yaml the objects. Three things are made instead, because they follow from
// something else: the schema of settings from the table of settings, the pages of lists
// from their items (x-page-of), and the errors that an operation has because of its form
// (see commonErrors). An operation lists further errors in x-errors.
// Example answers are those of a real run of the Postman collection.
//
// Tests compare the result with the routes and with answers of the program.
package openapi
