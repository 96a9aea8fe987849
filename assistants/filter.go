package assistants

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Filter selects documents by labels and tags. Its zero value selects all.
type Filter struct {
	Labels LabelFilter
	Tags   TagFilter
}

// LabelFilter selects documents by their labels: those that have every
// required label and none that is excluded.
type LabelFilter struct {
	Required []string `json:"required"`
	Excluded []string `json:"excluded"`
}

// TagFilter selects documents by their tags: those for which every required
// condition holds and none that is excluded.
type TagFilter struct {
	Required []TagCondition `json:"required"`
	Excluded []TagCondition `json:"excluded"`
}

// TagCondition compares one tag with a value.
type TagCondition struct {
	Key       string `json:"key"`
	Condition string `json:"condition"`
	Value     string `json:"value"`
}

// Conditions on tags. Without the tag, NotEquals, ContainsNot and IsNull hold
// and all others do not. Equals, NotEquals, GreaterThan and LessThan compare
// decimal numbers when both sides are, and bytes otherwise, so that dates with
// the year first are in order.
const (
	TagEquals      = "Equals"
	TagNotEquals   = "NotEquals"
	TagGreaterThan = "GreaterThan"
	TagLessThan    = "LessThan"
	TagContains    = "Contains"
	TagContainsNot = "ContainsNot"
	TagStartsWith  = "StartsWith"
	TagEndsWith    = "EndsWith"
	TagIsNull      = "IsNull"
	TagIsNotNull   = "IsNotNull"
)

// TagConditions lists every condition.
var TagConditions = []string{
	TagEquals, TagNotEquals, TagGreaterThan, TagLessThan, TagContains, TagContainsNot, TagStartsWith, TagEndsWith, TagIsNull, TagIsNotNull,
}

// maxFilter is how many labels and conditions a filter has at most.
const maxFilter = 100

// FilterField is the member of a request that holds its filter.
const FilterField = "metadata_filter"

// ParseFilter reads the metadata_filter of a request. The error is a
// [FieldError] on that name.
func ParseFilter(raw []byte) (Filter, error) {
	var f Filter
	wrong := func(format string, args ...any) (Filter, error) {
		return Filter{}, &FieldError{Field: FilterField, Message: fmt.Sprintf(format, args...)}
	}
	members, problem := strictMembers(raw)
	if problem != "" {
		return wrong("%s %s.", FilterField, problem)
	}
	lists := map[string]struct {
		into any
		want string
	}{
		"required_labels": {&f.Labels.Required, "a list of strings"},
		"excluded_labels": {&f.Labels.Excluded, "a list of strings"},
		"required_tags":   {&f.Tags.Required, "a list of objects with key, condition and value"},
		"excluded_tags":   {&f.Tags.Excluded, "a list of objects with key, condition and value"},
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		list, ok := lists[name]
		if !ok {
			return wrong("%s has required_labels, excluded_labels, required_tags and excluded_tags, and nothing else.", FilterField)
		}
		var err error
		switch into := list.into.(type) {
		case *[]TagCondition:
			*into, err = readConditions(members[name])
		default:
			err = readList(members[name], into)
		}
		if missing, ok := errors.AsType[*valueError](err); ok {
			return wrong("%s.%s[%d].value is missing: the condition %s compares with it.", FilterField, name, missing.entry, missing.condition)
		}
		if err != nil {
			return wrong("%s.%s must be %s.", FilterField, name, list.want)
		}
	}
	if problem := f.problem(); problem != "" {
		return wrong("%s: %s", FilterField, problem)
	}
	return f, nil
}

// strictMembers splits an object into its members. A duplicate member is a
// problem, because some readers take the first and others the last.
func strictMembers(raw []byte) (members map[string]json.RawMessage, problem string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, "must be an object"
	}
	members = map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil, "must be an object"
		}
		if _, twice := members[name]; twice {
			return nil, fmt.Sprintf("has the member %q more than once", clip(name))
		}
		members[name] = value
	}
	return members, ""
}

