package db

import (
	"context"
	"slices"
	"sync"

	"footnote/assistants"
)

// DefaultPassageBytes is how much memory the passages of a [Cached] store take, unless
// it is told otherwise.
const DefaultPassageBytes = 64 << 20

// A passageCache keeps the passages that were found last, with their documents and
// what was computed of them, so that a question that was asked before reads nothing.
// Its memory is bounded. A chunk never changes under its id without a change of its
// document, and with a document all its passages are forgotten.
type passageCache struct {
	mu         sync.Mutex
	limit      int64 // bytes
	used       int64
	passages   map[passageRef]*keptPassage
	documents  map[documentRef]*keptDocument
	front      keptPassage // of the ring of passages: the last used comes next
	generation uint64      // counts changes of documents
	stats      PassageStats
}

type passageRef struct {
	tenant assistants.TenantID
	id     assistants.ChunkID
}

type documentRef struct {
	tenant assistants.TenantID
	id     assistants.DocumentID
}

// A keptPassage is a passage in memory.
type keptPassage struct {
	ref        passageRef
	chunk      assistants.Chunk
	document   *keptDocument
	memo       *assistants.Memo
	bytes      int64
	prev, next *keptPassage // nil: it is not in the ring any more
}

// A keptDocument is the document of passages in memory. It is never changed: a changed
// document is another keptDocument.
type keptDocument struct {
	ref      documentRef
	document assistants.Document
	revision int64
	passages []*keptPassage
}

// PassageStats tell how well the passages in memory serve.
type PassageStats struct {
	Passages     int
	Bytes, Limit int64
	Hits, Misses uint64 // passages that were found in memory, or read
}

func newPassageCache(limit int64) *passageCache {
	c := &passageCache{limit: limit, passages: map[passageRef]*keptPassage{}, documents: map[documentRef]*keptDocument{}}
	c.front.prev, c.front.next = &c.front, &c.front
	return c
}

// now returns the generation, for put.
func (c *passageCache) now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.generation
}

// find returns the passages of matches, nil for those that are not in memory.
func (c *passageCache) find(tenant assistants.TenantID, matches []assistants.Match) []*keptPassage {
	found := make([]*keptPassage, len(matches))
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, m := range matches {
		p := c.passages[passageRef{tenant, m.ChunkID}]
		if p == nil {
			continue
		}
		p.unlink()
		c.link(p)
		found[i] = p
	}
	return found
}

// count adds to the statistics.
func (c *passageCache) count(hits, misses int) {
	c.mu.Lock()
	c.stats.Hits += uint64(hits)     //nolint:gosec // not negative
	c.stats.Misses += uint64(misses) //nolint:gosec // not negative
	c.mu.Unlock()
}

// put keeps passages of a document that were read in a generation, unless documents
// have changed since. It returns the memos of those that it keeps.
func (c *passageCache) put(generation uint64, tenant assistants.TenantID, d revised, chunks []assistants.Chunk) (memos map[assistants.ChunkID]*assistants.Memo) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation != generation || c.limit <= 0 {
		return nil // perhaps read before the change
	}
	memos = make(map[assistants.ChunkID]*assistants.Memo, len(chunks))
	ref := documentRef{tenant, d.ID}
	doc := c.documents[ref]
	if doc == nil || doc.revision != d.revision {
		c.drop(doc)
		doc = &keptDocument{ref: ref, document: d.Document, revision: d.revision}
		c.documents[ref] = doc
	}
	for _, chunk := range chunks {
		ref := passageRef{tenant, chunk.ID}
		if p := c.passages[ref]; p != nil {
			memos[chunk.ID] = p.memo
			continue
		}
		p := &keptPassage{ref: ref, chunk: chunk, document: doc, bytes: sizeOf(chunk, d.Document)}
		p.memo = assistants.NewMemo(func(bytes int) { c.grow(p, int64(bytes)) })
		doc.passages = append(doc.passages, p)
		c.passages[ref] = p
		c.used += p.bytes
		c.link(p)
		memos[chunk.ID] = p.memo
	}
	c.shrink()
	return memos
}

