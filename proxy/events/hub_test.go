package events

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"footnote/assistants"
)

const (
	mine   = assistants.TenantID("mine")
	theirs = assistants.TenantID("theirs")
)

func change(tenant assistants.TenantID, id string) assistants.DocumentChange {
	return assistants.DocumentChange{Tenant: tenant, Collection: "coll_a", Document: assistants.DocumentID(id)}
}

func publish(h *Hub, ids ...string) {
	for _, id := range ids {
		h.Publish([]assistants.DocumentChange{change(mine, id)})
	}
}

func follow(t *testing.T, h *Hub, id string) *Subscription {
	t.Helper()
	s, err := h.Follow(mine, "key_a", id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// read checks what a subscription reads now.
func read(t *testing.T, s *Subscription, missed bool, want ...string) []Change {
	t.Helper()
	changes, lost := s.Read(100)
	var got []string
	for _, c := range changes {
		got = append(got, string(c.Document))
	}
	if lost != missed || !slices.Equal(got, want) {
		t.Errorf("read %v, missed %v; want %v, %v", got, lost, want, missed)
	}
	return changes
}

func isReady(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestASubscriberReadsWhatComesAfterIt(t *testing.T) {
	h := New(Limits{})
	publish(h, "before")
	s := follow(t, h, "")
	publish(h, "a", "b", "a")
	read(t, s, false, "b", "a") // the later change of a replaces the earlier
	read(t, s, false)
	h.Publish([]assistants.DocumentChange{{Tenant: mine, Collection: "coll_a", Document: "b", Deleted: true}})
	if got := read(t, s, false, "b"); !got[0].Deleted || got[0].Collection != "coll_a" {
		t.Errorf("%+v", got)
	}
}

func TestChangesOfOtherTenantsAreNotSeen(t *testing.T) {
	h := New(Limits{})
	s := follow(t, h, "")
	other, err := h.Follow(theirs, "key_b", "")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	before := s.ID()
	h.Publish([]assistants.DocumentChange{change(theirs, "x"), change(mine, "a"), change("nobody", "y")})
	read(t, s, false, "a")
	read(t, other, false, "x")
	h.Publish([]assistants.DocumentChange{change(theirs, "x")})
	if isReady(s.Changed()) {
		t.Error("it is woken for another tenant")
	}
	if s.ID() == before {
		t.Error("the id did not move")
	}
	// An id of another tenant is unknown.
	resumed := follow(t, h, other.ID())
	read(t, resumed, true)
}

func TestAnIDResumesAfterItsChange(t *testing.T) {
	h := New(Limits{})
	s := follow(t, h, "")
	fresh := s.ID()
	publish(h, "a", "b", "c")
	changes := read(t, s, false, "a", "b", "c")
	read(t, follow(t, h, changes[1].ID), false, "c")
	read(t, follow(t, h, fresh), false, "a", "b", "c")
	read(t, follow(t, h, s.ID()), false)
	publish(h, "a")
	read(t, follow(t, h, changes[1].ID), false, "c", "a")
}

func TestAPartIsReadAtATime(t *testing.T) {
	h := New(Limits{})
	s := follow(t, h, "")
	publish(h, "a", "b", "c")
	for _, want := range []string{"a", "b", "c"} {
		changes, missed := s.Read(1)
		if missed || len(changes) != 1 || string(changes[0].Document) != want || changes[0].ID != s.ID() {
			t.Fatalf("%+v, want %s", changes, want)
		}
		if isReady(s.Changed()) != (want != "c") {
			t.Errorf("after %s it is ready: %v", want, want == "c")
		}
	}
}

func TestAnIDThatCannotBeResumedIsSaidToBe(t *testing.T) {
	h, before := New(Limits{Documents: 2}), New(Limits{})
	old := follow(t, h, "").ID()
	foreign := follow(t, before, "").ID()
	publish(h, "a", "b", "c")
	for name, id := range map[string]string{
		"too old": old, "of another process": foreign, "of the future": old[:len(old)-1] + "99", "no id": "x", "no number": old[:len(old)-1], "negative": old[:len(old)-1] + "-1",
	} {
		t.Run(name, func(t *testing.T) {
			s := follow(t, h, id)
			read(t, s, true)
			publish(h, "d")
			read(t, s, false, "d") // it goes on from now
		})
	}
}

func TestASlowSubscriberLosesNothingSilently(t *testing.T) {
	h := New(Limits{Documents: 3})
	s := follow(t, h, "")
	publish(h, "a", "b", "c")
	for range 50 {
		publish(h, "c") // one document takes the room of one
	}
	if changes, missed := s.Read(1); missed || changes[0].Document != "a" {
		t.Fatal(changes, missed)
	}
	publish(h, "d")
	if _, missed := s.Read(1); missed {
		t.Error("a, which was read, is the one that is dropped")
	}
	publish(h, "e", "f")
	read(t, s, true)
	read(t, s, false)
}

func TestAChangeOfAWholeCollectionIsAReset(t *testing.T) {
	h := New(Limits{})
	s := follow(t, h, "")
	publish(h, "a")
	h.Publish([]assistants.DocumentChange{{Tenant: mine, Collection: "coll_a"}})
	publish(h, "b")
	read(t, s, true)
	publish(h, "c")
	read(t, s, false, "c")
}

func TestSubscriptionsAreBounded(t *testing.T) {
	h := New(Limits{PerKey: 2, Total: 3})
	var open []*Subscription
	for _, key := range []assistants.KeyID{"key_a", "key_a", "key_b"} {
		s, err := h.Follow(mine, key, "")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, s)
	}
	if _, err := h.Follow(mine, "key_a", ""); !errors.Is(err, ErrKeyBusy) {
		t.Error(err)
	}
	if _, err := h.Follow(mine, "key_c", ""); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	for range 2 { // to close twice frees one place
		open[2].Close()
	}
	s, err := h.Follow(mine, "key_c", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Follow(mine, "key_c", ""); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	for _, s := range append(open, s) {
		s.Close()
	}
	if len(h.open) != 0 || h.total != 0 {
		t.Errorf("left: %v, %d", h.open, h.total)
	}
}

func TestEverySubscriberIsWokenAndReadsEveryDocument(t *testing.T) {
	h := New(Limits{})
	const documents = 200
	var all sync.WaitGroup
	for range 8 {
		s := follow(t, h, "")
		all.Go(func() {
			for seen := map[assistants.DocumentID]bool{}; len(seen) < documents; {
				<-s.Changed()
				changes, missed := s.Read(7)
				if missed {
					t.Error("something was missed")
					return
				}
				for _, c := range changes {
					seen[c.Document] = true
				}
			}
		})
	}
	for i := range documents {
		all.Go(func() { publish(h, fmt.Sprint("doc_", i)) })
	}
	all.Wait()
}

func TestLimitsHaveDefaults(t *testing.T) {
	if got, want := (Limits{}).WithDefaults(), (Limits{Documents: 2048, PerKey: 16, Total: 64}); got != want {
		t.Errorf("%+v", got)
	}
	if got := (Limits{PerKey: 1}).WithDefaults(); got.PerKey != 1 || got.Total != 64 {
		t.Errorf("%+v", got)
	}
}
