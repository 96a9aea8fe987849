// Package jsonbody reads the JSON objects that requests send into structs.
//
// It obeys one rule: nothing is guessed. A member that is unknown, of another type or
// there twice is an error that names it. It imports no web framework.
package jsonbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"footnote/proxy/apierr"
)

// Decode reads a JSON object into the struct that into points to. The tag json
// names the members, the tag want describes the type for error messages, and the
// tag required makes a missing member an error. Unknown and duplicate members
// are errors, and so is null where the field cannot be null. Errors are *apierr.Error.
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

// Within returns an error about a value inside a member, with the member's name in front
// of the name of what is at fault.
func Within(member string, err error) error {
	e := apierr.ObjectOf(err)
	if e.Code == apierr.CodeInvalidJSON {
		return apierr.InvalidType(member, member+" must be an object.")
	}
	param := member
	if e.Param != nil && *e.Param != "" {
		param += "." + *e.Param
	}
	return &apierr.Error{Status: http.StatusBadRequest, Code: e.Code, Param: param, Message: e.Message}
}

// TwiceIn returns the error about a duplicate key inside a member, if err from
// [Members] is one, else nil.
func TwiceIn(member string, err error) error {
	if twice, ok := errors.AsType[*apierr.Error](err); ok && twice.Code == apierr.CodeDuplicateKey {
		return apierr.Duplicate(member + "." + twice.Param)
	}
	return nil
}