// known returns those of the named documents that have passages in memory, each once,
// and the ids of the others.
func (c *passageCache) known(tenant assistants.TenantID, ids []assistants.DocumentID) (known []*keptDocument, unknown []assistants.DocumentID) {
	known = make([]*keptDocument, 0, len(ids))
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		if d := c.documents[documentRef{tenant, id}]; d != nil {
			known = append(known, d)
		} else {
			unknown = append(unknown, id)
		}
	}
	return known, unknown
}

// forget drops the passages of documents that have changed.
func (c *passageCache) forget(changes []assistants.DocumentChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	for _, change := range changes {
		if change.Document != "" {
			c.drop(c.documents[documentRef{change.Tenant, change.Document}])
			continue
		}
		for _, d := range c.documents {
			if d.ref.tenant == change.Tenant && d.document.CollectionID == change.Collection {
				c.drop(d)
			}
		}
	}
}

// outdated drops a document if it is still the one that is in memory.
func (c *passageCache) outdated(d *keptDocument) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.documents[d.ref] == d {
		c.drop(d)
	}
}

// drop drops a document with its passages; nil is none.
func (c *passageCache) drop(d *keptDocument) {
	if d == nil {
		return
	}
	for _, p := range d.passages {
		c.remove(p)
	}
	d.passages = nil
	delete(c.documents, d.ref)
}

// remove drops a passage, but not from the list of its document.
func (c *passageCache) remove(p *keptPassage) {
	p.unlink()
	delete(c.passages, p.ref)
	c.used -= p.bytes
}

// grow notes that a passage takes more memory.
func (c *passageCache) grow(p *keptPassage, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.next == nil {
		return // it was dropped meanwhile
	}
	p.bytes += bytes
	c.used += bytes
	c.shrink()
}

// shrink drops the passages that were not used for longest, until the rest fits.
func (c *passageCache) shrink() {
	for c.used > c.limit && c.front.prev != &c.front {
		p := c.front.prev
		c.remove(p)
		d := p.document
		d.passages = slices.DeleteFunc(d.passages, func(q *keptPassage) bool { return q == p })
		if len(d.passages) == 0 {
			delete(c.documents, d.ref)
		}
	}
}

// link puts a passage in front of all others.
func (c *passageCache) link(p *keptPassage) {
	p.prev, p.next = &c.front, c.front.next
	p.prev.next, p.next.prev = p, p
}

func (p *keptPassage) unlink() {
	p.prev.next, p.next.prev = p.next, p.prev
	p.prev, p.next = nil, nil
}

// sizeOf estimates the memory of a passage. Each bears the whole of its document,
// which other passages may share.
func sizeOf(c assistants.Chunk, d assistants.Document) int64 {
	const fixed = 1500 // the structures, the ids, and the entries of maps
	size := fixed + len(c.Text) + len(c.TableHeader) + len(c.PageOpening) + 16*len(c.PageStarts) + len(d.Name) + len(d.SourcePath)
	for _, heading := range c.HeadingPath {
		size += len(heading)
	}
	for _, label := range d.Labels {
		size += len(label) + 16
	}
	for key, value := range d.Tags {
		size += len(key) + len(value) + 64
	}
	if p, ok := d.Profile(); ok {
		size += 500 + len(p.Title)
		for _, text := range slices.Concat(p.Periods, p.Subjects, p.Abbreviations) {
			size += len(text) + 16
		}
	}
	return int64(size)
}

// A revised is a document with the number of its changes.
type revised struct {
	assistants.Document
	revision int64
}

// LimitPassages sets how many bytes of memory passages may take; 0: none are kept. It
// must be called before the store is used.
func (c *Cached) LimitPassages(bytes int64) { c.passages.limit = bytes }

// PassageStats tells how well the passages in memory serve.
func (c *Cached) PassageStats() PassageStats {
	c.passages.mu.Lock()
	defer c.passages.mu.Unlock()
	stats := c.passages.stats
	stats.Passages, stats.Bytes, stats.Limit = len(c.passages.passages), c.passages.used, c.passages.limit
	return stats
}

