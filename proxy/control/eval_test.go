package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
	"footnote/assistants/evaluation"
	"footnote/assistants/evaluation/runs"
	"footnote/assistants/retrieval"
	"footnote/proxy/access"
	"footnote/proxy/control"
	"footnote/storage/db/postgrestest"
)

// question adds a gold question and returns its id.
func (w *world) question(assistant, body string) string {
	w.t.Helper()
	return w.call("POST", "/assistants/"+assistant+"/eval/questions", body).object(201)["id"].(string)
}

// run starts a run, waits until it has ended, and returns its id.
func (w *world) run(assistant, body string) string {
	w.t.Helper()
	id := w.call("POST", "/assistants/"+assistant+"/eval/runs", body).object(202)["id"].(string)
	w.ended(id)
	return id
}

// ended waits until a run has ended.
func (w *world) ended(id string) {
	w.t.Helper()
	w.worked.Lock()
	defer w.worked.Unlock()
	for !w.ends[id] {
		w.ending.Wait()
	}
}

// endNotes is the store of a runner, which tells the test of each run that it has
// tried to end: the last thing that the runner does with a run.
type endNotes struct {
	runs.Store
	w *world
}

// EndRun implements runs.Store.
func (s endNotes) EndRun(ctx context.Context, tenant assistants.TenantID, id assistants.RunID, status runs.Status, at time.Time) (runs.Run, error) {
	defer func() {
		s.w.worked.Lock()
		s.w.ends[string(id)] = true
		s.w.worked.Unlock()
		s.w.ending.Broadcast()
	}()
	return s.Store.EndRun(ctx, tenant, id, status, at)
}

func hitOn(document string, page int) assistants.Hit {
	return assistants.Hit{
		Chunk: assistants.Chunk{ID: "chunk_a", DocumentID: "doc_a", Text: "four weeks", Page: page, PageEnd: page}, Score: 0.9,
		Document: assistants.Document{ID: "doc_a", Name: document},
	}
}

func (w *world) nowFinds(hits ...assistants.Hit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found = retrieval.Result{Hits: hits, Trace: retrieval.Trace{Mode: assistants.SearchHybrid}}
}

func onBoth(t *testing.T, test func(t *testing.T, w *world)) {
	for name, database := range map[string]string{"sqlite": "sqlite::memory:", "postgres": postgrestest.URL(t)} {
		t.Run(name, func(t *testing.T) { test(t, newWorldOn(t, database)) })
	}
}

func TestGoldQuestionsAreKept(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		mine := w.assistant("mine", "")
		const body = `{"gold_id":"notice","document":"handbook.pdf","pages":[12],"also":[{"document":"law.pdf","pages":[3]}],"question":"How long?","answer":"Four weeks."}`
		made := w.call("POST", "/assistants/mine/eval/questions", body)
		id := made.object(201)["id"].(string)
		got := w.call("GET", "/eval/questions/"+id, "")
		if string(got.want(200).raw) != string(made.raw) || got.header.Get("ETag") != made.header.Get("ETag") || got.object(200)["assistant_id"] != mine {
			t.Errorf("made %s\nread %s", made.raw, got.raw)
		}
		w.noted("eval_question.create", map[string]string{"target_id": id, "assistant_id": mine, "fields": "[also answer document gold_id pages question]"})
		w.call("POST", "/assistants/mine/eval/questions", body).fails(409, "conflict", "gold_id")
		stale := w.send("PUT", "/eval/questions/"+id, adminKey, strings.NewReader(`{"document":"x","question":"?"}`), "Content-Type", "application/json", "If-Match", `"old"`)
		stale.fails(412, "precondition_failed", "")
		saved := w.call("PUT", "/eval/questions/"+id, `{"document":"x","question":"Why?"}`).object(200)
		if saved["gold_id"] != "notice" || saved["question"] != "Why?" || saved["answer"] != nil || len(saved["pages"].([]any)) != 0 {
			t.Errorf("%v", saved)
		}
		if list := w.call("GET", "/assistants/mine/eval/questions?count=true", "").object(200); list["total"] != 1.0 {
			t.Errorf("%v", list)
		}
		w.call("DELETE", "/eval/questions/"+id, "").want(204)
		w.call("GET", "/eval/questions/"+id, "").fails(404, "not_found", "")
	})
}

func TestWrongGoldQuestionsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	for body, want := range map[string][2]string{
		`{"question":"?"}`: {"missing_required_parameter", "document"},
		`{"document":"x"}`: {"invalid_value", "question"},
		`{"document":"x","question":"?","pages":[0]}`:                                 {"invalid_value", "question"},
		`{"document":"x","question":"?","pages":"1"}`:                                 {"invalid_type", "pages"},
		`{"document":"x","question":"?","id":"q"}`:                                    {"unsupported_parameter", "id"},
		`{"document":"x","question":"?","gold_id":1}`:                                 {"invalid_type", "gold_id"},
		`{"document":"x","question":"?","also":[{}]}`:                                 {"invalid_value", "question"},
		`{"document":"x","question":"?","turns":[{}]}`:                                {"invalid_value", "question"},
		`{"document":"x","question":"` + strings.Repeat("a", runs.MaxQuestion) + `"}`: {"invalid_value", "question"},
	} {
		w.call("POST", "/assistants/mine/eval/questions", body).fails(400, want[0], want[1])
		at := "questions[1]." + want[1]
		if want[1] == "id" {
			continue // which an import calls it
		}
		w.call("POST", "/assistants/mine/eval/questions/import", `{"questions":[{"document":"a","question":"?"},`+body+`]}`).fails(400, want[0], at)
	}
	for body, param := range map[string]string{
		`{"questions":[]}`: "questions",
		`{"questions":[{"id":"a","document":"x","question":"?"},{"id":"a","document":"x","question":"?"}]}`: "questions[1].id",
		`{"questions":[7]}`: "questions[0]",
	} {
		if got := w.call("POST", "/assistants/mine/eval/questions/import", body); got.status != 400 || !strings.Contains(string(got.raw), `"param":"`+param+`"`) {
			t.Errorf("%s: %d %s", body, got.status, got.raw)
		}
	}
	if list := w.call("GET", "/assistants/mine/eval/questions", "").object(200); len(list["data"].([]any)) > 0 {
		t.Errorf("a refused import stored %v", list)
	}
	w.send("POST", "/assistants/mine/eval/questions/import", adminKey, strings.NewReader("x"), "Content-Type", "text/plain").fails(415, "unsupported_media_type", "")
}

func TestAGoldSetIsImportedAndImportedAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		w.assistant("mine", "")
		lines := "\xef\xbb\xbf" + `{"id":"a","document":"x.pdf","question":"How?","pages":[3,4]}` + "\n\n" + `{"document":"y","turns":[{"role":"user","content":"How?"}]}` + "\n"
		first := w.send("POST", "/assistants/mine/eval/questions/import", adminKey, strings.NewReader(lines), "Content-Type", "application/jsonl").object(200)["data"].([]any)
		if len(first) != 2 || first[0].(map[string]any)["gold_id"] != "a" || first[1].(map[string]any)["gold_id"] != first[1].(map[string]any)["id"] {
			t.Fatalf("%v", first)
		}
		again := w.call("POST", "/assistants/mine/eval/questions/import", `{"questions":[{"id":"a","document":"z","question":"How?"}]}`).object(200)["data"].([]any)
		if again[0].(map[string]any)["id"] != first[0].(map[string]any)["id"] || again[0].(map[string]any)["document"] != "z" {
			t.Errorf("%v", again)
		}
		if list := w.call("GET", "/assistants/mine/eval/questions?count=true", "").object(200); list["total"] != 2.0 {
			t.Errorf("%v", list)
		}
		w.noted("eval_questions.import", map[string]string{"result_count": "1", "status": "200"})
	})
}

