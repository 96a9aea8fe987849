package events

import (
	"container/list"
	"crypto/rand"
	"strconv"
	"strings"
	"sync"

	"footnote/assistants"
)

// A feed keeps the latest change of each of a tenant's documents, in order, up to a
// number of documents. Changes are numbered from 1.
type feed struct {
	epoch string // names this feed of this process in ids
	limit int

	mu      sync.Mutex
	last    uint64     // number of the latest change
	lost    uint64     // changes up to this number may be missing
	entries *list.List // of entry, by number
	places  map[assistants.DocumentID]*list.Element
	wake    chan struct{} // closed at the next change; nil: no reader waits
}

type entry struct {
	number uint64
	change assistants.DocumentChange
}

func newFeed(limit int) *feed {
	return &feed{
		epoch: strings.ToLower(rand.Text()[:16]), limit: limit,
		entries: list.New(), places: map[assistants.DocumentID]*list.Element{},
	}
}

// closed is always ready.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (f *feed) add(changes []assistants.DocumentChange) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range changes {
		f.last++
		if c.Document == "" { // a whole collection, which may be more than is kept
			f.lost = f.last
			f.entries.Init()
			clear(f.places)
			continue
		}
		if old, ok := f.places[c.Document]; ok {
			f.entries.Remove(old)
		}
		f.places[c.Document] = f.entries.PushBack(entry{f.last, c})
		if f.entries.Len() > f.limit {
			oldest := entryOf(f.entries.Front())
			f.lost = oldest.number
			f.entries.Remove(f.entries.Front())
			delete(f.places, oldest.change.Document)
		}
	}
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

func entryOf(e *list.Element) entry {
	return e.Value.(entry) //nolint:forcetypeassert // the list has nothing else
}

// read returns up to limit changes after a number, and the number up to which they were
// read. lost: some are missing, and the number is the latest.
func (f *feed) read(after uint64, limit int) (changes []Change, at uint64, lost bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if after < f.lost {
		return nil, f.last, true
	}
	first := f.entries.Back()
	if first == nil || entryOf(first).number <= after {
		return nil, f.last, false
	}
	for first.Prev() != nil && entryOf(first.Prev()).number > after {
		first = first.Prev()
	}
	for e := first; e != nil && len(changes) < limit; e = e.Next() {
		next := entryOf(e)
		at = next.number
		changes = append(changes, Change{
			ID: f.id(at), Collection: next.change.Collection, Document: next.change.Document, Deleted: next.change.Deleted,
		})
	}
	return changes, at, false
}

// changed returns a channel that is closed once there are changes after a number.
func (f *feed) changed(after uint64) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last > after {
		return closed
	}
	if f.wake == nil {
		f.wake = make(chan struct{})
	}
	return f.wake
}

// id returns the id of a change. The epoch never changes, so that no lock is needed.
func (f *feed) id(number uint64) string { return f.epoch + "-" + strconv.FormatUint(number, 10) }

// resume returns the number of the change with an id. missed: the id is not of this
// feed, or changes after it are lost.
func (f *feed) resume(id string) (number uint64, missed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id == "" {
		return f.last, false
	}
	epoch, text, _ := strings.Cut(id, "-")
	number, err := strconv.ParseUint(text, 10, 64)
	if epoch != f.epoch || err != nil || number > f.last || number < f.lost {
		return f.last, true
	}
	return number, false
}
