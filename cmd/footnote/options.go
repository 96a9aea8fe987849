package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/knadh/koanf/v2"

	"footnote/cmd/footnote/console"
	"footnote/cmd/footnote/maintain"
)

// An option is one field of Config with its tags.
type option struct {
	name, help, fallback string
	value                reflect.Value
}

func (o option) env() string  { return envPrefix + strings.ToUpper(o.name) }
func (o option) flag() string { return strings.ReplaceAll(o.name, "_", "-") }

func eachOption(c *Config, fn func(option)) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		fn(option{tag.Get("name"), tag.Get("help"), tag.Get("default"), v.Field(i)})
	}
}

func optionNames() []string {
	var names []string
	eachOption(&Config{}, func(o option) { names = append(names, o.name) })
	return names
}

// set parses the option's value out of k, or its default.
func (o option) set(k *koanf.Koanf) error {
	if list, ok := k.Get(o.name).([]any); ok && o.value.Kind() == reflect.Slice {
		items := make([]string, len(list))
		for i, item := range list {
			items[i] = fmt.Sprint(item)
		}
		o.value.Set(reflect.ValueOf(items))
		return nil
	}
	text := o.fallback
	if k.Exists(o.name) {
		text = fmt.Sprint(k.Get(o.name))
	}
	err := o.parse(text)
	if err != nil && text != o.fallback {
		_ = o.parse(o.fallback) // which is valid: a value that cannot be read takes no effect
	}
	return err
}

// parse sets the option's value to what a text says.
func (o option) parse(text string) error {
	switch o.value.Interface().(type) {
	case string, Secret:
		o.value.SetString(text)
	case bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		o.value.SetBool(b)
	case int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is no whole number", text)
		}
		o.value.SetInt(int64(n))
	case Size:
		n, err := humanize.ParseBytes(text)
		if err != nil {
			return fmt.Errorf("%q is no size; write it as 32MiB or in bytes", text)
		}
		o.value.SetInt(int64(min(n, 1<<62)))
	case []string:
		var items []string
		for _, item := range strings.Split(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
		o.value.Set(reflect.ValueOf(items))
	}
	return nil
}

// shown is the option's value as it may be printed: URLs can hold secrets, in
// the part before the host and in the query.
func (o option) shown() string {
	switch v := o.value.Interface().(type) {
	case []string:
		items := slices.Clone(v)
		for i := range items {
			if strings.Contains(items[i], "://") {
				items[i] = console.RedactURL(items[i])
			}
		}
		return strings.Join(items, ",")
	case string:
		if strings.HasSuffix(o.name, "_url") {
			return maintain.ShownURL(v)
		}
	}
	return fmt.Sprint(o.value.Interface())
}

// suggest names the known option nearest to a misspelt one.
func suggest(name string, known []string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}

func suggestEnv(name string, known []string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf(" (did you mean %s%s?)", envPrefix, strings.ToUpper(best))
	}
	return ""
}

func nearest(name string, known []string) string {
	best, distance := "", len(name)/2+1
	for _, k := range known {
		if d := editDistance(name, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// editDistance is Levenshtein's, over bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
