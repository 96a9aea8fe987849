package assistants

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestNothingPrintsASecret(t *testing.T) {
	const canary = "canary"
	u := Upstream{Name: "far", APIKey: NewSecret(canary), Headers: map[string]Secret{"X": NewSecret(canary)}}
	hidden := struct{ u Upstream }{u} // fmt calls no methods behind unexported fields
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T", "%p"} {
		for _, value := range []any{u.APIKey, &u.APIKey, u, &u, u.Headers, hidden, []Secret{u.APIKey}, errors.Join(fmt.Errorf("%v", u))} {
			if got := fmt.Sprintf(verb, value); strings.Contains(got, canary) || strings.Contains(got, fmt.Sprintf("%x", canary)) {
				t.Errorf("%s of %T prints %s", verb, value, got)
			}
		}
	}
	encoded, err := json.Marshal(u)
	if err != nil || bytes.Contains(encoded, []byte(canary)) || !bytes.Contains(encoded, []byte(`"APIKey":"***"`)) {
		t.Errorf("%s, %v", encoded, err)
	}
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("m", "secret", u.APIKey, "upstream", u, "hidden", hidden)
	}
	if strings.Contains(log.String(), canary) {
		t.Error(log.String())
	}
	if u.APIKey.Reveal() != canary || NewSecret("").Set() || (Secret{}).String() != "" || !SealedSecret("x").Set() || SealedSecret("x").Reveal() != "" {
		t.Error("a secret does not keep what it is for")
	}
}

func TestNamesOfUpstreamsAreNotIdsOrBuiltins(t *testing.T) {
	for _, name := range []string{"far", "OpenAI (EU)", "up", "upstream", "built in", strings.Repeat("é", MaxName)} {
		if err := CheckUpstreamName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", " ", "up_1", "UP_1", " up_1", string(NewUpstreamID()), "builtin:extractive", "Builtin:x", "a\nb", strings.Repeat("é", MaxName+1)} {
		f, ok := errors.AsType[*FieldError](CheckUpstreamName(name))
		if !ok || f.Field != "name" {
			t.Errorf("%q: %v", name, f)
		}
	}
}

func TestTheFormOfTheSettingUpstreamIsChecked(t *testing.T) {
	for value, ok := range map[string]bool{
		`null`: true, `"builtin:extractive"`: true, `"far"`: true, `"up_01k9"`: true,
		`""`: false, `"builtin:other"`: false, `"builtin:"`: false, `"` + strings.Repeat("é", MaxName+1) + `"`: false, `1`: false, `["far"]`: false,
	} {
		_, err := DefaultSettings().Merge([]byte(`{"upstream":` + value + `}`))
		f, _ := errors.AsType[*FieldError](err)
		if ok != (err == nil) || err != nil && f.Field != "upstream" {
			t.Errorf("%s: %v", value, err)
		}
	}
}
