package proxy_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"footnote/assistants"
)

// chatBody is a chat request with further members, each with a comma before it.
func chatBody(more ...string) string {
	return strings.TrimSuffix(plainRequest, "}") + strings.Join(more, "") + "}"
}

// withMessages is a chat request with these messages.
func withMessages(list string) string { return `{"model":"support","messages":` + list + `}` }

func TestBodiesThatAreNoRequestAreRefused(t *testing.T) {
	c := newClients(t, fixture{maxBody: 16 << 20})
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	c.refuses(t, []badRequest{
		{"C-001 empty body", post(chatPath, ""), 400, "invalid_json", ""},
		{"C-001 white space", post(chatPath, " \r\n\t"), 400, "invalid_json", ""},
		{"text in Latin-1", post(chatPath, strings.Replace(plainRequest, `"messages"`, `"user":"M`+"\xfc"+`ller","messages"`, 1)), 400, "invalid_utf8", ""},
		{"C-002 truncated JSON", post(chatPath, plainRequest[:40]), 400, "invalid_json", ""},
		{"C-002 trailing garbage", post(chatPath, plainRequest+"x"), 400, "invalid_json", ""},
		{"C-002 two documents", post(chatPath, plainRequest+plainRequest), 400, "invalid_json", ""},
		{"C-002 byte order mark", post(chatPath, "\xEF\xBB\xBF"+plainRequest), 400, "invalid_json", ""},
		{"C-002 UTF-16", post(chatPath, "\xFF\xFE{\x00"), 400, "invalid_json", ""},
		{"C-002 a list", post(chatPath, "["+plainRequest+"]"), 400, "invalid_json", ""},
		{"C-002 null", post(chatPath, "null"), 400, "invalid_json", ""},
		{"C-002 a comma too many", post(chatPath, chatBody(",")), 400, "invalid_json", ""},
		{"C-002 single quotes", post(chatPath, "{'model':'support'}"), 400, "invalid_json", ""},
		{"C-002 a control character in a string", post(chatPath, chatBody(",\"user\":\"a\nb\"")), 400, "invalid_json", ""},
		{"C-002 NUL behind the document", post(chatPath, plainRequest+"\x00"), 400, "invalid_json", ""},
		{"C-004 duplicate model", post(chatPath, chatBody(`,"model":"other"`)), 400, "duplicate_key", "model"},
		{"C-004 Model beside model", post(chatPath, chatBody(`,"Model":"other"`)), 400, "duplicate_key", "model"},
		{"C-004 Model alone", post(chatPath, `{"Model":"support","messages":[{}]}`), 400, "duplicate_key", "model"},
		{"C-004 meſſages", post(chatPath, chatBody(`,"meſſages":[]`)), 400, "duplicate_key", "messages"},
		{"C-004 meſſages, escaped", post(chatPath, chatBody(`,"me\u017f\u017fages":[]`)), 400, "duplicate_key", "messages"},
		{"C-004 model, escaped", post(chatPath, chatBody(`,"\u006dodel":"other"`)), 400, "duplicate_key", "model"},
		{"C-004 an unknown member twice", post(chatPath, chatBody(`,"x":1,"x":1`)), 400, "duplicate_key", "x"},
		{"C-004 top_K beside top_k", post(chatPath, chatBody(`,"top_k":1,"top_K":1`)), 400, "duplicate_key", "top_K"},
		{"C-005 depth 10,001", post(chatPath, chatBody(`,"x":`, deep(10_000))), 400, "invalid_json", ""},
		{"C-005 depth 1,000,000 and never closed", post(chatPath, chatBody(`,"x":`, strings.Repeat("[", 1_000_000))), 400, "invalid_json", ""},
		{"C-005 9 MiB of messages", post(chatPath, withMessages("["+strings.Repeat("{},", hostileSize()/3)+"{}]")), 400, "invalid_value", "messages"},
		{"C-005 9 MiB of documents", post(chatPath, strings.Repeat("{},", hostileSize()/3)), 400, "invalid_json", ""},
		{"C-005 100,000 members", post(chatPath, manyMembers(100_000)), 400, "invalid_value", ""},
	})
	c.accepts(t, []goodRequest{
		{"C-005 depth 10,000", post(chatPath, chatBody(`,"x":`, deep(9_999))), ""},
		{"C-002 white space around", post(chatPath, "\n "+plainRequest+" \n"), ""},
	})
}

