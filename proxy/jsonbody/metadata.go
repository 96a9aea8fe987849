package jsonbody

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"footnote/proxy/apierr"
)

// Bounds of metadata, which are OpenAI's.
const (
	maxMetadata      = 16
	maxMetadataKey   = 64  // characters
	maxMetadataValue = 512 // characters
)

// Metadata reads what a client keeps with an object: an object whose values are strings.
// The error names it as name.
func Metadata(name string, raw json.RawMessage) (map[string]string, error) {
	members, err := Members(raw)
	if twice := TwiceIn(name, err); twice != nil {
		return nil, twice
	}
	if err != nil {
		return nil, apierr.InvalidType(name, name+" must be an object whose values are strings.")
	}
	metadata := make(map[string]string, len(members))
	for key, value := range members {
		var text *string
		if json.Unmarshal(value, &text) != nil || text == nil {
			return nil, apierr.InvalidType(name, name+" must be an object whose values are strings.")
		}
		if utf8.RuneCountInString(key) > maxMetadataKey || utf8.RuneCountInString(*text) > maxMetadataValue || len(members) > maxMetadata {
			return nil, apierr.Invalid(name, fmt.Sprintf("%s must have at most %d members with names of %d and values of %d characters.",
				name, maxMetadata, maxMetadataKey, maxMetadataValue))
		}
		metadata[key] = *text
	}
	return metadata, nil
}