func TestRunsMeasureAndAreCompared(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		mine := w.assistant("mine", `{"retrieval_top_k":3}`)
		w.call("POST", "/assistants/mine/eval/runs", `{}`).fails(400, "invalid_value", "")
		w.question("mine", `{"gold_id":"p2","document":"a.pdf","pages":[2],"question":"?"}`)
		w.question("mine", `{"gold_id":"p9","document":"a.pdf","pages":[9],"question":"?"}`)
		w.question("mine", `{"gold_id":"law","document":"b","also":[{"document":"a"}],"question":"?"}`)
		w.nowFinds(hitOn("a.pdf", 1), hitOn("a.pdf", 2))
		first := w.run("mine", `{"name":"before"}`)
		w.nowFinds(hitOn("a.pdf", 9), hitOn("a.pdf", 1))
		second := w.run("mine", `{"settings":{"search_mode":"FullText"},"top_k":7}`)
		if w.asked.TopK != 7 || w.asked.Mode != assistants.SearchFullText {
			t.Errorf("asked %+v", w.asked)
		}
		var run struct {
			Name, Status string
			AssistantID  string `json:"assistant_id"`
			Progress     struct{ Done, Total int }
			Summary      evaluation.Summary
			Settings     map[string]any
		}
		w.call("GET", "/eval/runs/"+first, "").into(200, &run)
		if run.Status != "completed" || run.Name != "before" || run.AssistantID != mine || run.Progress.Done != 3 || run.Progress.Total != 3 ||
			run.Summary.Page.Hit1 != 0 || run.Summary.Page.Hit5 != 0.5 || run.Summary.Document.Hit1 != 1 || run.Settings != nil {
			t.Errorf("%+v", run)
		}
		var results struct{ Data []evaluation.Outcome }
		w.call("GET", "/eval/runs/"+first+"/results", "").into(200, &results)
		if len(results.Data) != 3 || results.Data[0].ID != "p2" || *results.Data[0].PageRank != 2 || results.Data[2].PageRank != nil || results.Data[0].Found[1] != "a.pdf, page 2" {
			t.Errorf("%+v", results)
		}
		var compared struct {
			Questions, Better, Worse, Same int
			Figures                        map[string]evaluation.Figure
			Changes                        []evaluation.Change
			First, Second                  struct{ ID string }
		}
		w.call("GET", "/eval/runs/"+second+"/compare?with="+first, "").into(200, &compared)
		if compared.First.ID != first || compared.Second.ID != second || compared.Questions != 3 || compared.Better != 1 || compared.Worse != 1 || compared.Same != 1 ||
			compared.Changes[0].Verdict != evaluation.Worse || compared.Changes[1].Verdict != evaluation.Better || compared.Figures["page hit@1"].Change != 0.5 {
			t.Errorf("%+v", compared)
		}
		w.call("GET", "/eval/runs/"+second+"/compare", "").fails(400, "missing_required_parameter", "with")
		w.call("GET", "/eval/runs/"+second+"/compare?with=x", "").fails(400, "invalid_value", "with")
		w.call("GET", "/eval/runs/"+second+"/compare?with=run_x", "").fails(404, "not_found", "")
		list := w.call("GET", "/assistants/mine/eval/runs?count=true", "").object(200)
		if list["total"] != 2.0 || len(list["data"].([]any)) != 2 {
			t.Errorf("%v", list)
		}
		w.call("DELETE", "/eval/runs/"+first, "").want(204)
		w.call("GET", "/eval/runs/"+first, "").fails(404, "not_found", "")
		w.call("DELETE", "/assistants/mine", "").want(204)
		w.call("GET", "/eval/runs/"+second, "").fails(404, "not_found", "")
	})
}