// readList reads a list. It refuses null, both as the list and as an item.
func readList(raw json.RawMessage, into any) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return ErrInvalid
	}
	for _, item := range items {
		if string(item) == "null" {
			return ErrInvalid
		}
	}
	return decodeStrict(raw, into)
}

func readConditions(raw json.RawMessage) ([]TagCondition, error) {
	var items []json.RawMessage
	if err := readList(raw, &items); err != nil {
		return nil, err
	}
	list := make([]TagCondition, len(items))
	for i, item := range items {
		err := json.Unmarshal(item, &list[i])
		if missing, ok := errors.AsType[*valueError](err); ok {
			missing.entry = i
			return nil, missing
		}
		if err != nil {
			return nil, ErrInvalid
		}
	}
	return list, nil
}

// A valueError says that a condition which compares has no value.
type valueError struct {
	entry     int // in the list of conditions
	condition string
}

func (e *valueError) Error() string { return "the condition " + clip(e.condition) + " needs a value" }

// UnmarshalJSON reads a condition. It refuses unknown and duplicate members, and a
// condition that compares without a value.
func (c *TagCondition) UnmarshalJSON(raw []byte) error {
	members, problem := strictMembers(raw)
	if problem != "" {
		return ErrInvalid
	}
	for name, value := range members {
		into, ok := map[string]*string{"key": &c.Key, "condition": &c.Condition, "value": &c.Value}[name]
		if !ok || json.Unmarshal(value, into) != nil {
			return ErrInvalid
		}
	}
	if value, given := members["value"]; c.compares() && (!given || string(value) == "null") {
		if slices.Contains(TagConditions, c.Condition) {
			return &valueError{condition: c.Condition}
		}
		return ErrInvalid
	}
	return nil
}

// compares reports whether the condition uses its value.
func (c TagCondition) compares() bool { return c.Condition != TagIsNull && c.Condition != TagIsNotNull }

// problem describes what is wrong with a filter in one sentence; "": nothing.
func (f Filter) problem() string {
	if p := f.Labels.problem(); p != "" {
		return p
	}
	return f.Tags.problem()
}

func (f LabelFilter) problem() string {
	labels := slices.Concat(f.Required, f.Excluded)
	if len(labels) > maxFilter {
		return fmt.Sprintf("there are more than %d labels.", maxFilter)
	}
	for _, label := range labels {
		if strings.TrimSpace(label) == "" || !isText(label) {
			return "a label must be text that is not blank."
		}
	}
	return ""
}

