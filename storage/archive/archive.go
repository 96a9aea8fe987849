// Package archive keeps an installation in one file: a gzip-compressed tar of
// plain files that ends with a manifest of all of them, and puts the files of
// such an archive where they belong.
//
// The manifest is the last entry, so that files may be added while they still
// change, and an archive that was cut short never looks whole. [Verify] reads all
// of an archive and compares it with its manifest; nothing in it may be used
// before. Names never become paths outside the folder that the archive is unpacked
// into. When [Unpack] or [Swap] returns nil, its result is durable. The package
// imports nothing of this module and knows nothing of databases.
package archive

import (
	"fmt"
	"strings"
	"time"
)

// Format is the version of the archive's form. A program reads its own and older ones.
const Format = 1

// manifestName is the entry that ends every archive.
const manifestName = "manifest.json"

// What an archive may hold at most: far beyond what one SQLite file serves, and
// little enough for the manifest to be in memory.
const (
	maxEntries       = 4_000_000
	maxManifestBytes = 1 << 30
)

// A Manifest says what an archive holds, and how it came to be.
type Manifest struct {
	Format    int       `json:"format"`
	Program   string    `json:"program"` // version of the program that made it
	Schema    int64     `json:"schema"`  // version of the database's schema
	CreatedAt time.Time `json:"created_at"`
	Documents int       `json:"documents"`
	// SecretElsewhere: the installation's secret was configured, and is not in the archive.
	SecretElsewhere bool `json:"secret_elsewhere"`
	// DocumentsElsewhere: the files of the documents were on S3, and are not in the archive.
	DocumentsElsewhere bool `json:"documents_elsewhere"`
	// Damaged are documents whose bytes were not what the database says.
	Damaged []Damage `json:"damaged"`
	Entries []Entry  `json:"entries"`
}

// An Entry is a file of an archive.
type Entry struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // lower-case hex
	// Unused: the file was deleted while the archive was made, and is not unpacked.
	Unused bool `json:"unused,omitempty"`
}

// A Damage names a document whose bytes could not be saved as they were stored.
type Damage struct {
	Document string `json:"document_id"`
	Name     string `json:"name"`
	Entry    string `json:"entry"`
	Problem  string `json:"problem"` // a sentence without its subject, "is missing"
}

// An Error says what is wrong with an archive, in a sentence for the person
// who wants to use it.
type Error struct{ Reason string }

func (e *Error) Error() string { return e.Reason }

func errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// checkName returns an error unless the name is a relative path of at most four
// segments of ASCII letters, digits, '.', '_' and '-'. No segment may begin or end
// with a dot. Such a path is harmless on every system.
func checkName(name string) error {
	segments := strings.Split(name, "/")
	ok := len(segments) <= 4 && len(name) <= 255
	for _, s := range segments {
		ok = ok && validSegment(s)
	}
	if !ok {
		return errorf("the archive has an entry named %q, which no backup has", name)
	}
	return nil
}

func validSegment(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return s != "" && s[0] != '.' && s[len(s)-1] != '.'
}