func TestRunsThatCannotBeginAreRefused(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	w.question("mine", `{"document":"a","question":"?"}`)
	for body, param := range map[string]string{
		`{"top_k":0}`: "top_k", `{"top_k":51}`: "top_k", `{"name":" "}`: "name", `{"settings":{"search_mode":"x"}}`: "settings.search_mode",
		`{"settings":{"search_mode":"Vector"},"answers":true}`: "settings",
	} {
		w.call("POST", "/assistants/mine/eval/runs", body).fails(400, "invalid_value", param)
	}
	w.call("POST", "/assistants/mine/eval/runs", `{"status":"completed"}`).fails(400, "unsupported_parameter", "status")
	if list := w.call("GET", "/assistants/mine/eval/runs?count=true", "").object(200); list["total"] != 0.0 {
		t.Errorf("%v", list)
	}
}

// held is a retriever that waits until it is let go, or its request ends.
type held struct{ begun, free chan struct{} }

func (h held) Retrieve(ctx context.Context, _ retrieval.Query) (retrieval.Result, error) {
	select {
	case h.begun <- struct{}{}:
	case <-ctx.Done():
		return retrieval.Result{}, ctx.Err()
	}
	select {
	case <-h.free:
		return retrieval.Result{}, nil
	case <-ctx.Done():
		return retrieval.Result{}, ctx.Err()
	}
}

func TestARunIsAloneUntilItIsCancelled(t *testing.T) {
	h := held{begun: make(chan struct{}), free: make(chan struct{})}
	w := newWorld(t, func(d *control.Deps) { d.Retriever = h })
	w.assistant("mine", "")
	for i := range 3 {
		w.question("mine", fmt.Sprintf(`{"gold_id":"q%d","document":"a","question":"?"}`, i))
	}
	run := w.call("POST", "/assistants/mine/eval/runs", `{}`)
	id := run.object(202)["id"].(string)
	<-h.begun
	w.call("POST", "/assistants/mine/eval/runs", `{}`).fails(409, "conflict", "")
	got := w.call("GET", "/eval/runs/"+id, "")
	if v := got.object(200); v["status"] != "running" || v["summary"] != nil || v["ended_at"] != nil {
		t.Errorf("%v", v)
	}
	w.call("DELETE", "/eval/runs/"+id, "").want(204)
	if v := w.call("GET", "/eval/runs/"+id, "").object(200); v["status"] != "cancelled" || v["summary"] == nil {
		t.Errorf("%v", v)
	}
	again := w.send("DELETE", "/eval/runs/"+id, adminKey, nil, "If-Match", got.header.Get("ETag"))
	again.fails(412, "precondition_failed", "")
	w.ended(id)
	next := w.call("POST", "/assistants/mine/eval/runs", `{}`).object(202)["id"].(string)
	<-h.begun
	w.call("DELETE", "/assistants/mine", "").want(204)
	close(h.free)
	w.ended(next)
}

