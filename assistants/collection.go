package assistants

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"
)

// A Collection is a set of documents that are searched together. Every assistant
// owns one and may be allowed to read others. A shared collection has no owner.
//
// Its documents are embedded in one [Space], so that their vectors can be
// compared. During a re-embedding, Next is the new space; Space keeps answering
// until every document has vectors in Next.
type Collection struct {
	ID          CollectionID
	TenantID    TenantID
	AssistantID AssistantID // the owner; "": shared
	Name        string      // of the owner, if there is one
	Space       Space       // zero: nothing has been embedded yet
	Calibration Calibration // of Space
	Calibrated  int         // number of embedded passages that the calibration was computed from; 0: not computed
	Next        Space       // zero: no re-embedding is under way
	Synonyms    []string    // lines, as in the setting; of shared collections
	CreatedAt   time.Time
	Metadata    map[string]string // what a client of OpenAI's API keeps with it; nothing looks at it
}

// A CollectionChange changes a shared collection.
type CollectionChange struct {
	Name     string   // "": it stays
	Synonyms []string // nil: they stay
}

// Of returns c with the change.
func (change CollectionChange) Of(c Collection) Collection {
	c.Name = cmp.Or(change.Name, c.Name)
	if change.Synonyms != nil {
		c.Synonyms = change.Synonyms
	}
	return c
}

// FilesCollection returns the id of the shared collection that keeps a tenant's files
// while they are in no vector store. A file that is uploaded into it waits there, unread
// and unsearched, until it is moved to another collection. A document that is moved into
// it is not embedded there. The collection is made when it is first needed.
func FilesCollection(tenant TenantID) CollectionID {
	sum := sha256.Sum256([]byte("files of " + tenant))
	enc := base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])
	return CollectionID("coll_" + strings.ToLower(enc))
}

// IsFiles reports whether the collection is the tenant's [FilesCollection].
func (c Collection) IsFiles() bool { return c.ID == FilesCollection(c.TenantID) }

// Target is the space that documents are to be embedded in; zero: any.
func (c Collection) Target() Space {
	if !c.Next.IsZero() {
		return c.Next
	}
	return c.Space
}

// Takes reports whether vectors of a space may be added to the collection.
func (c Collection) Takes(s Space) bool { return c.Target().IsZero() || c.Target() == s }

// Lacks reports whether the live version v still has to be embedded.
func (c Collection) Lacks(v Version) bool {
	if !c.Next.IsZero() {
		return v.Next != c.Next
	}
	return v.Space.IsZero()
}

// A CollectionUse counts what is in a collection.
type CollectionUse struct {
	Documents int
	Text      int // number of documents found by words only
	Full      int // number of documents found by words and meaning
	Next      int // number of documents embedded in the next space
	Passages  int // in live versions
	Embedded  int // in the documents counted by Full
	Queued    int // number of documents waiting to be embedded
}

// A CollectionFiles counts the documents of a collection by how far they are.
type CollectionFiles struct {
	Total  int
	Ready  int
	Failed int
	Bytes  int64 // of the files that are shown
}

// A CollectionState is a collection with what is in it.
type CollectionState struct {
	Collection
	Use CollectionUse
}

// calibrations holds the measured calibrations, by model.
var calibrations = map[string]Calibration{
	// The built-in embedder: unrelated passages have a cosine of about 0,
	// passages that answer one between 0.4 and 0.8.
	"all-MiniLM-L6-v2": {Low: 0.1, High: 0.7},
	// With the multilingual model as well: its cosines have the same spread, and
	// are between 0.2 and 0.5 for passages in another language than the
	// question.
	"all-MiniLM-L6-v2+use-multilingual-3": {Low: 0.1, High: 0.7},
}

// KnownCalibration returns the measured calibration of a model. For other models
// the calibration is computed from a sample of the collection.
func KnownCalibration(model string) (c Calibration, ok bool) {
	c, ok = calibrations[model]
	return c, ok
}
