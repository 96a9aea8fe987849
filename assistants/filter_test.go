package assistants

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

func TestEveryConditionOnTags(t *testing.T) {
	tags := map[string]string{"year": "2023", "team": "Legal & HR", "price": " 12.50", "empty": "", "day": "2026-03-04", "big": "9007199254740993"}
	for _, c := range []struct {
		key, condition, value string
		holds                 bool
	}{
		{"year", TagEquals, "2023", true},
		{"year", TagEquals, "2023.0", true},
		{"year", TagEquals, "2024", false},
		{"year", TagNotEquals, "2024", true},
		{"year", TagNotEquals, "02023", false},
		{"year", TagGreaterThan, "2022", true},
		{"year", TagGreaterThan, "999", true}, // as text it would not be
		{"year", TagGreaterThan, "2023", false},
		{"year", TagLessThan, "10000", true},
		{"year", TagLessThan, "-1", false},
		{"year", TagGreaterThan, "-3000", true},
		{"price", TagEquals, "12.5", true},
		{"price", TagLessThan, "12.51", true},
		{"price", TagGreaterThan, "12.4999", true},
		{"big", TagGreaterThan, "9007199254740992", true}, // as floating point they would be equal
		{"day", TagGreaterThan, "2026-03-03", true},
		{"day", TagLessThan, "2026-03-04", false},
		{"team", TagContains, "& H", true},
		{"team", TagContains, "legal", false},
		{"team", TagContainsNot, "legal", true},
		{"team", TagContainsNot, "Legal", false},
		{"team", TagStartsWith, "Legal", true},
		{"team", TagStartsWith, "HR", false},
		{"team", TagEndsWith, "HR", true},
		{"team", TagEndsWith, "Legal", false},
		{"team", TagIsNull, "", false},
		{"team", TagIsNotNull, "", true},
		{"empty", TagIsNull, "", false},
		{"empty", TagEquals, "", true},
		{"none", TagIsNull, "", true},
		{"none", TagIsNotNull, "", false},
		{"none", TagEquals, "", false},
		{"none", TagNotEquals, "x", true},
		{"none", TagContainsNot, "x", true},
		{"none", TagContains, "x", false},
		{"none", TagLessThan, "1", false},
		{"Year", TagEquals, "2023", false},
	} {
		condition := TagCondition{c.key, c.condition, c.value}
		required := Filter{Tags: TagFilter{Required: []TagCondition{condition}}}
		excluded := Filter{Tags: TagFilter{Excluded: []TagCondition{condition}}}
		if required.problem() != "" {
			t.Errorf("%v: %s", condition, required.problem())
		}
		if required.Selects(nil, tags) != c.holds || excluded.Selects(nil, tags) == c.holds {
			t.Errorf("%v does not count as %t", condition, c.holds)
		}
	}
}

func TestLabelsAreRequiredAllAndExcludedEach(t *testing.T) {
	labels := []string{"hr", "2023"}
	for want, filters := range map[bool][]LabelFilter{
		true:  {{}, {Required: []string{"hr"}}, {Required: []string{"2023", "hr"}}, {Excluded: []string{"draft"}}, {Required: []string{"hr"}, Excluded: []string{"HR"}}},
		false: {{Required: []string{"hr", "it"}}, {Excluded: []string{"draft", "hr"}}, {Required: []string{"hr"}, Excluded: []string{"hr"}}, {Required: []string{"HR"}}},
	} {
		for _, f := range filters {
			if got := (Filter{Labels: f}).Selects(labels, nil); got != want {
				t.Errorf("%+v: %t", f, got)
			}
		}
	}
}