// Hits is [Store.Hits] from memory, as far as the passages are there. Where other
// processes may write, the database is asked whether the documents are as they were.
func (c *Cached) Hits(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, matches []assistants.Match) ([]assistants.Hit, error) {
	if slices.ContainsFunc(matches, func(m assistants.Match) bool { return m.DocumentID == "" }) {
		return c.Store.Hits(ctx, tenant, collections, matches) // a client named the chunk
	}
	found := c.passages.find(tenant, matches)
	if !c.exclusive {
		if err := c.confirm(ctx, tenant, found); err != nil {
			return nil, c.wrap(ctx, "hits", err)
		}
	}
	var missing []assistants.Match
	for i, p := range found {
		if p == nil {
			missing = append(missing, matches[i])
		}
	}
	c.passages.count(len(matches)-len(missing), len(missing))
	read, err := c.readPassages(ctx, tenant, missing)
	if err != nil {
		return nil, c.wrap(ctx, "hits", err)
	}
	hits := make([]assistants.Hit, 0, len(matches))
	for i, m := range matches {
		h := assistants.Hit{Score: m.Score}
		if p := found[i]; p != nil {
			h.Chunk, h.Document, h.Memo = p.chunk, p.document.document, p.memo
		} else if fresh, ok := read[m.ChunkID]; ok {
			h.Chunk, h.Document, h.Memo = fresh.Chunk, fresh.Document, fresh.Memo
		} else {
			continue
		}
		if slices.Contains(collections, h.Document.CollectionID) {
			hits = append(hits, h)
		}
	}
	return hits, nil
}

