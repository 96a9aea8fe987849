package filters

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"footnote/assistants"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestFiltersSelectWhatTheySay compares what a filter comes to with what it says of files
// with these years; the last has none.
func TestFiltersSelectWhatTheySay(t *testing.T) {
	years := []string{"2023", "2024", "2024.0", "2025", "draft", ""}
	for filter, want := range map[string][]string{
		`{"type":"eq","key":"year","value":2024}`:           {"2024", "2024.0"},
		`{"type":"eq","key":"year","value":"draft"}`:        {"draft"},
		`{"type":"ne","key":"year","value":2024}`:           {"2023", "2025", "draft", ""},
		`{"type":"gt","key":"year","value":2024}`:           {"2025", "draft"},
		`{"type":"gte","key":"year","value":2024}`:          {"2024", "2024.0", "2025", "draft"},
		`{"type":"lt","key":"year","value":2024}`:           {"2023"},
		`{"type":"lte","key":"year","value":2024}`:          {"2023", "2024", "2024.0"},
		`{"type":"in","key":"year","value":[2023,"draft"]}`: {"2023", "draft"},
		`{"type":"nin","key":"year","value":[2023,2024]}`:   {"2025", "draft", ""},
		`{"type":"eq","key":"year","value":true}`:           {},
		`{"type":"and","filters":[{"type":"gt","key":"year","value":2022},{"type":"lt","key":"year","value":2024}]}`: {"2023"},
		`{"type":"or","filters":[{"type":"lt","key":"year","value":2024},{"type":"eq","key":"year","value":2025}]}`:  {"2023", "2025"},
		`{"type":"and","filters":[{"type":"or","filters":[{"type":"eq","key":"year","value":2023},{"type":"eq","key":"year","value":2025}]},
			{"type":"ne","key":"year","value":2025}]}`: {"2023"},
	} {
		all, err := Read([]byte(filter), "filters")
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		got := []string{}
		for _, year := range years {
			tags := map[string]string{"year": year}
			if year == "" {
				tags = nil
			}
			if slices.ContainsFunc(all, func(f assistants.Filter) bool { return f.Selects(nil, tags) }) {
				got = append(got, year)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s selects %q, want %q", filter, got, want)
		}
	}
}
