package db_test

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"footnote/assistants"
)

// newStream is a stream that has events from one number up to another.
func newStream(owner assistants.TenantID, id string, from, to int) assistants.StoredStream {
	st := assistants.StoredStream{
		ID: id, TenantID: owner, Key: "key_a", Fingerprint: "what was asked for", Next: to, Beat: 1, ExpiresAt: birth.Add(time.Minute),
	}
	for n := from; n < to; n++ {
		st.Events = append(st.Events, assistants.StreamEvent{Number: n, Text: "data: é 😀 " + strconv.Itoa(n) + "\n\n"})
	}
	return st
}

var streamTests = map[string]func(*testing.T, contract){
	"a stream is as it was saved, from any event on": func(t *testing.T, s contract) {
		must(t, s.SaveStreams(t.Context(), []assistants.StoredStream{newStream(tenant, "a", 0, 3), newStream(tenant, "b", 0, 1)}))
		more := newStream(tenant, "a", 2, 500) // 2 for the second time
		more.Events[0].Text = "changed"
		more.Beat, more.Ended, more.ExpiresAt = 2, true, birth.Add(2*time.Minute)
		must(t, s.SaveStreams(t.Context(), []assistants.StoredStream{more}))
		got, err := s.StreamSince(t.Context(), tenant, "key_a", "a", 1, birth)
		must(t, err)
		want := newStream(tenant, "a", 1, 500)
		want.Beat, want.Ended, want.ExpiresAt = 2, true, birth.Add(2*time.Minute)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %d events of %+v", len(got.Events), got)
		}
		if got, err := s.StreamSince(t.Context(), tenant, "key_a", "b", 1, birth); err != nil || got.Next != 1 || len(got.Events) != 0 {
			t.Errorf("behind the last event: %+v, %v", got, err)
		}
	},

	"events that are not kept any more are removed": func(t *testing.T, s contract) {
		must(t, s.SaveStreams(t.Context(), []assistants.StoredStream{newStream(tenant, "a", 0, 3), newStream(tenant, "b", 0, 3)}))
		more := newStream(tenant, "a", 3, 4)
		more.First = 2
		must(t, s.SaveStreams(t.Context(), []assistants.StoredStream{more}))
		got, err := s.StreamSince(t.Context(), tenant, "key_a", "a", 0, birth)
		if err != nil || got.First != 2 || len(got.Events) != 2 || got.Events[0].Number != 2 {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := s.StreamSince(t.Context(), tenant, "key_a", "b", 0, birth); err != nil || len(got.Events) != 3 {
			t.Errorf("another stream: %+v, %v", got, err)
		}
	},

	"a stream is for its own key, and for its time": func(t *testing.T, s contract) {
		must(t, s.SaveStreams(t.Context(), []assistants.StoredStream{newStream(tenant, "a", 0, 1)}))
		for name, read := range map[string]func() (assistants.StoredStream, error){
			"another tenant": func() (assistants.StoredStream, error) {
				return s.StreamSince(t.Context(), other, "key_a", "a", 0, birth)
			},
			"another key": func() (assistants.StoredStream, error) {
				return s.StreamSince(t.Context(), tenant, "key_b", "a", 0, birth)
			},
			"another id": func() (assistants.StoredStream, error) {
				return s.StreamSince(t.Context(), tenant, "key_a", "A", 0, birth)
			},
			"expired": func() (assistants.StoredStream, error) {
				return s.StreamSince(t.Context(), tenant, "key_a", "a", 0, birth.Add(time.Minute))
			},
		} {
			wantKind(t, name, errorOf(read()), assistants.ErrNotFound)
		}
	},

	"expired streams go with their events": func(t *testing.T, s contract) {
		young := newStream(other, "b", 0, 2)
		young.ExpiresAt = birth.Add(time.Hour)
		must(t, s.SaveStreams(t.Context(), []assistants.StoredStream{newStream(tenant, "a", 0, 2), young}))
		must(t, s.RemoveExpiredStreams(t.Context(), birth.Add(time.Minute)))
		wantKind(t, "removed", errorOf(s.StreamSince(t.Context(), tenant, "key_a", "a", 0, birth)), assistants.ErrNotFound)
		if got, err := s.StreamSince(t.Context(), other, "key_a", "b", 0, birth); err != nil || len(got.Events) != 2 {
			t.Errorf("%+v, %v", got, err)
		}
		must(t, s.SaveStreams(t.Context(), []assistants.StoredStream{newStream(tenant, "a", 2, 2)}))
		if got, err := s.StreamSince(t.Context(), tenant, "key_a", "a", 0, birth); err != nil || len(got.Events) != 0 {
			t.Errorf("events outlive their stream: %+v, %v", got, err)
		}
	},
}
