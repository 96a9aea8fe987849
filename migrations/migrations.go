// Package migrations holds the database schema as numbered SQL files, one
// directory per kind of database, embedded in the program. storage/db applies
// them in order under a lock.
//
// Rules: a file is in goose's format and holds one statement up and one down,
// because not every database can undo half a migration; the same number does
// the same thing in every directory; names are no reserved words of any of the
// databases, keys are short texts, every table carries tenant_id. A file that
// was released is never changed. The package imports nothing of this module.
package migrations

import "embed"

// Files holds one directory per kind of database ("sqlite", "postgres"), each
// with its migrations as NNNNN_name.sql. Texts of PostgreSQL have the collation
// "C", so that they are compared and ordered by their bytes as SQLite does,
// whatever the server's locale.
//
//go:embed sqlite/*.sql postgres/*.sql
var Files embed.FS
