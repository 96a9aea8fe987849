package assistants

// An Inventory is everything the database holds about a document. It is compared
// with the files and the index.
type Inventory struct {
	ID       DocumentID
	TenantID TenantID
	Owned    bool // an assistant owns its collection, or it is shared
	Held     bool // it waits in the [FilesCollection], where no job reads it
	Status   Status
	Cause    *Cause
	Live     int // as in [Document]
	Latest   int
	Versions []VersionInventory // ascending
	Queued   []int              // versions that an open job will ingest
	Embed    []int              // versions that an open job will embed
}

// A VersionInventory is a stored version and whether its text and chunks are
// stored.
type VersionInventory struct {
	Version
	ChunkRows int
	HasText   bool
}

// Version returns the inventory of a version of the document.
func (i Inventory) Version(number int) (v VersionInventory, ok bool) {
	for _, v := range i.Versions {
		if v.Number == number {
			return v, true
		}
	}
	return v, false
}

// A Stray is rows of a document, or a version of it, that no longer exists.
type Stray struct {
	Table    string // that the rows are in
	TenantID TenantID
	Document DocumentID
	Version  int
	Rows     int
}