func TestAnswersAreJudgedAndTheirErrorsTold(t *testing.T) {
	const answer = `{"choices":[],"citations":{"status":"cited","sources":[{"index":1,"document_name":"a.pdf","page_number":2}],"markers":[{"indices":[1],"support":"supported"}]}}`
	var asked []string
	w := newWorld(t, func(d *control.Deps) {
		d.Chat = func(rw http.ResponseWriter, r *http.Request, caller access.Principal) {
			var in struct{ Messages []evaluation.Turn }
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			asked = append(asked, string(caller.Key.ID)+" "+string(caller.Tenant)+" "+r.Header.Get("X-Footnote-Citation-Format"))
			if in.Messages[0].Content == "bad" {
				rw.WriteHeader(http.StatusBadGateway)
				_, _ = rw.Write([]byte(`{"error":{"message":"The model server failed.","code":"upstream_error"}}`))
				return
			}
			_, _ = rw.Write([]byte(answer))
		}
	})
	w.assistant("mine", "")
	w.question("mine", `{"gold_id":"good","document":"a","pages":[2],"question":"good"}`)
	w.nowFinds(hitOn("a.pdf", 2))
	id := w.run("mine", `{"answers":true}`)
	w.question("mine", `{"gold_id":"bad","document":"a","pages":[2],"question":"bad"}`)
	failing := w.run("mine", `{"answers":true}`)
	var results struct{ Data []evaluation.Outcome }
	w.call("GET", "/eval/runs/"+id+"/results", "").into(200, &results)
	if c := results.Data[0].Chat; c == nil || !c.FirstGold || c.Supported != 1 || asked[0] != "key_configured_admin default native" {
		t.Errorf("%+v, asked %q", results, asked)
	}
	w.call("GET", "/eval/runs/"+failing+"/results", "").into(200, &results)
	if results.Data[1].Error != "502 upstream_error: The model server failed." || results.Data[1].Chat != nil {
		t.Errorf("%+v", results)
	}
	if s := w.call("GET", "/eval/runs/"+failing, "").object(200)["summary"].(map[string]any); s["failed"] != 1.0 || s["chat"].(map[string]any)["answers"] != 1.0 {
		t.Errorf("%v", s)
	}
}

func TestAnswersAreComparedWithTheExpectedOnesByTheJudgeOfTheAssistant(t *testing.T) {
	var judge []string
	w := newWorld(t, func(d *control.Deps) {
		d.Chat = func(rw http.ResponseWriter, r *http.Request, _ access.Principal) {
			var in struct {
				Messages []evaluation.Turn
				Options  struct{ Enabled *bool } `json:"retrieval_options"`
			}
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			text := "Four weeks."
			if in.Options.Enabled != nil && !*in.Options.Enabled {
				judge = append(judge, in.Messages[0].Content)
				text = "PASS\nThe same."
			}
			_, _ = fmt.Fprintf(rw, `{"choices":[{"message":{"content":%q}}],"citations":{"status":"none"}}`, text)
		}
	})
	w.assistant("mine", `{"eval_judge_prompt":"Be strict."}`)
	w.question("mine", `{"gold_id":"a","document":"a","question":"How long?","answer":"4 weeks"}`)
	w.question("mine", `{"gold_id":"b","document":"a","question":"Why?"}`)
	w.nowFinds(hitOn("a.pdf", 2))
	id := w.run("mine", `{"answers":true,"judge":true}`)
	var results struct{ Data []evaluation.Outcome }
	w.call("GET", "/eval/runs/"+id+"/results", "").into(200, &results)
	if j := results.Data[0].Chat.Judgement; j == nil || *j != (evaluation.Judgement{Result: "pass", Reasons: "The same."}) || results.Data[1].Chat.Judgement != nil || !slices.Equal(judge, []string{"Be strict."}) {
		t.Errorf("%+v, judged with %q", results, judge)
	}
	got := w.call("GET", "/eval/runs/"+id, "").object(200)
	if s := got["summary"].(map[string]any)["chat"].(map[string]any); got["judge"] != true || s["judged"] != 1.0 || s["passed"] != 1.0 {
		t.Errorf("%v", got)
	}
	w.call("POST", "/assistants/mine/eval/runs", `{"judge":true}`).fails(400, "invalid_value", "judge")
}

func TestQuestionsOfAFailedRetrievalSayNothingInternal(t *testing.T) {
	w := newWorld(t)
	w.assistant("mine", "")
	w.question("mine", `{"document":"a","question":"?"}`)
	w.mu.Lock()
	w.fails = fmt.Errorf("secret-host:6334: %w", assistants.ErrUnavailable)
	w.mu.Unlock()
	got := w.call("GET", "/eval/runs/"+w.run("mine", `{}`)+"/results", "")
	if !strings.Contains(string(got.want(200).raw), "retrieval_unavailable: ") || strings.Contains(string(got.raw), "secret-host") {
		t.Errorf("%s", got.raw)
	}
}
