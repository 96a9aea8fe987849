package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"footnote/assistants"
)

// Shared keeps streams where other servers find them. Its errors wrap ErrUnavailable.
type Shared interface {
	// SaveStreams stores what is new of streams, all or nothing.
	SaveStreams(ctx context.Context, streams []assistants.StoredStream) error
	// StreamSince returns a stream of a key with its events from a number on. ErrNotFound.
	StreamSince(ctx context.Context, tenant assistants.TenantID, key assistants.KeyID, id string, from int, now time.Time) (assistants.StoredStream, error)
	// RemoveExpiredStreams removes the streams that expired before now.
	RemoveExpiredStreams(ctx context.Context, now time.Time) error
}

const (
	// sharedPart bounds the streams that one transaction saves.
	sharedPart = 32
	// firstSave is how long the first save of a stream may take, on a busy database.
	firstSave = time.Second
	// lastSave bounds the save at the end of the server.
	lastSave = 3 * time.Second
)

// A sharer saves the streams of this server for other servers. No stream waits for it.
type sharer struct {
	store   Shared
	timings Timings
	log     *slog.Logger

	mu     sync.Mutex
	open   []*stream // of which something is to be saved, now or later
	failed bool      // the last save; its successor is not logged
	begun  chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
}

// newSharer starts a sharer, which runs until close.
func newSharer(store Shared, timings Timings, log *slog.Logger) *sharer {
	ctx, cancel := context.WithCancel(context.Background())
	h := &sharer{store: store, timings: timings, log: log, begun: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	go h.run(ctx)
	return h
}

// share saves a stream from now on. nil: nothing is shared.
func (h *sharer) share(s *stream) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = append(h.open, s)
	select {
	case h.begun <- struct{}{}:
	default:
	}
}

// close saves what is left, and ends the sharer.
func (h *sharer) close() {
	h.cancel()
	<-h.done
}

// run saves the streams at once when one begins, then from time to time while there are
// any. It also removes those that have expired.
func (h *sharer) run(ctx context.Context) {
	defer close(h.done)
	sweep := time.NewTicker(h.timings.Resume / 2)
	defer sweep.Stop()
	pause := time.NewTimer(h.timings.Save)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSave)
			defer cancel()
			h.save(last)
			return
		case <-sweep.C:
			if err := h.store.RemoveExpiredStreams(ctx, time.Now()); err != nil && ctx.Err() == nil {
				h.log.Warn("expired streams of searches were not removed", "error", err)
			}
			continue
		case <-h.begun:
		case <-pause.C:
		}
		if h.save(ctx) {
			pause.Reset(h.timings.Save)
		}
	}
}