// hostileSize is the 9 MiB of C-005, less where the race detector makes all slow.
func hostileSize() int {
	if raceDetector {
		return 9 << 17
	}
	return 9 << 20
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"m%d":0`, i)
	}
	return chatBody(b.String())
}

// oneHit is a passage that has a marker and a number of its own.
func oneHit() assistants.Hit {
	return assistants.Hit{Score: 0.9, Chunk: assistants.Chunk{ID: "chunk_1", Text: "Revenue grew 15% [2]."}, Document: assistants.Document{ID: "doc_1", Name: "q3.pdf"}}
}

// C-005: what a body costs is near its size, however it is made up.
func TestAHostileBodyCostsLittleMemory(t *testing.T) {
	size := hostileSize()
	most := uint64(size * 64 / 9)
	c := newClients(t, fixture{maxBody: 16 << 20})
	for name, body := range map[string]string{
		"messages":       withMessages("[" + strings.Repeat("{},", size/3) + "{}]"),
		"a member":       chatBody(`,"x":[`, strings.Repeat("{},", size/3), `{}]`),
		"documents":      strings.Repeat("{},", size/3),
		"brackets":       chatBody(`,"x":`, strings.Repeat("[", size)),
		"parts":          withMessages(`[{"role":"user","content":[` + strings.Repeat("{},", size/3) + `{}]}]`),
		"escapes":        withMessages(`[{"role":"user","content":"` + strings.Repeat(`\u0041`, size/6) + `"}]`),
		"empty strings":  chatBody(`,"x":[`, strings.Repeat(`"",`, size/3), `""]`),
		"short messages": withMessages("[" + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},`, 10_000), ",") + "]"),
	} {
		t.Run("C-005 "+name, func(t *testing.T) {
			raw := post(chatPath, body)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			a := c.exchange(t, raw)
			runtime.ReadMemStats(&after)
			if a.Response == nil {
				t.Fatal("no answer")
			}
			if a.StatusCode == 200 { // the upstream is in this process, and keeps what it was sent
				after.TotalAlloc -= 6 * uint64(len(body))
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > most && after.TotalAlloc > before.TotalAlloc {
				t.Errorf("%d: %d KiB were allocated for %d KiB", a.StatusCode, grown>>10, len(body)>>10)
			}
			c.settle(t)
		})
	}
}

// C-035: text that is made to be slow costs twice the memory when it is twice as long.
func TestHostileTextCostsLinearWork(t *testing.T) {
	c := newClients(t, fixture{maxBody: 64 << 20, settings: mergeSettings(t, []byte(`{"enable_rag":true,"enable_citations":true}`)), hits: []assistants.Hit{oneHit()}})
	for name, unit := range map[string]string{
		"brackets": "[", "NUL": `\u0000`, "combining marks": "\u0301", "markers": "[1]", "backticks": "`", "dollars": "$", "open fences": "```\\n", "emoji": "😀",
	} {
		t.Run("C-035 "+name, func(t *testing.T) {
			cost := func(size int) uint64 {
				text := strings.Repeat(unit, size/len(unit))
				raw := post(chatPath, withMessages(`[{"role":"user","content":"`+text+`"},{"role":"assistant","content":"`+text+`"},{"role":"user","content":"`+text+`"}]`))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				a := c.exchange(t, raw)
				runtime.ReadMemStats(&after)
				if a.Response == nil || a.StatusCode != 200 {
					t.Fatalf("%d bytes: %+v", size, a)
				}
				return after.Mallocs - before.Mallocs + (after.TotalAlloc-before.TotalAlloc)/64
			}
			cost(hostileSize() / 144) // what is only done once
			small, large := cost(hostileSize()/36), cost(hostileSize()/9)
			if large > 8*small { // four times the text
				t.Errorf("four times the text costs %.1f times the work", float64(large)/float64(small))
			}
			c.settle(t)
		})
	}
}