func TestFiltersAddUp(t *testing.T) {
	set := DefaultSettings()
	set.RetrievalLabelFilter = &LabelFilter{Required: []string{"hr"}}
	set.RetrievalTagFilter = &TagFilter{Excluded: []TagCondition{{"state", TagEquals, "draft"}}}
	asked, err := ParseFilter([]byte(`{"required_tags":[{"key":"year","condition":"GreaterThan","value":"2022"}],"excluded_labels":["old"]}`))
	if err != nil {
		t.Fatal(err)
	}
	both := set.Filter().And(asked)
	for _, c := range []struct {
		labels []string
		tags   map[string]string
		want   bool
	}{
		{[]string{"hr"}, map[string]string{"year": "2023"}, true},
		{[]string{"hr", "old"}, map[string]string{"year": "2023"}, false},
		{[]string{"hr"}, map[string]string{"year": "2022"}, false},
		{[]string{"hr"}, map[string]string{"year": "2023", "state": "draft"}, false},
		{nil, map[string]string{"year": "2023"}, false},
	} {
		if both.Selects(c.labels, c.tags) != c.want {
			t.Errorf("%v, %v", c.labels, c.tags)
		}
	}
	if both.IsZero() || !(DefaultSettings().Filter().IsZero()) {
		t.Error("which filter selects all?")
	}
}

func TestWrongFiltersAreRefused(t *testing.T) {
	condition := func(c string) string { return `{"required_tags":[` + c + `]}` }
	many := `{"required_labels":["a"` + strings.Repeat(`,"a"`, maxFilter) + `]}`
	for _, raw := range []string{
		``, `[]`, `null`, `"a"`, `{"labels":["a"]}`, `{"Required_labels":["a"]}`, `{"required_labels":["a"],"required_labels":["b"]}`,
		`{"required_labels":"a"}`, `{"required_labels":null}`, `{"required_labels":[1]}`, `{"required_labels":[null]}`, `{"required_labels":[""]}`, `{"required_labels":["\u0000"]}`, many,
		`{"excluded_tags":{}}`, condition(`null`), condition(`"year"`), condition(`{}`),
		condition(`{"key":"","condition":"IsNull"}`), condition(`{"key":"a","condition":"equals","value":"b"}`), condition(`{"key":"a","condition":"Equals"}`),
		condition(`{"key":"a","condition":"Equals","value":2022}`), condition(`{"key":"a","condition":"Equals","value":null}`), condition(`{"key":"a","condition":"IsNull","value":"b"}`), condition(`{"key":"a","condition":"Contains","value":""}`),
		condition(`{"key":"a","condition":"Equals","value":"b","Value":"c"}`), condition(`{"key":"a","key":"b","condition":"IsNull"}`),
	} {
		_, err := ParseFilter([]byte(raw))
		var field *FieldError
		if !errors.As(err, &field) || field.Field != "metadata_filter" || !errors.Is(err, ErrInvalid) || !strings.HasSuffix(field.Message, ".") {
			t.Errorf("%s: %v", raw, err)
		}
	}
	_, err := ParseFilter([]byte(condition(`{"key":"a","condition":"IsNull"},{"key":"b","condition":"Equals"}`)))
	if err == nil || !strings.Contains(err.Error(), "metadata_filter.required_tags[1].value is missing: the condition Equals compares with it.") {
		t.Error(err)
	}
	for _, raw := range []string{`{}`, `{"required_labels":[]}`, condition(`{"key":"a","condition":"IsNull"}`), condition(`{"key":"a","condition":"IsNull","value":null}`), condition(`{"key":"a","condition":"Equals","value":""}`)} {
		if _, err := ParseFilter([]byte(raw)); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// FuzzNumbersCompareAsNumbers holds the comparison of decimals to exact arithmetic.
func FuzzNumbersCompareAsNumbers(f *testing.F) {
	for _, s := range []string{"0", "-0", "1.50", "01.5", "-2", "10", "9", ".5", "5.", "1e3", "", "+7", "-.01"} {
		f.Add(s, "1.5")
		f.Add("-0.010", s)
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		a, aIs := readDecimal(x)
		b, bIs := readDecimal(y)
		if !aIs || !bIs {
			return
		}
		p, pIs := new(big.Rat).SetString(strings.TrimSpace(x))
		q, qIs := new(big.Rat).SetString(strings.TrimSpace(y))
		if !pIs || !qIs {
			t.Fatalf("%q or %q is no number", x, y)
		}
		sign := func(n int) int { return max(-1, min(1, n)) }
		if got := sign(a.compare(b)); got != p.Cmp(q) {
			t.Errorf("%q and %q compare as %s", x, y, strconv.Itoa(got))
		}
	})
}
