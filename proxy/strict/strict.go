// Package strict reads JSON objects that clients send: unknown and duplicate members
// and wrong types are errors that name the member.
//
// It obeys one rule: what it accepts is exactly what the description of the API
// allows. It knows nothing of HTTP and no domain.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"footnote/proxy/apierr"
)

// Decode reads a JSON object into the struct that into points to. The tag json
// names the members, the tag want describes the type for error messages, and the
// tag required makes a missing member an error. Unknown and duplicate members
// are errors. All errors are an [*apierr.Error].
func Decode(body []byte, into any) error {
	members, err := Members(body)
	if err != nil {
		return err
	}
	target := reflect.ValueOf(into).Elem()
	for i := range target.NumField() {
		field := target.Type().Field(i)
		name := field.Tag.Get("json")
		raw, ok := members[name]
		if !ok {
			if field.Tag.Get("required") != "" {
				return apierr.Missing(name)
			}
			continue
		}
		delete(members, name)
		_, nullable := target.Field(i).Addr().Interface().(json.Unmarshaler)
		err := json.Unmarshal(raw, target.Field(i).Addr().Interface())
		if twice := TwiceIn(name, err); twice != nil {
			return twice
		}
		if err != nil || !nullable && string(raw) == "null" {
			return apierr.InvalidType(name, fmt.Sprintf("%s must be %s.", name, field.Tag.Get("want")))
		}
	}
	if len(members) > 0 {
		return apierr.Unsupported(slices.Min(slices.Collect(maps.Keys(members))))
	}
	return nil
}

// Members splits a JSON object into its members without decoding the values.
func Members(body []byte) (map[string]json.RawMessage, error) {
	notAnObject := apierr.InvalidJSON("The request body must be one JSON object.")
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, notAnObject
	}
	members := map[string]json.RawMessage{}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, notAnObject
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, notAnObject
		}
		if _, twice := members[name]; twice {
			return nil, apierr.Duplicate(name)
		}
		members[name] = raw
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, notAnObject
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, notAnObject
	}
	return members, nil
}

// TwiceIn returns the error about a duplicate key inside a member, if err from
// [Members] is one, else nil.
func TwiceIn(member string, err error) error {
	if twice, ok := errors.AsType[*apierr.Error](err); ok && twice.Code == apierr.CodeDuplicateKey {
		return apierr.Duplicate(member + "." + twice.Param)
	}
	return nil
}
