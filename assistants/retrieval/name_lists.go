package retrieval

import (
	"context"
	"crypto/sha256"
	"strconv"
	"time"

	"golang.org/x/sync/singleflight"

	"footnote/assistants"
)

// A nameLists keeps the names of the documents of sets of collections.
type nameLists struct {
	reads singleflight.Group // by key; many questions at once ask the database once
	known recent[*nameIndex]
}

// maxNames bounds the bytes of the names that are kept. It is room for 128,000 documents, because
// reading the names of 10,000 anew takes a second.
const maxNames = 256 << 20

func newNameLists() nameLists { return nameLists{known: recent[*nameIndex]{most: maxNames}} }

// get returns the names for collections, reading them if they may have changed. A read
// that the caller does not wait for goes on for the next one.
func (l *nameLists) get(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, generation uint64, now time.Time, read func(ctx context.Context, known []assistants.DocumentName) ([]assistants.DocumentName, error)) (*nameIndex, error) {
	var set cacheKey
	set.texts(string(tenant))
	texts(&set, collections)
	hash := sha256.Sum256(set) // many collections would make a key that is too long to be kept
	key := hash[:]
	x, _ := l.known.get(key)
	if x != nil && (generation != 0 && x.generation == generation || now.Sub(x.read) < namesFresh) {
		return x, nil
	}
	// A read of an older generation may have missed the newest documents.
	reading := l.reads.DoChan(string(key)+strconv.FormatUint(generation, 10), func() (_ any, err error) {
		defer assistants.CatchPanic(&err)
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), namesPatience)
		defer cancel()
		documents, err := read(bounded, x.names())
		if err != nil {
			return nil, err
		}
		x := newNameIndex(x, documents, generation, now)
		l.known.putSized(key, x, x.size())
		return x, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case done := <-reading:
		if done.Err != nil {
			return nil, done.Err
		}
		return done.Val.(*nameIndex), nil //nolint:forcetypeassert // the function above returns it
	}
}

// size estimates the bytes that an index takes.
func (x *nameIndex) size() int {
	const perDocument = 2 << 10 // measured, with a profile
	n := perDocument * len(x.documents)
	for i := range x.documents {
		for _, d := range x.documents[i].defines {
			n += 4 * len(d.line) // in the profile, in the traits, and as stems
		}
	}
	if x.learned != nil {
		n += x.learned.size()
	}
	return n
}