// confirm asks for the revisions of the documents of passages, and sets those to nil
// whose document was changed or deleted.
func (c *Cached) confirm(ctx context.Context, tenant assistants.TenantID, found []*keptPassage) error {
	var ids []assistants.DocumentID
	for _, p := range found {
		if p != nil && !slices.Contains(ids, p.document.ref.id) {
			ids = append(ids, p.document.ref.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	revisions, err := c.revisions.ask(ctx, tenant, ids, c.revisionsIn(tenant))
	if err != nil {
		return err
	}
	for i, p := range found {
		if p == nil {
			continue
		}
		if now, ok := revisions[p.document.ref.id]; !ok || now != p.document.revision {
			c.passages.outdated(p.document)
			found[i] = nil
		}
	}
	return nil
}

// readPassages reads the passages of matches and keeps them. A caller who asks while a
// query runs waits, and shares the next one: after a start, many ask for the same.
func (c *Cached) readPassages(ctx context.Context, tenant assistants.TenantID, matches []assistants.Match) (map[assistants.ChunkID]assistants.Hit, error) {
	if len(matches) == 0 {
		return nil, nil
	}
	return c.reading.ask(ctx, tenant, matches, func(ctx context.Context, matches []assistants.Match) (map[assistants.ChunkID]assistants.Hit, error) {
		return c.readTogether(ctx, tenant, matches)
	})
}

// readTogether reads the passages of matches, which may have been asked for several
// times, and keeps them.
func (c *Cached) readTogether(ctx context.Context, tenant assistants.TenantID, matches []assistants.Match) (map[assistants.ChunkID]assistants.Hit, error) {
	generation := c.passages.now()
	chunkIDs, ids := make([]assistants.ChunkID, len(matches)), make([]assistants.DocumentID, len(matches))
	for i, m := range matches {
		chunkIDs[i], ids[i] = m.ChunkID, m.DocumentID
	}
	slices.Sort(chunkIDs)
	slices.Sort(ids)
	// The documents are read first: if one changes before its passages are read, its
	// revision is outdated and the passages are read again the next time.
	docs, err := c.revisedDocuments(ctx, tenant, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	chunks, err := c.chunksByID(ctx, tenant, slices.Compact(chunkIDs))
	if err != nil {
		return nil, err
	}
	of := make(map[assistants.DocumentID][]assistants.Chunk, len(docs))
	for _, chunk := range chunks {
		of[chunk.DocumentID] = append(of[chunk.DocumentID], chunk)
	}
	read := make(map[assistants.ChunkID]assistants.Hit, len(chunks))
	for _, d := range docs {
		memos := c.passages.put(generation, tenant, d, of[d.ID])
		for _, chunk := range of[d.ID] {
			read[chunk.ID] = assistants.Hit{Chunk: chunk, Document: d.Document, Memo: memos[chunk.ID]}
		}
	}
	return read, nil
}

// revisedDocuments reads documents with their revisions.
func (s *Store) revisedDocuments(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]revised, error) {
	return inParts(ids, inList, func(part []assistants.DocumentID) ([]revised, error) {
		var views []documentView
		err := viewDocuments(inTenant(s.read(ctx), tenant).Where("documents.id IN ?", evenly(part))).Find(&views).Error
		docs := make([]revised, len(views))
		for i, v := range views {
			docs[i] = revised{v.document(), v.Row.Revision}
		}
		return docs, err
	})
}

// revisionsIn reads the revisions of the documents of a tenant that exist.
func (s *Store) revisionsIn(tenant assistants.TenantID) func(context.Context, []assistants.DocumentID) (map[assistants.DocumentID]int64, error) {
	return func(ctx context.Context, ids []assistants.DocumentID) (map[assistants.DocumentID]int64, error) {
		ids = slices.Clone(ids)
		slices.Sort(ids)
		rows, err := inParts(slices.Compact(ids), inList, func(part []assistants.DocumentID) (rows []documentRow, err error) {
			err = inTenant(s.read(ctx), tenant).Select("id", "revision").Where("id IN ?", evenly(part)).Find(&rows).Error
			return rows, err
		})
		revisions := make(map[assistants.DocumentID]int64, len(rows))
		for _, r := range rows {
			revisions[r.ID] = r.Revision
		}
		return revisions, err
	}
}

// evenly repeats the last of some ids until their number is a power of two, so that
// statements with lists of ids have few different texts, and stay prepared.
func evenly[ID any](ids []ID) []ID {
	for n := len(ids); n > 0 && n&(n-1) != 0; n++ {
		ids = append(ids, ids[len(ids)-1])
	}
	return ids
}

// ExistingDocuments is [Store.ExistingDocuments]. Documents with passages in memory
// exist, if no other process can have deleted them.
func (c *Cached) ExistingDocuments(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.DocumentID, error) {
	known, unknown := c.knownDocuments(tenant, ids)
	existing := make([]assistants.DocumentID, 0, len(ids))
	for _, d := range known {
		existing = append(existing, d.ref.id)
	}
	if len(unknown) == 0 {
		return existing, nil
	}
	revisions, err := c.revisions.ask(ctx, tenant, unknown, c.revisionsIn(tenant))
	for _, id := range unknown {
		if _, ok := revisions[id]; ok && !slices.Contains(existing, id) {
			existing = append(existing, id)
		}
	}
	return existing, c.wrap(ctx, "existing documents", err)
}

// DocumentsByID is [Store.DocumentsByID], from memory where no other process can have
// changed them.
func (c *Cached) DocumentsByID(ctx context.Context, tenant assistants.TenantID, ids []assistants.DocumentID) ([]assistants.Document, error) {
	known, unknown := c.knownDocuments(tenant, ids)
	documents := make([]assistants.Document, 0, len(ids))
	for _, d := range known {
		documents = append(documents, d.document)
	}
	if len(unknown) == 0 {
		return documents, nil
	}
	asked, err := c.Store.DocumentsByID(ctx, tenant, unknown)
	return append(documents, asked...), err
}

// knownDocuments returns the documents that are certain to be as they are in memory,
// and the ids of the others.
func (c *Cached) knownDocuments(tenant assistants.TenantID, ids []assistants.DocumentID) (known []*keptDocument, unknown []assistants.DocumentID) {
	if !c.exclusive {
		return nil, ids
	}
	return c.passages.known(tenant, ids)
}
