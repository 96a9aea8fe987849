package retrieval

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"footnote/assistants"
)

// A nameLists keeps the names of the documents of sets of collections.
type nameLists struct {
	reads singleflight.Group // by key; many questions at once ask the database once
	mu    sync.Mutex
	known map[string]*nameIndex
}

// get returns the names for collections, reading them if they may have changed. A read
// that the caller does not wait for goes on for the next one.
func (l *nameLists) get(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, generation uint64, now time.Time, read func(ctx context.Context, known []assistants.DocumentName) ([]assistants.DocumentName, error)) (*nameIndex, error) {
	var name strings.Builder
	name.WriteString(string(tenant))
	name.WriteByte(' ')
	for _, c := range collections {
		name.WriteString(string(c))
		name.WriteByte(' ')
	}
	key := name.String()
	l.mu.Lock()
	x := l.known[key]
	l.mu.Unlock()
	if x != nil && (generation != 0 && x.generation == generation || now.Sub(x.read) < namesFresh) {
		return x, nil
	}
	// A read of an older generation may have missed the newest documents.
	reading := l.reads.DoChan(key+strconv.FormatUint(generation, 10), func() (_ any, err error) {
		defer assistants.CatchPanic(&err)
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), namesPatience)
		defer cancel()
		documents, err := read(bounded, x.names())
		if err != nil {
			return nil, err
		}
		x := newNameIndex(x, documents, generation, now)
		l.keep(key, x)
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

func (l *nameLists) keep(key string, x *nameIndex) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil || len(l.known) >= maxNameLists {
		l.known = map[string]*nameIndex{}
	}
	l.known[key] = x
}
