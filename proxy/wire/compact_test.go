package wire

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWithoutItsEarlierMessagesARequestKeepsEverythingElse(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{
			"a conversation", `{"model": "m", "messages": [{"role":"system","content":"Be kind."}, {"role":"user","content":"a"},{"role":"assistant","content":"b"}, {"role":"user","content":"c"}] , "x": [1, 2]}`,
			`{"model": "m", "messages": [{"role":"system","content":"Be kind."},{"role":"user","content":"c"}] , "x": [1, 2]}`,
		},
		{
			"a developer message among them", `{"messages":[{"role":"user","content":"a"},{"role":"developer","content":"d"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`,
			`{"messages":[{"role":"developer","content":"d"},{"role":"user","content":"c"}]}`,
		},
		{
			"tool calls after the question stay", `{"messages":[{"role":"user","content":"a"},{"role":"tool","content":"t","tool_call_id":"1"},{"role":"user","content":"c"},{"role":"assistant","tool_calls":[]},{"role":"tool","content":"u","tool_call_id":"2"}]}`,
			`{"messages":[{"role":"user","content":"c"},{"role":"assistant","tool_calls":[]},{"role":"tool","content":"u","tool_call_id":"2"}]}`,
		},
		{"nothing earlier", `{"messages":[{"role":"user","content":"c"}]}`, `{"messages":[{"role":"user","content":"c"}]}`},
	} {
		r, err := ReadRequest([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		compacted, err := r.WithoutEarlier()
		if err != nil || string(compacted.Body()) != c.want {
			t.Errorf("%s: %v\n%s\n%s", c.name, err, compacted.Body(), c.want)
		}
	}
}

func TestWithoutItsEarlierMessagesARequestKeepsQuestionAndInstructions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roles := rapid.SliceOfN(rapid.SampledFrom([]string{"system", "user", "assistant", "tool", "developer"}), 1, 8).Draw(t, "roles")
		var list []string
		for i, role := range roles {
			list = append(list, fmt.Sprintf(`{"role":%q,"content":"text %d"}`, role, i))
		}
		r, err := ReadRequest([]byte(`{"messages":[` + strings.Join(list, " , ") + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		earlier := r.Earlier()
		compacted, err := r.WithoutEarlier()
		if err != nil {
			t.Fatal(err)
		}
		if len(earlier) == 0 {
			return
		}
		got := compacted.Messages()
		for _, m := range r.Messages() {
			if slices.Contains(earlier, m) == slices.Contains(got, m) {
				t.Fatalf("%v of %v became %v", m, r.Messages(), got)
			}
		}
		if len(got) != len(r.Messages())-len(earlier) || len(compacted.Earlier()) != 0 || compacted.LastUserText() != r.LastUserText() {
			t.Fatalf("%v became %v", r.Messages(), got)
		}
	})
}
