package extractive

import (
	"context"
	"io"
	"testing"
	"time"

	"go.uber.org/goleak"

	"footnote/proxy/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var handbook = []upstream.Passage{
	{Index: 1, Name: "handbook.md", Text: "# Leave\n\n## Annual leave\n\nEvery full-time employee has **27 days** of paid holiday a year, public holidays not included. " +
		"Part-time employees receive a share in proportion.\n\n## Carrying days over\n\nYou may carry over up to five unused days into the next year. " +
		"They must be taken by 31 March and lapse after that date.\n"},
	{Index: 2, Name: "handbook.md", Text: "| Destination | Per diem | Hotel limit |\n|---|---|---|\n| Japan | 58 pounds | 145 pounds |\n| Norway | 74 pounds | 170 pounds |\n"},
	{Index: 3, Name: "ordnung.md", Text: "Die Nachtschicht beginnt um 22:00 Uhr. Der Jahresurlaub beträgt 30 Tage."},
	{Index: 4, Name: "osaka.txt", Text: "会議室の予約は前日までに行ってください。経費の精算は月末までです。"},
	{Index: 5, Name: "notes.md", Text: "Refunds are described in the policy [2] and in 【4】, see `refund()` and $HOME. The refund takes 14 days [[3]](https://x.test/a)."},
}

// client returns an answerer whose ids and times do not change.
func client() *Client {
	return &Client{
		now: func() time.Time { return time.Unix(1767225600, 0) },
		id:  func() string { return "chatcmpl-test" },
	}
}

// chat returns status, content type and body of an answer.
func chat(t *testing.T, c upstream.Call) (status int, kind, body string) {
	t.Helper()
	resp, err := client().Chat(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.Status, resp.Header.Get("Content-Type"), string(raw)
}

func TestAnEndedContextGivesNoAnswer(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	resp, err := client().Chat(ctx, upstream.Call{Question: "holiday", Passages: given(handbook), Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	cancel(io.ErrClosedPipe)
	if _, err := resp.Body.Read(make([]byte, 9)); err != io.ErrClosedPipe {
		t.Error("reading on gives", err)
	}
	if _, err := client().Chat(ctx, upstream.Call{}); err != io.ErrClosedPipe {
		t.Error("asking again gives", err)
	}
}

func TestModelsListsTheOneModel(t *testing.T) {
	models, err := New().Models(t.Context())
	if err != nil || len(models) != 1 || models[0].ID != Model {
		t.Error(models, err)
	}
}

// given are the passages of a call.
func given(list []upstream.Passage) func() []upstream.Passage {
	return func() []upstream.Passage { return list }
}

// answerTo answers a question of which nothing is known to name a document.
func answerTo(question string, passages []upstream.Passage, markers bool) string {
	return answer(question, nil, passages, markers)
}
