package qdranttest

import (
	"slices"

	"github.com/qdrant/go-client/qdrant"
)

// matching are the keys of the points that a filter selects.
func (c *collection) matching(f *qdrant.Filter) ([]string, error) {
	matches, err := c.filter(f)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(c.candidateKeys(f)), func(k string) bool { return !matches(k, c.points[k]) }), nil
}

// filter returns the function that tests a point. The filter's fields must have
// indexes.
func (c *collection) filter(f *qdrant.Filter) (func(key string, p *point) bool, error) {
	if len(f.GetShould()) > 0 || f.GetMinShould() != nil {
		return nil, invalid("only must and must_not are used here")
	}
	var must, mustNot []func(string, *point) bool
	for _, part := range []struct {
		conditions []*qdrant.Condition
		into       *[]func(string, *point) bool
	}{{f.GetMust(), &must}, {f.GetMustNot(), &mustNot}} {
		for _, condition := range part.conditions {
			test, err := c.condition(condition)
			if err != nil {
				return nil, err
			}
			*part.into = append(*part.into, test)
		}
	}
	return func(k string, p *point) bool {
		passes := func(test func(string, *point) bool) bool { return test(k, p) }
		fails := func(test func(string, *point) bool) bool { return !test(k, p) }
		return !slices.ContainsFunc(must, fails) && !slices.ContainsFunc(mustNot, passes)
	}, nil
}

func (c *collection) condition(condition *qdrant.Condition) (func(string, *point) bool, error) {
	if has := condition.GetHasId(); has != nil {
		ids := map[string]bool{}
		for _, id := range has.GetHasId() {
			k, err := key(id)
			if err != nil {
				return nil, err
			}
			ids[k] = true
		}
		return func(k string, _ *point) bool { return ids[k] }, nil
	}
	field := condition.GetField()
	if field == nil || field.GetMatch() == nil {
		return nil, invalid("only matches and ids are used here, not %v", condition)
	}
	var wants func(v *qdrant.Value) bool
	kind := qdrant.FieldType_FieldTypeKeyword
	switch m := field.GetMatch().GetMatchValue().(type) {
	case *qdrant.Match_Keyword:
		wants = func(v *qdrant.Value) bool { return isString(v) && v.GetStringValue() == m.Keyword }
	case *qdrant.Match_Keywords:
		wants = func(v *qdrant.Value) bool {
			return isString(v) && slices.Contains(m.Keywords.GetStrings(), v.GetStringValue())
		}
	case *qdrant.Match_Integer:
		kind = qdrant.FieldType_FieldTypeInteger
		wants = func(v *qdrant.Value) bool { return isInteger(v) && v.GetIntegerValue() == m.Integer }
	default:
		return nil, invalid("match of another kind: %v", field)
	}
	if have, ok := c.indexes[field.GetKey()]; !ok || have != kind {
		return nil, invalid("Index required but not found for %q of one of the following types: [%s]", field.GetKey(), kind)
	}
	return func(_ string, p *point) bool {
		return slices.ContainsFunc(values(p.payload[field.GetKey()]), wants)
	}, nil
}

// values returns the values of a field, which holds one or a list.
func values(v *qdrant.Value) []*qdrant.Value {
	if list := v.GetListValue(); list != nil {
		return list.GetValues()
	}
	if v == nil {
		return nil
	}
	return []*qdrant.Value{v}
}

func isString(v *qdrant.Value) bool {
	_, ok := v.GetKind().(*qdrant.Value_StringValue)
	return ok
}

func isInteger(v *qdrant.Value) bool {
	_, ok := v.GetKind().(*qdrant.Value_IntegerValue)
	return ok
}
