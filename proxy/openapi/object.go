package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// An object is a JSON object whose members keep the order of the file.
type object struct {
	names   []string
	members map[string]any // *object, []any, string, bool, numbers or nil
}

func newObject() *object { return &object{members: map[string]any{}} }

// set adds a member, or changes its value.
func (o *object) set(name string, value any) {
	if _, known := o.members[name]; !known {
		o.names = append(o.names, name)
	}
	o.members[name] = value
}

func (o *object) remove(name string) {
	delete(o.members, name)
	o.names = slices.DeleteFunc(o.names, func(n string) bool { return n == name })
}

// object returns a member that is an object. It adds an empty one if there is none.
func (o *object) object(name string) *object {
	if member, ok := o.members[name].(*object); ok {
		return member
	}
	member := newObject()
	o.set(name, member)
	return member
}

// text returns a member that is a string, "" without one.
func (o *object) text(name string) string {
	s, _ := o.members[name].(string)
	return s
}

// list returns a member that is an array, nil without one.
func (o *object) list(name string) []any {
	l, _ := o.members[name].([]any)
	return l
}

// MarshalJSON writes the members in their order.
func (o *object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.members[name])
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// parse reads a YAML file that has an object.
func parse(raw []byte) (*object, error) {
	var file yaml.Node
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return nil, err
	}
	if len(file.Content) != 1 {
		return nil, fmt.Errorf("%d documents instead of one", len(file.Content))
	}
	value, err := fromYAML(file.Content[0])
	if err != nil {
		return nil, err
	}
	o, ok := value.(*object)
	if !ok {
		return nil, fmt.Errorf("%T instead of an object", value)
	}
	return o, nil
}

// fromYAML converts a node. An alias becomes a copy of what its anchor marks.
func fromYAML(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.AliasNode:
		return fromYAML(n.Alias)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			value, err := fromYAML(item)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case yaml.MappingNode:
		return fromMapping(n)
	}
	var scalar any
	err := n.Decode(&scalar)
	return scalar, err
}

func fromMapping(n *yaml.Node) (any, error) {
	o := newObject()
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		value, err := fromYAML(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		if key.Tag != "!!merge" {
			o.set(key.Value, value)
			continue
		}
		base, ok := value.(*object)
		if !ok {
			return nil, fmt.Errorf("line %d: << needs an object", key.Line)
		}
		for _, name := range base.names {
			o.set(name, base.members[name])
		}
	}
	return o, nil
}
