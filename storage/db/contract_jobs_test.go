package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"footnote/assistants"
)

var jobTests = map[string]func(*testing.T, contract){
	"every job is claimed and finished by exactly one of eight workers": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		const total = 60
		for i := range total {
			addDocument(t, s, a, "d", fmt.Sprint(i))
		}
		var mu sync.Mutex
		done := map[assistants.DocumentID]int{}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					j, ok, err := s.ClaimJob(t.Context(), birth.Add(time.Second), time.Minute, assistants.JobFilter{})
					if err != nil {
						t.Error(err)
						return
					}
					if !ok {
						return
					}
					mu.Lock()
					done[j.DocumentID]++
					mu.Unlock()
					if err := s.FinishJob(t.Context(), j); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		for id, n := range done {
			if n != 1 {
				t.Errorf("%s was done %d times", id, n)
			}
		}
		if n, err := s.CountJobs(t.Context()); err != nil || n != 0 || len(done) != total {
			t.Errorf("%d done, %d left, %v", len(done), n, err)
		}
	},

	"the job that was queued first comes first, and none before its time": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		var want []assistants.DocumentID
		for minutes := range 3 {
			d := newDocument(a, "d", fmt.Sprint(minutes))
			d.CreatedAt = birth.Add(time.Duration(minutes) * time.Minute)
			_, _, err := s.CreateDocument(t.Context(), d)
			must(t, err)
			want = append(want, d.ID)
		}
		if _, ok, err := s.ClaimJob(t.Context(), birth.Add(-time.Microsecond), time.Hour, assistants.JobFilter{}); ok || err != nil {
			t.Errorf("a job before its time, %v", err)
		}
		var got []assistants.DocumentID
		for range want {
			j, ok, err := s.ClaimJob(t.Context(), birth.Add(time.Hour), time.Hour, assistants.JobFilter{})
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			got = append(got, j.DocumentID)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
	},

	"a lease that ran out lets another worker claim, and the first one lose": func(t *testing.T, s contract) {
		addDocument(t, s, addAssistant(t, s, tenant, "a"), "d", "c")
		first, ok, err := s.ClaimJob(t.Context(), birth, time.Minute, assistants.JobFilter{})
		if err != nil || !ok || first.Attempt != 1 || !first.LeaseUntil.Equal(birth.Add(time.Minute)) {
			t.Fatalf("%+v, %v, %v", first, ok, err)
		}
		if _, ok, err := s.ClaimJob(t.Context(), birth.Add(59*time.Second), time.Minute, assistants.JobFilter{}); ok || err != nil {
			t.Fatalf("claimed under a lease, %v", err)
		}
		first, err = s.RenewJob(t.Context(), first, birth.Add(2*time.Minute))
		must(t, err)
		if _, ok, err := s.ClaimJob(t.Context(), birth.Add(119*time.Second), time.Minute, assistants.JobFilter{}); ok || err != nil {
			t.Fatalf("claimed under a renewed lease, %v", err)
		}
		second, ok, err := s.ClaimJob(t.Context(), birth.Add(2*time.Minute), time.Minute, assistants.JobFilter{})
		if err != nil || !ok || second.ID != first.ID || second.Attempt != 2 {
			t.Fatalf("%+v, %v, %v", second, ok, err)
		}
		for what, err := range map[string]error{
			"renewing":  errorOf(s.RenewJob(t.Context(), first, birth.Add(time.Hour))),
			"finishing": s.FinishJob(t.Context(), first),
			"retrying":  s.RetryJob(t.Context(), first, birth),
		} {
			wantKind(t, what+" after the lease was lost", err, assistants.ErrConflict)
		}
		must(t, s.FinishJob(t.Context(), second))
		wantKind(t, "finishing twice", s.FinishJob(t.Context(), second), assistants.ErrConflict)
	},

	"of concurrent claims of an expired job one succeeds": func(t *testing.T, s contract) {
		addDocument(t, s, addAssistant(t, s, tenant, "a"), "d", "c")
		_, _, err := s.ClaimJob(t.Context(), birth, time.Second, assistants.JobFilter{})
		must(t, err)
		var mu sync.Mutex
		won := 0
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				_, ok, err := s.ClaimJob(t.Context(), birth.Add(time.Minute), time.Hour, assistants.JobFilter{})
				if err != nil {
					t.Error(err)
				}
				if ok {
					mu.Lock()
					won++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if won != 1 {
			t.Errorf("%d workers have it", won)
		}
	},

	"a job given back is claimed again at its time": func(t *testing.T, s contract) {
		addDocument(t, s, addAssistant(t, s, tenant, "a"), "d", "c")
		j, _, err := s.ClaimJob(t.Context(), birth, time.Hour, assistants.JobFilter{})
		must(t, err)
		must(t, s.RetryJob(t.Context(), j, birth.Add(time.Minute)))
		if _, ok, err := s.ClaimJob(t.Context(), birth.Add(59*time.Second), time.Hour, assistants.JobFilter{}); ok || err != nil {
			t.Errorf("claimed too early, %v", err)
		}
		again, ok, err := s.ClaimJob(t.Context(), birth.Add(time.Minute), time.Hour, assistants.JobFilter{})
		if err != nil || !ok || again.ID != j.ID || again.Attempt != 2 || !again.NotBefore.Equal(birth.Add(time.Minute)) {
			t.Errorf("%+v, %v, %v", again, ok, err)
		}
		wantKind(t, "the old claim", s.FinishJob(t.Context(), j), assistants.ErrConflict)
	},

	"jobs behind many leased ones are found": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		for i := range 40 {
			addDocument(t, s, a, "d", fmt.Sprint(i))
		}
		seen := map[assistants.JobID]bool{}
		for range 40 {
			j, ok, err := s.ClaimJob(t.Context(), birth, time.Hour, assistants.JobFilter{})
			if err != nil || !ok || seen[j.ID] {
				t.Fatal(j, ok, err)
			}
			seen[j.ID] = true
		}
		if _, ok, err := s.ClaimJob(t.Context(), birth, time.Hour, assistants.JobFilter{}); ok || err != nil {
			t.Error("a job too many", err)
		}
	},

	"collections take turns, however much one of them has queued": func(t *testing.T, s contract) {
		many, few, late := addAssistant(t, s, tenant, "many"), addAssistant(t, s, tenant, "few"), addAssistant(t, s, other, "late")
		for i := range 20 {
			addDocument(t, s, many, "d", fmt.Sprint(i))
		}
		for i := range 3 {
			addDocument(t, s, few, "d", fmt.Sprint(i))
		}
		claim := func(n int) (order string) {
			for range n {
				j, ok, err := s.ClaimJob(t.Context(), birth.Add(time.Hour), time.Hour, assistants.JobFilter{})
				if err != nil || !ok {
					t.Fatal(ok, err)
				}
				order += map[assistants.CollectionID]string{many.CollectionID: "m", few.CollectionID: "f", late.CollectionID: "l"}[j.CollectionID]
			}
			return order
		}
		if got := claim(8); got != "mfmfmfmm" {
			t.Errorf("claimed %s", got)
		}
		addDocument(t, s, late, "d", "1")
		addDocument(t, s, late, "d", "2")
		if got := claim(5); got != "mlmlm" {
			t.Errorf("claimed %s after another collection came", got)
		}
	},

	"a collection's small documents go before large ones that came a little earlier": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		add := func(a assistants.Assistant, name string, size int64, minute int) {
			d := newDocument(a, name, name)
			d.Version.Bytes, d.CreatedAt = size, birth.Add(time.Duration(minute)*time.Minute)
			_, _, err := s.CreateDocument(t.Context(), d)
			must(t, err)
		}
		add(a, "hours", 1<<40, 0)
		add(a, "10 MB", 10<<20, 0)
		add(a, "small", 100, 0)
		add(b, "other", 1<<30, 0)
		add(a, "small, a minute later", 100, 1)
		add(a, "small, an hour later", 100, 60)
		var order []string
		for range 6 {
			j, ok, err := s.ClaimJob(t.Context(), birth.Add(2*time.Hour), time.Hour, assistants.JobFilter{})
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			d, err := s.Document(t.Context(), tenant, j.DocumentID)
			must(t, err)
			order = append(order, d.Name)
		}
		if want := []string{"small", "other", "small, a minute later", "10 MB", "small, an hour later", "hours"}; !reflect.DeepEqual(order, want) {
			t.Errorf("claimed %q", order)
		}
	},

	"the shortest job of all collections can be asked for, and age counts": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		add := func(a assistants.Assistant, name string, size int64, minute int) {
			d := newDocument(a, name, name)
			d.Version.Bytes, d.CreatedAt = size, birth.Add(time.Duration(minute)*time.Minute)
			_, _, err := s.CreateDocument(t.Context(), d)
			must(t, err)
		}
		add(a, "10 MB", 10<<20, 0) // some three minutes of work
		for i := range 3 {
			add(b, fmt.Sprintf("small %d", i), int64(i), i*2)
		}
		var order []string
		for range 4 {
			j, ok, err := s.ClaimJob(t.Context(), birth.Add(2*time.Hour), time.Hour, assistants.JobFilter{Shortest: true})
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			d, err := s.Document(t.Context(), tenant, j.DocumentID)
			must(t, err)
			order = append(order, d.Name)
		}
		if want := []string{"small 0", "small 1", "10 MB", "small 2"}; !reflect.DeepEqual(order, want) {
			t.Errorf("claimed %q", order)
		}
	},

	"a job that is due at once keeps its turn": func(t *testing.T, s contract) {
		for _, name := range []string{"a", "b"} {
			a := addAssistant(t, s, tenant, name)
			for i := range 2 {
				addDocument(t, s, a, "d", fmt.Sprint(i))
			}
		}
		first, _, err := s.ClaimJob(t.Context(), birth, time.Hour, assistants.JobFilter{})
		must(t, err)
		for range 3 {
			must(t, s.RetryJob(t.Context(), first, birth))
			again, ok, err := s.ClaimJob(t.Context(), birth, time.Hour, assistants.JobFilter{})
			if err != nil || !ok || again.ID != first.ID {
				t.Fatalf("%+v, %v, %v", again, ok, err)
			}
			first = again
		}
	},

	"collections can be left out": func(t *testing.T, s contract) {
		a, b := addAssistant(t, s, tenant, "a"), addAssistant(t, s, tenant, "b")
		addDocument(t, s, a, "d", "1")
		wanted := addDocument(t, s, b, "d", "2")
		but := func(a ...assistants.CollectionID) assistants.JobFilter {
			return assistants.JobFilter{Kinds: []assistants.JobKind{assistants.JobIngest}, Except: a}
		}
		j, ok, err := s.ClaimJob(t.Context(), birth.Add(time.Hour), time.Hour, but(a.CollectionID))
		if err != nil || !ok || j.DocumentID != wanted.ID {
			t.Errorf("%+v, %v, %v", j, ok, err)
		}
		if _, ok, err := s.ClaimJob(t.Context(), birth.Add(time.Hour), time.Hour, but(a.CollectionID, b.CollectionID)); ok || err != nil {
			t.Errorf("a job of neither, %v", err)
		}
	},

	"ingestion and purges go before embedding, and kinds can be chosen": func(t *testing.T, s contract) {
		a := addAssistant(t, s, tenant, "a")
		first := addDocument(t, s, a, "d", "1")
		jobs(t, s)
		text, chunks := newText(first, 1, "text")
		ref := assistants.VersionRef{Tenant: tenant, Document: first.ID, Number: 1}
		must(t, s.SaveVersion(t.Context(), ref, "text/plain", text, chunks))
		must(t, s.Publish(t.Context(), ref, birth, assistants.StatusEmbedding))
		addDocument(t, s, a, "d", "2")
		gone := addDocument(t, s, a, "d", "3")
		must(t, s.DeleteDocument(t.Context(), tenant, gone.ID))
		if n, err := s.CountJobs(t.Context(), assistants.JobIngest, assistants.JobEmbed); err != nil || n != 3 { // that of the first is leased
			t.Errorf("%d jobs of two kinds, %v", n, err)
		}
		far := time.Now().Add(time.Minute)
		j, ok, err := s.ClaimJob(t.Context(), far, time.Hour, assistants.JobFilter{Kinds: []assistants.JobKind{assistants.JobEmbed}})
		if err != nil || !ok || j.Kind != assistants.JobEmbed || j.DocumentID != first.ID || j.Version != 1 || j.CollectionID != a.CollectionID {
			t.Errorf("%+v, %v, %v", j, ok, err)
		}
		must(t, s.RetryJob(t.Context(), j, far))
		var kinds []assistants.JobKind
		for range 3 {
			j, ok, err := s.ClaimJob(t.Context(), far.Add(time.Second), time.Hour, assistants.JobFilter{})
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			kinds = append(kinds, j.Kind)
		}
		if kinds[2] != assistants.JobEmbed {
			t.Errorf("claimed %v", kinds)
		}
		if _, ok, err := s.ClaimJob(t.Context(), far.Add(time.Second), time.Hour, assistants.JobFilter{Kinds: []assistants.JobKind{assistants.JobIngest, assistants.JobPurge}}); ok || err != nil {
			t.Errorf("a job too many, %v", err)
		}
	},

	"deleting a document ends its ingestion": func(t *testing.T, s contract) {
		d := addDocument(t, s, addAssistant(t, s, tenant, "a"), "d", "c")
		j, _, err := s.ClaimJob(t.Context(), birth, time.Hour, assistants.JobFilter{})
		must(t, err)
		must(t, s.DeleteDocument(t.Context(), tenant, d.ID))
		wantKind(t, "renewing", errorOf(s.RenewJob(t.Context(), j, birth.Add(time.Hour))), assistants.ErrConflict)
		err = s.SetStatus(t.Context(), assistants.VersionRef{Tenant: tenant, Document: d.ID, Number: 1}, assistants.StatusChunking, assistants.Progress{}, nil)
		if !errors.Is(err, assistants.ErrNotFound) {
			t.Errorf("working on: %v", err)
		}
	},
}
