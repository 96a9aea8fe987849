// Package filters reads the filters of OpenAI's file search, which compare attributes of
// files, as filters of documents by their tags.
//
// It obeys one rule: a filter selects exactly what it says, or is an error that names what
// is wrong. It knows no request and must not import a store.
package filters

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"footnote/assistants"
	"footnote/proxy/apierr"
	"footnote/proxy/jsonbody"
)

// Bounds of filters.
const (
	maxAlternatives = 8  // that a filter comes to
	maxDepth        = 4  // of filters in filters
	maxFilters      = 32 // in a filter, and values in a list
)

// Read returns the filters of which one must select a file; null, and nothing, select all. A
// filter of OpenAI combines comparisons of attributes by "and" and "or"; each alternative
// becomes a filter of its own. param names the filter in errors.
func Read(raw json.RawMessage, param string) ([]assistants.Filter, error) {
	if raw == nil || string(raw) == "null" {
		return []assistants.Filter{{}}, nil
	}
	all, err := readFilter(raw, param, 1)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if len(f.Tags.Required)+len(f.Tags.Excluded) > maxFilters {
			return nil, tooMany(param)
		}
	}
	return all, nil
}

func tooMany(param string) error {
	return apierr.Invalid(param, fmt.Sprintf("%s is too large: a filter comes to at most %d alternatives of %d comparisons.", param, maxAlternatives, maxFilters))
}

// readFilter reads a comparison, or filters that are combined.
func readFilter(raw json.RawMessage, param string, depth int) ([]assistants.Filter, error) {
	var in struct {
		Type    string          `json:"type" want:"a string" required:"true"`
		Key     *string         `json:"key" want:"a string"`
		Value   json.RawMessage `json:"value" want:"a string, a number, true, false or a list of them"`
		Filters json.RawMessage `json:"filters" want:"a list of filters"`
	}
	if err := jsonbody.Decode(raw, &in); err != nil {
		return nil, jsonbody.Within(param, err)
	}
	if in.Type != "and" && in.Type != "or" {
		switch {
		case in.Filters != nil:
			return nil, apierr.Invalid(param+".filters", param+".filters is for the types and and or.")
		case in.Key == nil:
			return nil, apierr.Missing(param + ".key")
		case in.Value == nil || string(in.Value) == "null":
			return nil, apierr.Missing(param + ".value")
		}
		if err := assistants.CheckText(param+".key", *in.Key); err != nil {
			return nil, err
		}
		return comparison(in.Type, *in.Key, in.Value, param)
	}
	var parts []json.RawMessage
	if json.Unmarshal(in.Filters, &parts) != nil || len(parts) == 0 || len(parts) > maxFilters || in.Key != nil || in.Value != nil {
		return nil, apierr.Invalid(param, fmt.Sprintf("%s of the type %s must have a list of 1 to %d filters, and neither key nor value.", param, in.Type, maxFilters))
	}
	if depth == maxDepth {
		return nil, apierr.Invalid(param, fmt.Sprintf("Filters may be in one another at most %d times.", maxDepth))
	}
	var all []assistants.Filter
	if in.Type == "and" {
		all = []assistants.Filter{{}}
	}
	for i, part := range parts {
		some, err := readFilter(part, fmt.Sprintf("%s.filters[%d]", param, i), depth+1)
		if err != nil {
			return nil, err
		}
		if in.Type == "or" {
			all = append(all, some...)
		} else {
			all = both(all, some)
		}
		if len(all) > maxAlternatives {
			return nil, tooMany(param)
		}
	}
	return all, nil
}

// both returns the filters of which one selects what one of x and one of y select.
func both(x, y []assistants.Filter) (all []assistants.Filter) {
	for _, a := range x {
		for _, b := range y {
			all = append(all, a.And(b))
		}
	}
	return all
}

// comparison returns what compares an attribute with a value. A file without the
// attribute is selected by "ne" and "nin" alone.
func comparison(kind, key string, value json.RawMessage, param string) ([]assistants.Filter, error) {
	if kind == "in" || kind == "nin" {
		return membership(kind, key, value, param)
	}
	text, ok := Text(value)
	if !ok {
		return nil, apierr.InvalidType(param+".value", param+".value must be a string, a number, true or false.")
	}
	if err := checkValue(text, param); err != nil {
		return nil, err
	}
	is := func(condition string) assistants.TagCondition {
		return assistants.TagCondition{Key: key, Condition: condition, Value: text}
	}
	there := assistants.TagCondition{Key: key, Condition: assistants.TagIsNotNull}
	var f assistants.TagFilter
	switch kind {
	case "eq":
		f.Required = []assistants.TagCondition{is(assistants.TagEquals)}
	case "ne":
		f.Required = []assistants.TagCondition{is(assistants.TagNotEquals)}
	case "gt":
		f.Required = []assistants.TagCondition{is(assistants.TagGreaterThan)}
	case "lt":
		f.Required = []assistants.TagCondition{is(assistants.TagLessThan)}
	case "gte":
		f.Required, f.Excluded = []assistants.TagCondition{there}, []assistants.TagCondition{is(assistants.TagLessThan)}
	case "lte":
		f.Required, f.Excluded = []assistants.TagCondition{there}, []assistants.TagCondition{is(assistants.TagGreaterThan)}
	default:
		return nil, apierr.Invalid(param+".type", param+".type must be one of eq, ne, gt, gte, lt, lte, in, nin, and, or.")
	}
	if text == "" && kind != "eq" && kind != "ne" {
		return nil, apierr.Invalid(param+".value", param+".value must not be empty for the type "+kind+".")
	}
	return []assistants.Filter{{Tags: f}}, nil
}

// membership returns what compares an attribute with a list of values.
func membership(kind, key string, value json.RawMessage, param string) ([]assistants.Filter, error) {
	var values []json.RawMessage
	if json.Unmarshal(value, &values) != nil || len(values) == 0 || len(values) > maxFilters {
		return nil, apierr.Invalid(param+".value", fmt.Sprintf("%s.value must be a list of 1 to %d strings, numbers or truth values.", param, maxFilters))
	}
	var texts []string
	for _, v := range values {
		text, ok := Text(v)
		if !ok {
			return nil, apierr.InvalidType(param+".value", param+".value must be a list of strings, numbers or truth values.")
		}
		if err := checkValue(text, param); err != nil {
			return nil, err
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	var each []assistants.Filter
	var none assistants.Filter
	for _, text := range texts {
		is := assistants.TagCondition{Key: key, Condition: assistants.TagEquals, Value: text}
		each = append(each, assistants.Filter{Tags: assistants.TagFilter{Required: []assistants.TagCondition{is}}})
		none.Tags.Excluded = append(none.Tags.Excluded, is)
	}
	if kind == "nin" {
		return []assistants.Filter{none}, nil
	}
	if len(each) > maxAlternatives {
		return nil, tooMany(param)
	}
	return each, nil
}

// checkValue refuses a text that no attribute has.
func checkValue(text, param string) error {
	if text == "" {
		return nil
	}
	return assistants.CheckText(param+".value", text)
}

// Text returns a string, a number, true or false as a tag has it.
func Text(raw json.RawMessage) (string, bool) {
	var value any
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	if dec.Decode(&value) != nil {
		return "", false
	}
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return fmt.Sprint(v), true
	}
	return "", false
}
