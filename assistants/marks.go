package assistants

import "fmt"

// Bounds of the labels and tags of a document.
const (
	MaxLabels = 100
	MaxTags   = 100
)

// CheckLabels checks labels and returns them without duplicates, never nil.
func CheckLabels(labels []string) ([]string, error) {
	if len(labels) > MaxLabels {
		return nil, &FieldError{Field: "labels", Message: fmt.Sprintf("A document has at most %d labels.", MaxLabels)}
	}
	seen := make(map[string]bool, len(labels))
	kept := make([]string, 0, len(labels))
	for i, l := range labels {
		if err := CheckName(fmt.Sprintf("labels[%d]", i), l); err != nil {
			return nil, err
		}
		if !seen[l] {
			seen[l] = true
			kept = append(kept, l)
		}
	}
	return kept, nil
}

// CheckTags checks keys and values of tags; a value may be empty.
func CheckTags(tags map[string]string) error {
	if len(tags) > MaxTags {
		return &FieldError{Field: "tags", Message: fmt.Sprintf("A document has at most %d tags.", MaxTags)}
	}
	for key, value := range tags {
		if err := CheckName("tags", key); err != nil {
			return err
		}
		if value == "" {
			continue
		}
		if err := CheckName("tags."+key, value); err != nil {
			return err
		}
	}
	return nil
}
