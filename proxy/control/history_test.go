package control_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"footnote/assistants"
)

// answer stores an answer of an assistant, that cites its first and third source.
func (w *world) answer(assistant string, change ...func(*assistants.Answer)) string {
	w.t.Helper()
	a := assistants.Answer{
		ID: assistants.NewAnswerID(), TenantID: assistants.DefaultTenant, Assistant: assistants.AssistantID(assistant), Thread: "thread-1",
		CreatedAt: noon, RequestID: "req_1", Model: "m", Question: "Where?", Text: "Here [1][3].", Outcome: assistants.AnswerComplete, Cited: []int{1, 3},
	}
	for _, c := range change {
		c(&a)
	}
	if err := w.store.SaveAnswers(w.t.Context(), []assistants.Answer{a}); err != nil {
		w.t.Fatal(err)
	}
	return string(a.ID)
}

// at is the n-th minute after noon.
func at(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

func (w *world) answers(path string) (ids []string) {
	w.t.Helper()
	for _, item := range w.call("GET", path, "").object(200)["data"].([]any) {
		ids = append(ids, item.(map[string]any)["id"].(string))
	}
	return ids
}

func TestTheHistoryIsFilteredPagedExportedAndDeleted(t *testing.T) {
	w := newWorld(t)
	mine, other := w.assistant("mine", ""), w.assistant("other", "")
	foreign := w.answer(other)
	var all []string
	for i := range 6 {
		all = append(all, w.answer(mine, func(a *assistants.Answer) {
			a.CreatedAt, a.Thread, a.User, a.CompletionID = at(i), assistants.ThreadID(fmt.Sprint("t", i%2)), []string{"kim", "Ünal"}[i%2], fmt.Sprint("c", i)
		}))
	}
	base := "/assistants/mine/history"
	for query, want := range map[string][]string{
		"":                                       {all[5], all[4], all[3], all[2], all[1], all[0]},
		"?sort=created_at&limit=2":               {all[0], all[1]},
		"?thread_id=t1":                          {all[5], all[3], all[1]},
		"?user_id=kim&from=2026-03-04T12:01:00Z": {all[4], all[2]},
		"?user_id=%C3%9Cnal&to=2026-03-04T12:03:00Z": {all[1]},
		"?completion_id=c3":                          {all[3]},
		"?rating=up":                                 nil,
	} {
		if got := w.answers(base + query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	for query, param := range map[string]string{"?rating=good": "rating", "?sort=name": "sort", "?from=yesterday": "from", "?user_id=": "user_id", "?thread_id=a&thread_id=b": "thread_id", "?key_id=x": "key_id"} {
		for _, path := range []string{base, base + ".jsonl"} {
			if got := w.call("GET", path+query, ""); got.status != 400 || !strings.Contains(string(got.raw), `"param":"`+param+`"`) {
				t.Errorf("%s%s: %d %s", path, query, got.status, got.raw)
			}
		}
	}

	exported := w.call("GET", base+".jsonl?user_id=kim&sort=created_at", "")
	lines := strings.Split(strings.TrimSpace(string(exported.raw)), "\n")
	if exported.status != 200 || exported.header.Get("Content-Type") != "application/jsonl" || len(lines) != 3 {
		t.Fatalf("exported: %d %s", exported.status, exported.raw)
	}
	for i, line := range lines {
		var got struct{ ID, Question, Answer string }
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.ID != all[2*i] || got.Answer != "Here [1][3]." {
			t.Errorf("line %d: %s", i, line)
		}
	}

	threads := w.call("GET", "/assistants/mine/threads?count=true", "").object(200)
	if got := threads["data"].([]any); threads["total"] != 2.0 || got[0].(map[string]any)["id"] != "t1" || got[1].(map[string]any)["answers"] != 3.0 {
		t.Errorf("threads: %v", threads)
	}
	if got := w.call("GET", "/assistants/mine/threads?user_id=kim", "").object(200)["data"].([]any); len(got) != 1 {
		t.Errorf("threads of a user: %v", got)
	}

	w.call("DELETE", base, "").fails(400, "invalid_value", "all")
	w.call("DELETE", base+"?all=true&user_id=kim", "").fails(400, "invalid_value", "all")
	w.call("DELETE", base+"?rating=good", "").fails(400, "invalid_value", "rating")
	w.call("DELETE", base+"?from=2026-03-04T12:00:00Z&userid=kim", "").fails(400, "unsupported_parameter", "userid")
	w.call("DELETE", base+"?all=true&limit=1", "").fails(400, "unsupported_parameter", "limit")
	for _, query := range []string{"&user_id=%zz", ";user_id=kim"} {
		w.call("DELETE", base+"?from=2026-03-04T12:00:00Z"+query, "").fails(400, "invalid_value", "query")
	}
	if left := w.answers(base); len(left) != 6 {
		t.Errorf("after refused deletions: %v", left)
	}
	if got := w.call("DELETE", base+"?user_id=kim", "").object(200); got["deleted"] != 3.0 {
		t.Errorf("deleted: %v", got)
	}
	w.call("GET", "/assistants/mine/threads/t0", "").want(404)
	if got := w.call("DELETE", "/assistants/mine/threads/t1", "").object(200); got["deleted"] != 3.0 {
		t.Errorf("deleted: %v", got)
	}
	if left := w.answers(base); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	w.call("GET", "/history/"+foreign, "").want(200)
	if got := w.call("DELETE", "/assistants/other/history?all=true", "").object(200); got["deleted"] != 1.0 {
		t.Errorf("deleted: %v", got)
	}
	w.call("DELETE", "/history/"+foreign, "").want(404)
}

func TestPeopleSayWhatTheyThinkOfAnAnswer(t *testing.T) {
	w := newWorld(t)
	id := w.answer(w.assistant("mine", ""))
	path := "/history/" + id + "/feedback"
	for body, param := range map[string]string{
		`{}`: "rating", `{"rating":"good"}`: "rating", `{"rating":7}`: "rating", `{"rating":"up","comment":"` + strings.Repeat("x", 4097) + `"}`: "comment", `{"rating":"up","extra":1}`: "extra",
	} {
		if got := w.call("PUT", path, body); got.status != 400 || !strings.Contains(string(got.raw), `"param":"`+param+`"`) {
			t.Errorf("%.60s: %d %s", body, got.status, got.raw)
		}
	}
	for _, body := range []string{`{"rating":"up"}`, `{"rating":"down","comment":"Wrong page. 😀"}`} {
		w.call("PUT", path, body).want(200)
	}
	got := w.call("GET", "/history/"+id, "").object(200)["feedback"].(map[string]any)
	if got["rating"] != "down" || got["comment"] != "Wrong page. 😀" || got["key_id"] != "key_configured_admin" || got["created_at"] != "2026-03-04T12:00:00Z" {
		t.Errorf("feedback: %v", got)
	}
	if rated := w.answers("/assistants/mine/history?rating=down&rating=up"); len(rated) != 1 {
		t.Errorf("rated: %v", rated)
	}
	stale := w.call("GET", "/history/"+id, "").header.Get("ETag")
	if got := w.call("DELETE", path, "").object(200); got["feedback"] != nil {
		t.Errorf("taken back: %v", got)
	}
	w.conditional("PUT", path, `{"rating":"up"}`, "If-Match", stale).fails(412, "precondition_failed", "")
}

func TestPeopleVerifyTheSourcesOfAnAnswer(t *testing.T) {
	w := newWorld(t)
	id := w.answer(w.assistant("mine", ""))
	path := "/history/" + id + "/verifications/"
	for source, body := range map[string]string{"1": `{"result":"maybe"}`, "3": `{}`} {
		w.call("PUT", path+source, body).fails(400, map[string]string{"1": "invalid_value", "3": "missing_required_parameter"}[source], "result")
	}
	for _, source := range []string{"2", "0", "01", "-1", "x", "99999999999999999999"} { // not cited
		w.call("PUT", path+source, `{"result":"confirmed"}`).want(404)
	}
	for _, step := range []struct {
		method, source, result string
		verified               bool
	}{{"PUT", "3", "confirmed", false}, {"PUT", "1", "rejected", false}, {"PUT", "1", "confirmed", true}, {"DELETE", "3", "", false}, {"DELETE", "3", "", false}} {
		body := ""
		if step.result != "" {
			body = `{"result":"` + step.result + `"}`
		}
		if got := w.call(step.method, path+step.source, body).object(200); got["verified"] != step.verified {
			t.Errorf("%v: %v", step, got)
		}
	}
	got := w.call("GET", "/history/"+id, "").object(200)["verifications"].([]any)
	if len(got) != 1 || got[0].(map[string]any)["source"] != 1.0 || got[0].(map[string]any)["key_id"] != "key_configured_admin" {
		t.Errorf("verifications: %v", got)
	}
}

// TestAChatKeyRatesItsOwnAnswers shows what programs of end users may do.
func TestAChatKeyRatesItsOwnAnswers(t *testing.T) {
	w := newWorld(t)
	mine := w.assistant("mine", "")
	made := w.call("POST", "/keys", `{"name":"app","scopes":["chat"]}`).object(201)
	secret, others := made["key"].(string), w.key(`{"name":"another","scopes":["chat"]}`)
	own := w.answer(mine, func(a *assistants.Answer) { a.Key = assistants.KeyID(made["id"].(string)) })
	keyless := w.answer(mine)
	for _, r := range [][3]string{{"GET", "", ""}, {"PUT", "/feedback", `{"rating":"down"}`}, {"DELETE", "/feedback", ""}, {"PUT", "/verifications/1", `{"result":"confirmed"}`}, {"DELETE", "/verifications/1", ""}} {
		w.as(secret, r[0], "/history/"+own+r[1], r[2]).want(200)
		w.as(others, r[0], "/history/"+own+r[1], r[2]).want(404)
		w.as(secret, r[0], "/history/"+keyless+r[1], r[2]).want(404)
	}
	w.as(secret, "DELETE", "/history/"+own, "").want(403)
	w.as(secret, "GET", "/assistants/mine/history", "").want(403)
}