// save saves what is new, and reports whether more can come. What could not be saved is
// saved the next time.
func (h *sharer) save(ctx context.Context) (more bool) {
	h.mu.Lock()
	open := slices.Clone(h.open)
	h.mu.Unlock()
	now := time.Now()
	for batch := range slices.Chunk(open, sharedPart) {
		var parts []assistants.StoredStream
		var saved []*stream
		for _, s := range batch {
			if part, ok := s.unsaved(now); ok {
				parts, saved = append(parts, part), append(saved, s)
			}
		}
		if len(parts) == 0 {
			continue
		}
		err := h.store.SaveStreams(ctx, parts)
		if err != nil && !h.failed && ctx.Err() == nil {
			h.log.Warn("streams of searches cannot be shared with other servers now", "error", err)
		}
		if h.failed = err != nil; h.failed {
			continue
		}
		for i, s := range saved {
			s.wasSaved(parts[i], now)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = slices.DeleteFunc(h.open, func(s *stream) bool { return s.needsNoSave(now) })
	return len(h.open) > 0
}

// unsaved returns what is to be saved of a stream: new events, its end, or from time to
// time that it goes on.
func (s *stream) unsaved(now time.Time) (assistants.StoredStream, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.first + len(s.events)
	if next == s.saved.next && !s.ended && now.Sub(s.saved.at) < s.all.timings.Silence/5 {
		return assistants.StoredStream{}, false
	}
	part := assistants.StoredStream{
		ID: s.id, TenantID: s.owner.tenant, Key: s.owner.key, Fingerprint: s.in.fingerprint(),
		First: s.first, Next: next, Beat: s.saved.beat + 1, Ended: s.ended, ExpiresAt: now.Add(s.all.timings.Resume),
	}
	for n := max(s.saved.next, s.first); n < next; n++ {
		part.Events = append(part.Events, assistants.StreamEvent{Number: n, Text: string(s.events[n-s.first])})
	}
	return part, true
}

// wasSaved notes what is saved of a stream.
func (s *stream) wasSaved(part assistants.StoredStream, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved = saving{next: part.Next, beat: part.Beat, at: now, whole: part.Ended}
}

// needsNoSave reports whether nothing more is to be saved: all is, or it has expired.
func (s *stream) needsNoSave(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saved.whole || s.ended && now.Sub(s.endedAt) > s.all.timings.Resume
}

// fingerprint is a hash of the request. Equal requests have the same one on every server.
func (in *request) fingerprint() string {
	text, err := json.Marshal([]any{in.query, in.chunk, in.collections, in.assistant, in.limit, in.synthesize, in.stream, in.filter})
	if err != nil { // all are plain values
		text = nil
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// elsewhere returns a copy of a stream that another server makes or made, which grows as
// that one does, and the number of the event after the last one that the client has.
// ErrNotFound: there is no such stream, or it is not the client's.
func (h *Handler) elsewhere(ctx context.Context, at position, who owner, in request) (*stream, error) {
	if h.sharer == nil {
		return nil, assistants.ErrNotFound
	}
	read := func() (assistants.StoredStream, error) {
		return h.sharer.store.StreamSince(ctx, who.tenant, who.key, at.stream, 0, time.Now())
	}
	stored, err := read()
	for start := time.Now(); errors.Is(err, assistants.ErrNotFound) && time.Since(start) < firstSave; stored, err = read() { // it may have begun just now
		select {
		case <-time.After(h.cfg.Timings.Poll):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case stored.Fingerprint != in.fingerprint() || at.next < stored.First || stored.Ended && at.next > stored.Next:
		return nil, assistants.ErrNotFound
	}
	following, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s, isNew := h.streams.copyOf(stored, who, in, cancel)
	switch {
	case !isNew:
		cancel(nil)
	case stored.Ended:
		cancel(nil)
		s.end()
	default:
		h.work.Go(func() { h.follow(following, cancel, s, stored.Beat) })
	}
	return s, nil
}

// messageLost is what a client reads whose answer was made by a server that is gone.
const messageLost = "The server that made this answer has stopped before its end. Search again."

// follow adds to the copy of a stream what another server adds to the stream. A stream
// without a sign of life for a while ends with an error.
func (h *Handler) follow(ctx context.Context, cancel context.CancelCauseFunc, s *stream, beat int64) {
	defer cancel(nil)
	unhook := h.bindToServer(cancel, s)
	defer unhook()
	defer s.end()
	poll := time.NewTicker(h.cfg.Timings.Poll)
	defer poll.Stop()
	silent := time.NewTimer(h.cfg.Timings.Silence)
	defer silent.Stop()
	for {
		select {
		case <-ctx.Done():
			s.fail(messageLost)
			return
		case <-silent.C:
			h.deps.Log.Warn("the server that makes the answer to a search shows no sign of life", "stream", s.id)
			s.fail(messageLost)
			return
		case <-poll.C:
		}
		stored, err := h.sharer.store.StreamSince(ctx, s.owner.tenant, s.owner.key, s.id, s.next(), time.Now())
		if errors.Is(err, assistants.ErrNotFound) { // it has expired: nobody makes it
			s.fail(messageLost)
			return
		}
		if err != nil || stored.Beat == beat { // an outage of the database ends in silence, too
			continue
		}
		beat = stored.Beat
		silent.Reset(h.cfg.Timings.Silence)
		s.take(stored)
		if stored.Ended {
			return
		}
	}
}
