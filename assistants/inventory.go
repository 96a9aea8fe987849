package assistants

// An Inventory is everything a database holds of one document, for the check
// that database, files and index belong together.
type Inventory struct {
	ID       DocumentID
	TenantID TenantID
	Owned    bool // an assistant owns its collection
	Status   Status
	Cause    *Cause
	Live     int // as in [Document]
	Latest   int
	Versions []VersionInventory // ascending
	Queued   []int              // versions that an open job will ingest
	Embed    []int              // versions that an open job will embed
}

// A VersionInventory is a stored version with what is stored beside it.
type VersionInventory struct {
	Version
	ChunkRows int
	HasText   bool
}

// Version returns what is stored of a version of the document.
func (i Inventory) Version(number int) (v VersionInventory, ok bool) {
	for _, v := range i.Versions {
		if v.Number == number {
			return v, true
		}
	}
	return v, false
}

// A Stray is rows that belong to nothing: of a document that is gone, or of a
// version of it that is.
type Stray struct {
	Table    string // of the rows; one of the store's own
	TenantID TenantID
	Document DocumentID
	Version  int
	Rows     int
}
