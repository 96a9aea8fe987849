package db_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/evaluation/runs"
)

// methodTests run on every method of the contract. Reflection makes sure that no
// method is forgotten.
var methodTests = map[string]func(*testing.T, contract){
	"no method shows or changes what belongs to another tenant": isolationTest,
	"every method ends with its context":                        func(t *testing.T, s contract) { everyMethod(cancelled(t), t, s, context.Canceled) },
	"every method of a closed store says that it is unavailable": func(t *testing.T, s contract) {
		c, ok := s.(io.Closer)
		if !ok {
			t.Skip("this store cannot be closed")
		}
		must(t, c.Close())
		everyMethod(t.Context(), t, s, assistants.ErrUnavailable)
	},
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// everyMethod calls each method with plausible arguments and wants an error of one kind.
func everyMethod(ctx context.Context, t *testing.T, s contract, kind error) {
	a := newAssistant(tenant, "a")
	d := newDocument(a, "n", "c")
	d.Supersedes = "doc_old"
	arguments := map[reflect.Type]any{
		reflect.TypeFor[context.Context]():                   ctx,
		reflect.TypeFor[assistants.Assistant]():              a,
		reflect.TypeFor[assistants.Document]():               d,
		reflect.TypeFor[assistants.Version]():                d.Version,
		reflect.TypeFor[assistants.Key]():                    newKey(tenant, "fn-a"),
		reflect.TypeFor[assistants.IdempotentRequest]():      newRequest(tenant, "k"),
		reflect.TypeFor[assistants.Status]():                 assistants.StatusReady,
		reflect.TypeFor[time.Time]():                         birth,
		reflect.TypeFor[string]():                            "text",
		reflect.TypeFor[int]():                               1,
		reflect.TypeFor[[]assistants.Match]():                []assistants.Match{{ChunkID: "chunk_a"}},
		reflect.TypeFor[[]assistants.DocumentID]():           []assistants.DocumentID{d.ID},
		reflect.TypeFor[[]assistants.PassageRange]():         []assistants.PassageRange{{Document: d.ID, Version: 1, Last: 1}},
		reflect.TypeFor[[]assistants.CollectionID]():         []assistants.CollectionID{d.CollectionID},
		reflect.TypeFor[func(*assistants.Assistant) error](): func(*assistants.Assistant) error { return nil },
		reflect.TypeFor[func(*assistants.Document) error]():  func(*assistants.Document) error { return nil },
		reflect.TypeFor[assistants.Upstream]():               newUpstream(tenant, "far"),
		reflect.TypeFor[func(*assistants.Upstream) error]():  func(*assistants.Upstream) error { return nil },
		reflect.TypeFor[func(assistants.Assistant) error]():  func(assistants.Assistant) error { return nil },
		reflect.TypeFor[func(assistants.Upstream) error]():   func(assistants.Upstream) error { return nil },
		reflect.TypeFor[assistants.Collection]():             newShared(tenant, "c"),
		reflect.TypeFor[func(assistants.Key) error]():        func(assistants.Key) error { return nil },
		reflect.TypeFor[func(assistants.Document) error]():   func(assistants.Document) error { return nil },
		reflect.TypeFor[[]assistants.CollectionID]():         []assistants.CollectionID{a.CollectionID},
		reflect.TypeFor[assistants.Space]():                  space,
		reflect.TypeFor[[]assistants.AuditEvent]():           []assistants.AuditEvent{newEvent(0)},
		reflect.TypeFor[[]assistants.Answer]():               []assistants.Answer{newAnswer(a, 0)},
	}
	contract := reflect.TypeFor[contract]()
	for i := range contract.NumMethod() {
		m := contract.Method(i)
		var in []reflect.Value
		for n := range m.Type.NumIn() {
			if v, ok := arguments[m.Type.In(n)]; ok {
				in = append(in, reflect.ValueOf(v))
			} else {
				in = append(in, reflect.Zero(m.Type.In(n)))
			}
		}
		call := reflect.ValueOf(s).MethodByName(m.Name).Call
		if m.Type.IsVariadic() {
			call = reflect.ValueOf(s).MethodByName(m.Name).CallSlice
		}
		out := call(in)
		err, _ := out[len(out)-1].Interface().(error)
		if !errors.Is(err, kind) {
			t.Errorf("%s: %v, want %v", m.Name, err, kind)
		}
	}
}

func isolationTest(t *testing.T, s contract) {
	ctx := t.Context()
	a := addAssistant(t, s, tenant, "a")
	d := newDocument(a, "d", "c")
	d.SourcePath, d.Labels, d.Tags = "/d", []string{"theirs"}, map[string]string{"whose": "theirs"}
	d, _, err := s.CreateDocument(ctx, d)
	must(t, err)
	chunks := publish(t, s, d, 1, "hello world")
	k := newKey(tenant, "fn-a")
	must(t, s.CreateKey(ctx, k))
	u := addUpstream(t, s, tenant, "far")
	text, saved := newText(d, 1, "theirs")
	gold, run := newGold(a, "q"), addRun(t, s, a, 1)
	must(t, errorOf(s.AddQuestions(ctx, tenant, a.ID, []runs.Gold{gold}, false)))
	must(t, s.AddOutcome(ctx, run, 0, ranked("q", 1)))
	answer := addAnswers(t, s, a, 1, nil)[0]

	answered := reserve(t, s, newRequest(tenant, "k"), birth, true)
	answered.Status = 200
	must(t, s.AnswerRequest(ctx, answered))

	missing := map[string]func() error{
		"Assistant":           func() error { return errorOf(s.Assistant(ctx, other, "a")) },
		"AssistantInSight":    func() error { return errorOf(s.AssistantInSight(ctx, other, "a", assistants.Sight{All: true})) },
		"AssistantOfDocument": func() error { return errorOf(s.AssistantOfDocument(ctx, other, d.ID, assistants.Sight{All: true})) },
		"UpdateAssistant": func() error {
			return errorOf(s.UpdateAssistant(ctx, other, string(a.ID), func(*assistants.Assistant) error { t.Error("shown"); return nil }))
		},
		"DeleteAssistant":      func() error { return s.DeleteAssistant(ctx, other, string(a.ID)) },
		"ReplaceFile":          func() error { _, _, err := s.ReplaceFile(ctx, other, d.ID, newVersion(other, "x")); return err },
		"Reprocess":            func() error { return errorOf(s.Reprocess(ctx, other, d.ID)) },
		"Document":             func() error { return errorOf(s.Document(ctx, other, d.ID)) },
		"AnsweredRequest":      func() error { return errorOf(s.AnsweredRequest(ctx, other, answered.Key, birth)) },
		"DocumentBySourcePath": func() error { return errorOf(s.DocumentBySourcePath(ctx, other, a.CollectionID, "/d")) },
		"FindDocuments": func() error {
			return errorOf(s.FindDocuments(ctx, other, a.CollectionID, assistants.DocumentQuery{}, assistants.List{}))
		},
		"Documents": func() error { _, _, err := s.Documents(ctx, other, a.CollectionID, assistants.List{}); return err },
		"UpdateDocument": func() error {
			return errorOf(s.UpdateDocument(ctx, other, d.ID, func(*assistants.Document) error { t.Error("shown"); return nil }))
		},
		"DeleteDocument": func() error { return s.DeleteDocument(ctx, other, d.ID) },
		"DocumentLog":    func() error { return errorOf(s.DocumentLog(ctx, other, d.ID)) },
		"Version":        func() error { return errorOf(s.Version(ctx, other, d.ID, 1)) },
		"SetStatus": func() error {
			return s.SetStatus(ctx, assistants.VersionRef{Tenant: other, Document: d.ID, Number: 1}, assistants.StatusFailed, assistants.Progress{}, nil)
		},
		"SaveVersion": func() error {
			return s.SaveVersion(ctx, assistants.VersionRef{Tenant: other, Document: d.ID, Number: 1}, "text/plain", text, saved)
		},
		"Publish": func() error {
			return s.Publish(ctx, assistants.VersionRef{Tenant: other, Document: d.ID, Number: 1}, birth, assistants.StatusReady)
		},
		"QueueEmbedding": func() error {
			return s.QueueEmbedding(ctx, assistants.VersionRef{Tenant: other, Document: d.ID, Number: 1}, true)
		},
		"Embedded": func() error {
			return s.Embedded(ctx, assistants.VersionRef{Tenant: other, Document: d.ID, Number: 1}, space, birth)
		},
		"ClaimSpace": func() error { return errorOf(s.ClaimSpace(ctx, other, a.CollectionID, space)) },
		"Reembed":    func() error { return errorOf(s.Reembed(ctx, other, a.CollectionID, space)) },
		"SwapSpace": func() error {
			_, _, err := s.SwapSpace(ctx, other, a.CollectionID, space, assistants.Calibration{}, 1)
			return err
		},
		"Calibrate":         func() error { return s.Calibrate(ctx, other, a.CollectionID, space, assistants.Calibration{}, 1) },
		"LiveText":          func() error { return errorOf(s.LiveText(ctx, other, d.ID)) },
		"LiveChunks":        func() error { _, _, err := s.LiveChunks(ctx, other, d.ID, assistants.List{}); return err },
		"DeleteAssistantIf": func() error { return s.DeleteAssistantIf(ctx, other, string(a.ID), nil) },
		"MoveDocument":      func() error { return errorOf(s.MoveDocument(ctx, other, d.ID, a.CollectionID, nil)) },
		"DeleteDocumentIf":  func() error { return s.DeleteDocumentIf(ctx, other, d.ID, nil) },
		"ReplaceFileIf": func() error {
			_, _, err := s.ReplaceFileIf(ctx, other, d.ID, newVersion(other, "x"), nil)
			return err
		},
		"SetMetadata": func() error { return errorOf(s.SetMetadata(ctx, other, a.CollectionID, map[string]string{"a": "b"})) },
		"UpdateCollectionIf": func() error {
			return errorOf(s.UpdateCollectionIf(ctx, other, a.CollectionID, assistants.CollectionChange{Name: "theirs"}, func(assistants.CollectionState) error { t.Error("shown"); return nil }))
		},
		"DeleteCollectionIf": func() error { return s.DeleteCollectionIf(ctx, other, a.CollectionID, nil) },
		"UpdateKey": func() error {
			return errorOf(s.UpdateKey(ctx, other, k.ID, func(*assistants.Key) error { t.Error("shown"); return nil }))
		},
		"RevokeKeyIf":      func() error { return s.RevokeKeyIf(ctx, other, k.ID, birth, nil) },
		"DeleteUpstreamIf": func() error { return s.DeleteUpstreamIf(ctx, other, u.ID, nil) },
		"Key":              func() error { return errorOf(s.Key(ctx, other, k.ID)) },
		"RevokeKey":        func() error { return s.RevokeKey(ctx, other, k.ID, birth) },
		"AddQuestions": func() error {
			g := newGold(a, "new")
			g.Tenant = other
			return errorOf(s.AddQuestions(ctx, other, a.ID, []runs.Gold{g}, true))
		},
		"GoldQuestion": func() error { return errorOf(s.GoldQuestion(ctx, other, gold.ID)) },
		"ReplaceQuestionIf": func() error {
			return errorOf(s.ReplaceQuestionIf(ctx, other, gold.ID, gold.Question, birth, func(runs.Gold) error { t.Error("shown"); return nil }))
		},
		"DeleteQuestionIf":    func() error { return s.DeleteQuestionIf(ctx, other, gold.ID, nil) },
		"AssistantOfQuestion": func() error { return errorOf(s.AssistantOfQuestion(ctx, other, gold.ID, assistants.Sight{All: true})) },
		"Run":                 func() error { return errorOf(s.Run(ctx, other, run.ID)) },
		"AssistantOfRun":      func() error { return errorOf(s.AssistantOfRun(ctx, other, run.ID, assistants.Sight{All: true})) },
		"EndRun":              func() error { return errorOf(s.EndRun(ctx, other, run.ID, runs.Completed, birth)) },
		"DeleteRunIf":         func() error { return errorOf(s.DeleteRunIf(ctx, other, run.ID, birth, nil)) },
		"Upstream":            func() error { return errorOf(s.Upstream(ctx, other, u.Name)) },
		"UpdateUpstream": func() error {
			return errorOf(s.UpdateUpstream(ctx, other, u.ID, func(*assistants.Upstream) error { t.Error("shown"); return nil }))
		},
		"DeleteUpstream": func() error { return s.DeleteUpstream(ctx, other, u.ID) },
		"StreamSince": func() error {
			must(t, s.SaveStreams(ctx, []assistants.StoredStream{newStream(tenant, "stream", 0, 1)}))
			return errorOf(s.StreamSince(ctx, other, "key_a", "stream", 0, birth))
		},
		"Answer": func() error { return errorOf(s.Answer(ctx, other, answer.ID)) },
		"AssistantOfAnswer": func() error {
			return errorOf(s.AssistantOfAnswer(ctx, other, answer.ID, assistants.Sight{All: true}, ""))
		},
		"Thread":        func() error { return errorOf(s.Thread(ctx, other, a.ID, answer.Thread)) },
		"RemoveAnswer":  func() error { return s.RemoveAnswer(ctx, other, answer.ID) },
		"RemoveAnswers": func() error { return errorOf(s.RemoveAnswers(ctx, other, a.ID, assistants.AnswerQuery{})) },
		"UpdateAnswer": func() error {
			return errorOf(s.UpdateAnswer(ctx, other, answer.ID, func(*assistants.Answer) error { t.Error("shown"); return nil }))
		},
	}
	everyTenantMethod(t, missing, listsOfOthers(t, s, a, d, chunks, run.ID))

	foreign := newDocument(a, "x", "x")
	foreign.TenantID = other
	_, _, err = s.CreateDocument(ctx, foreign)
	wantKind(t, "a document in the collection of another tenant", err, assistants.ErrNotFound)
	unharmed(t, s, a, d, u, chunks)
}

// listsOfOthers are calls that return nothing for another tenant.
func listsOfOthers(t *testing.T, s contract, a assistants.Assistant, d assistants.Document, chunks []assistants.Chunk, run assistants.RunID) map[string]func() (int, error) {
	ctx := t.Context()
	return map[string]func() (int, error){
		"Assistants": func() (int, error) { l, _, err := s.Assistants(ctx, other, assistants.List{}); return len(l), err },
		"FindAssistants": func() (int, error) {
			l, err := s.FindAssistants(ctx, other, assistants.AssistantQuery{}, assistants.List{Count: true})
			return len(l.Items) + l.Total, err
		},
		"FindKeys": func() (int, error) {
			l, err := s.FindKeys(ctx, other, assistants.KeyQuery{}, assistants.List{Count: true})
			return len(l.Items) + l.Total, err
		},
		"FindAudit": func() (int, error) {
			must(t, s.SaveAudit(ctx, []assistants.AuditEvent{newEvent(0)}))
			l, err := s.FindAudit(ctx, other, assistants.AuditQuery{}, assistants.List{})
			return len(l.Items), err
		},
		"Usage": func() (int, error) {
			e := newEvent(0)
			e.Chat = &assistants.ChatOutcome{}
			must(t, s.SaveAudit(ctx, []assistants.AuditEvent{e}))
			l, err := s.Usage(ctx, other, assistants.UsageQuery{})
			return len(l), err
		},
		"MonthCount": func() (int, error) {
			must(t, s.AddMonthCounts(ctx, []assistants.MonthCount{{TenantID: tenant, Subject: "key_a", Month: birth, Requests: 3}}))
			c, err := s.MonthCount(ctx, other, "key_a", birth)
			return int(c.Requests), err
		},
		"FindQuestions": func() (int, error) {
			l, err := s.FindQuestions(ctx, other, a.ID, assistants.List{Count: true})
			return len(l.Items) + l.Total, err
		},
		"FindRuns": func() (int, error) {
			l, err := s.FindRuns(ctx, other, a.ID, assistants.List{Count: true})
			return len(l.Items) + l.Total, err
		},
		"FindAnswers": func() (int, error) {
			l, err := s.FindAnswers(ctx, other, a.ID, assistants.AnswerQuery{}, assistants.List{Count: true})
			return len(l.Items) + l.Total, err
		},
		"FindThreads": func() (int, error) {
			l, err := s.FindThreads(ctx, other, a.ID, "", assistants.List{Count: true})
			return len(l.Items) + l.Total, err
		},
		"Outcomes": func() (int, error) { l, err := s.Outcomes(ctx, other, run); return len(l), err },
		"ListOutcomes": func() (int, error) {
			l, _, err := s.ListOutcomes(ctx, other, run, assistants.List{})
			return len(l), err
		},
		"Keys":      func() (int, error) { l, _, err := s.Keys(ctx, other, assistants.List{}); return len(l), err },
		"Upstreams": func() (int, error) { l, _, err := s.Upstreams(ctx, other, assistants.List{}); return len(l), err },
		"Collections": func() (int, error) {
			l, err := s.Collections(ctx, other, []assistants.CollectionID{a.CollectionID})
			return len(l), err
		},
		"CollectionUses": func() (int, error) {
			l, err := s.CollectionUses(ctx, other, []assistants.CollectionID{a.CollectionID})
			return len(l), err
		},
		"FindCollections": func() (int, error) {
			l, err := s.FindCollections(ctx, other, assistants.List{})
			return len(l.Items), err
		},
		"CollectionFiles": func() (int, error) {
			l, err := s.CollectionFiles(ctx, other, []assistants.CollectionID{a.CollectionID})
			return len(l), err
		},
		"ListCollections": func() (int, error) { l, _, err := s.ListCollections(ctx, other, assistants.List{}); return len(l), err },
		"Holdings": func() (n int, err error) {
			documents, searchable, err := s.Holdings(ctx, other, []assistants.CollectionID{a.CollectionID})
			if documents || searchable {
				n = 1
			}
			return n, err
		},
		"CountDocuments": func() (int, error) {
			l, err := s.CountDocuments(ctx, other)
			return len(l), err
		},
		"ReadersOfDocument": func() (int, error) {
			l, err := s.ReadersOfDocument(ctx, other, d.ID, assistants.Sight{All: true})
			return len(l), err
		},
		"ExistingDocuments": func() (int, error) {
			l, err := s.ExistingDocuments(ctx, other, []assistants.DocumentID{d.ID})
			return len(l), err
		},
		"DocumentsByID": func() (int, error) {
			l, err := s.DocumentsByID(ctx, other, []assistants.DocumentID{d.ID})
			return len(l), err
		},
		"DocumentNames": func() (int, error) {
			l, err := s.DocumentNames(ctx, other, []assistants.CollectionID{a.CollectionID}, nil)
			return len(l), err
		},
		"FilterDocuments": func() (int, error) {
			l, err := s.FilterDocuments(ctx, other, []assistants.CollectionID{a.CollectionID}, assistants.Filter{})
			return len(l), err
		},
		"Passages": func() (int, error) {
			l, err := s.Passages(ctx, other, []assistants.PassageRange{{Document: d.ID, Version: 1, Last: 9}})
			return len(l), err
		},
		"ForeignDocuments": func() (int, error) {
			l, err := s.ForeignDocuments(ctx, other, nil, []assistants.DocumentID{"doc_none"}) // it returns only ids that were passed in
			return len(l), err
		},
		"Labels":   func() (int, error) { l, err := s.Labels(ctx, other, nil); return len(l), err },
		"Tags":     func() (int, error) { l, err := s.Tags(ctx, other, nil); return len(l), err },
		"Hits":     func() (int, error) { return len(find(t, s, other, a.CollectionID, chunks...)), nil },
		"Attached": func() (int, error) { l, err := s.Attached(ctx, other, d.ID); return len(l), err },
	}
}

// unharmed checks that a tenant's data did not change.
func unharmed(t *testing.T, s contract, a assistants.Assistant, d assistants.Document, u assistants.Upstream, chunks []assistants.Chunk) {
	t.Helper()
	ctx := t.Context()
	if got, err := s.Assistant(ctx, tenant, "a"); err != nil || !reflect.DeepEqual(got, a) {
		t.Errorf("the assistant is now %+v, %v", got, err)
	}
	if got, err := s.Upstream(ctx, tenant, string(u.ID)); err != nil || !reflect.DeepEqual(got, u) {
		t.Errorf("the upstream is now %+v, %v", got, err)
	}
	now, err := s.Document(ctx, tenant, d.ID)
	if err != nil || now.Status != assistants.StatusReady || now.Latest != 1 || now.Name != "d" || len(find(t, s, tenant, a.CollectionID, chunks...)) != len(chunks) {
		t.Errorf("the document is now %+v, %v", now, err)
	}
}

// everyTenantMethod calls every method that takes a tenant with another tenant's
// ids. Each returns not found or nothing. A method that is in neither table
// fails the test.
func everyTenantMethod(t *testing.T, missing map[string]func() error, empty map[string]func() (int, error)) {
	t.Helper()
	contract := reflect.TypeFor[contract]()
	for i := range contract.NumMethod() {
		m := contract.Method(i)
		if m.Type.NumIn() < 2 || m.Type.In(1) != reflect.TypeFor[assistants.TenantID]() {
			continue
		}
		if call, ok := missing[m.Name]; ok {
			wantKind(t, m.Name, call(), assistants.ErrNotFound)
		} else if call, ok := empty[m.Name]; ok {
			if n, err := call(); n != 0 || err != nil {
				t.Errorf("%s shows %d, %v", m.Name, n, err)
			}
		} else {
			t.Errorf("%s takes a tenant and is not tested", m.Name)
		}
	}
}
