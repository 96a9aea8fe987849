package assistants_test

import (
	"strings"
	"testing"

	"footnote/assistants"
)

func TestFallbacksAreCheckedLikeTheUpstream(t *testing.T) {
	for given, ok := range map[string]bool{
		`null`: true, `[]`: true, `[{"upstream":"far"},{"upstream":"builtin:extractive","model":null},{"upstream":"up_1","model":"m"}]`: true,
		`[` + strings.Repeat(`{"upstream":"a"},`, 5) + `{"upstream":"a"}]`: false,
		`[{}]`: false, `[null]`: false, `["far"]`: false, `{}`: false, `[{"upstream":""}]`: false, `[{"upstream":"builtin:other"}]`: false,
		`[{"upstream":"a","model":""}]`: false, `[{"upstream":"a","host":"b"}]`: false, `[{"upstream":"` + strings.Repeat("a", 256) + `"}]`: false,
	} {
		if _, err := assistants.DefaultSettings().Merge([]byte(`{"upstream_fallbacks":` + given + `}`)); (err == nil) != ok {
			t.Errorf("%s: %v", given, err)
		}
	}
}