func (f TagFilter) problem() string {
	conditions := slices.Concat(f.Required, f.Excluded)
	if len(conditions) > maxFilter {
		return fmt.Sprintf("there are more than %d conditions.", maxFilter)
	}
	for _, c := range conditions {
		switch {
		case strings.TrimSpace(c.Key) == "" || !isText(c.Key):
			return "the key of a condition must be text that is not blank."
		case !slices.Contains(TagConditions, c.Condition):
			return fmt.Sprintf("the condition %q is none of %s.", clip(c.Condition), strings.Join(TagConditions, ", "))
		case !isText(c.Value):
			return "the value of a condition must be text without NUL."
		case !c.compares() && c.Value != "":
			return "the condition " + c.Condition + " takes no value."
		case c.Value == "" && c.compares() && c.Condition != TagEquals && c.Condition != TagNotEquals:
			return "the condition " + c.Condition + " needs a value."
		}
	}
	return ""
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// IsZero reports whether f selects every document.
func (f Filter) IsZero() bool {
	return len(f.Labels.Required)+len(f.Labels.Excluded)+len(f.Tags.Required)+len(f.Tags.Excluded) == 0
}

// And returns the filter that selects what both f and g select.
func (f Filter) And(g Filter) Filter {
	return Filter{
		Labels: LabelFilter{
			Required: slices.Concat(f.Labels.Required, g.Labels.Required), Excluded: slices.Concat(f.Labels.Excluded, g.Labels.Excluded),
		},
		Tags: TagFilter{
			Required: slices.Concat(f.Tags.Required, g.Tags.Required), Excluded: slices.Concat(f.Tags.Excluded, g.Tags.Excluded),
		},
	}
}

// Selects reports whether the filter selects a document with these labels and tags.
func (f Filter) Selects(labels []string, tags map[string]string) bool {
	has := func(label string) bool { return slices.Contains(labels, label) }
	holds := func(c TagCondition) bool { return c.holds(tags) }
	return !slices.ContainsFunc(f.Labels.Required, func(l string) bool { return !has(l) }) &&
		!slices.ContainsFunc(f.Labels.Excluded, has) &&
		!slices.ContainsFunc(f.Tags.Required, func(c TagCondition) bool { return !holds(c) }) &&
		!slices.ContainsFunc(f.Tags.Excluded, holds)
}

func (c TagCondition) holds(tags map[string]string) bool {
	value, there := tags[c.Key]
	switch c.Condition {
	case TagIsNull:
		return !there
	case TagIsNotNull:
		return there
	case TagNotEquals:
		return !there || compareTags(value, c.Value) != 0
	case TagContainsNot:
		return !there || !strings.Contains(value, c.Value)
	}
	if !there {
		return false
	}
	switch c.Condition {
	case TagEquals:
		return compareTags(value, c.Value) == 0
	case TagGreaterThan:
		return compareTags(value, c.Value) > 0
	case TagLessThan:
		return compareTags(value, c.Value) < 0
	case TagContains:
		return strings.Contains(value, c.Value)
	case TagStartsWith:
		return strings.HasPrefix(value, c.Value)
	case TagEndsWith:
		return strings.HasSuffix(value, c.Value)
	default:
		return false
	}
}

// compareTags compares two values as numbers if both are numbers, and as text
// otherwise.
func compareTags(x, y string) int {
	a, aIs := readDecimal(x)
	b, bIs := readDecimal(y)
	if aIs && bIs {
		return a.compare(b)
	}
	return strings.Compare(x, y)
}

// A decimal is a number of any size: the digits before and after the point,
// without leading and trailing zeros.
type decimal struct {
	negative        bool
	whole, fraction string
}

// readDecimal reads a number like "-12.50"; surrounding spaces are ignored.
func readDecimal(s string) (d decimal, ok bool) {
	s = strings.TrimSpace(s)
	if rest, minus := strings.CutPrefix(s, "-"); minus {
		d.negative, s = true, rest
	} else {
		s = strings.TrimPrefix(s, "+")
	}
	whole, fraction, point := strings.Cut(s, ".")
	if whole == "" && fraction == "" || point && fraction == "" || !digits(whole) || !digits(fraction) {
		return decimal{}, false
	}
	d.whole, d.fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	d.negative = d.negative && d.whole+d.fraction != ""
	return d, true
}

func digits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

func (d decimal) compare(e decimal) int {
	switch {
	case d.negative != e.negative && d.negative:
		return -1
	case d.negative != e.negative:
		return 1
	case d.negative:
		return e.size(d)
	default:
		return d.size(e)
	}
}

// size compares the absolute values.
func (d decimal) size(e decimal) int {
	if len(d.whole) != len(e.whole) {
		return len(d.whole) - len(e.whole)
	}
	if n := strings.Compare(d.whole, e.whole); n != 0 {
		return n
	}
	return strings.Compare(d.fraction, e.fraction)
}

// A LabelCount is a label and how many documents have it.
type LabelCount struct {
	Label     string `json:"label"`
	Documents int    `json:"documents"`
}

// A TagCount is a tag with one of its values and how many documents have it.
type TagCount struct {
	Key       string `json:"key"`
	Value     string `json:"value"`
	Documents int    `json:"documents"`
}

func decodeStrict(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
