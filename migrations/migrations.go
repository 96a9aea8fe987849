// Package migrations holds the database schema as numbered SQL files, one
// directory per kind of database, embedded in the program. storage/db applies
// them in order under a lock, each file in one transaction. MySQL commits each
// statement; there an interrupted file is continued.
//
// Rules: 00001_schema.sql is the whole schema of the first release; a change
// after it is a new small file with the same number and name in every
// directory. A file that was released is never changed. Files are in goose's
// format and have no Down part: a backup is the way back. Names are not
// reserved words of any of the databases, keys are short texts, and every table
// carries tenant_id. The package imports nothing of this module.
package migrations

import "embed"

// Files holds one directory per kind of database ("sqlite", "postgres", "mysql",
// "sqlserver"), each with its migrations as NNNNN_name.sql.
//
//go:embed sqlite/*.sql postgres/*.sql mysql/*.sql sqlserver/*.sql
var Files embed.FS
