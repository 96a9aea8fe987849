package retrieval

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// scoresIn reads the scores that a model gave n passages, 0–10. Models answer in
// many ways: as a list of objects, a list of numbers, an object by number, any of
// them inside of another, with words or a code fence around, cut off at the end,
// or as lines. Models also cite with lists of numbers ("Sources used: [1, 2]"), so such a
// list counts only as the whole answer, with a number for every passage. Passages without
// a score get 0. ok is false when fewer than half of the passages have a score.
func scoresIn(answer string, n int) (scores []float64, ok bool) {
	answer = answer[:min(len(answer), maxScanned)]
	text := unfenced(answer)
	d := json.NewDecoder(strings.NewReader(text))
	if v, err := ordered(d); err == nil && strings.TrimSpace(text[d.InputOffset():]) == "" {
		if scores, ok := scoresOf(v, n, true); ok {
			return scores, true
		}
	}
	start := 0
	for range maxTries {
		next := strings.IndexAny(answer[start:], "[{")
		if next < 0 {
			break
		}
		start += next
		if v, err := ordered(json.NewDecoder(strings.NewReader(answer[start:]))); err == nil {
			if scores, ok := scoresOf(v, n, false); ok {
				return scores, true
			}
		}
		start++
	}
	return scoresInPairs(answer, n)
}

// unfenced returns an answer without the code fence around all of it.
func unfenced(answer string) string {
	answer = strings.TrimSpace(answer)
	inner, opened := strings.CutPrefix(answer, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if !opened || !closed {
		return answer
	}
	return strings.TrimLeft(inner, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") // the language
}

// Bounds of how far and how often JSON is looked for in an answer.
const (
	maxScanned = 8 << 10
	maxTries   = 32
)

// An object is a JSON object that keeps the order of its members. If a passage is
// scored twice, the first score counts.
type object []field

type field struct {
	name  string
	value any
}

// ordered decodes the next value as encoding/json does, but objects as [object].
func ordered(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		var list []any
		for d.More() {
			item, err := ordered(d)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = d.Token() // the end
		return list, err
	case json.Delim('{'):
		var o object
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := ordered(d)
			if err != nil {
				return nil, err
			}
			text, _ := name.(string) // the name of a member is always a string
			o = append(o, field{text, value})
		}
		_, err = d.Token() // the end
		return o, err
	}
	return token, nil
}

// scoresOf reads scores out of decoded JSON. listed says that a list of numbers counts.
func scoresOf(v any, n int, listed bool) ([]float64, bool) {
	c := collected{scores: make([]float64, n), given: make([]bool, n)}
	c.collect(v, listed)
	return c.result()
}

type collected struct {
	scores []float64
	given  []bool
}

func (c *collected) put(index int, score float64) {
	if index < 1 || index > len(c.scores) || c.given[index-1] || math.IsNaN(score) {
		return
	}
	c.given[index-1] = true
	c.scores[index-1] = min(max(score, 0), 10)
}

func (c *collected) result() ([]float64, bool) {
	n := 0
	for _, g := range c.given {
		if g {
			n++
		}
	}
	return c.scores, n > 0 && 2*n >= len(c.given)
}

// collect finds scores in a value. listed says that the value counts if it is a list of numbers.
func (c *collected) collect(v any, listed bool) {
	switch v := v.(type) {
	case []any:
		if listed && len(v) == len(c.scores) && !slices.ContainsFunc(v, isNoNumber) {
			for i, item := range v {
				score, _ := number(item)
				c.put(i+1, score)
			}
			return
		}
		for _, item := range v {
			_, isObject := item.(object)
			c.collect(item, listed && isObject)
		}
	case object:
		index, hasIndex := member(v, "index", "id", "passage", "number", "n", "chunk", "i")
		score, hasScore := member(v, "score", "relevance", "rating", "value")
		if hasIndex && hasScore {
			c.put(int(index), score)
			return
		}
		for _, m := range v {
			place, err := strconv.Atoi(strings.TrimFunc(m.name, func(r rune) bool { return r < '0' || r > '9' }))
			if score, ok := number(m.value); ok && err == nil {
				c.put(place, score)
			} else if !ok {
				c.collect(m.value, listed || strings.Contains(strings.ToLower(m.name), "score"))
			}
		}
	}
}

func isNoNumber(v any) bool {
	_, ok := number(v)
	return !ok
}

// member returns the value of the first of the names whose member is a number.
func member(o object, names ...string) (float64, bool) {
	for _, name := range names {
		for _, m := range o {
			if x, ok := number(m.value); ok && m.name == name {
				return x, true
			}
		}
	}
	return 0, false
}

// number reads a number, or a string that holds one, such as "7" or "7/10".
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		first, _, _ := strings.Cut(strings.Trim(v, " []"), "/")
		x, err := strconv.ParseFloat(strings.TrimSpace(first), 64)
		return x, err == nil
	}
	return 0, false
}

// pair is a number and a score, as in `[1]: 7`, `Passage 1 - 7.5/10` or the
// entries of a list that was cut off. `[1-2]` and `pages 1-2` are ranges.
var pair = regexp.MustCompile(`(?i)(?:"?index"?\s*:\s*)?\[?"?(\d{1,2})"?(?:\]?\s*(?:[:=]|,\s*"?score"?\s*:)|(?:\]\s*|\s+)[–-])\s*"?(\d{1,2}(?:\.\d+)?)`)

func scoresInPairs(answer string, n int) ([]float64, bool) {
	c := collected{scores: make([]float64, n), given: make([]bool, n)}
	for _, m := range pair.FindAllStringSubmatch(answer, -1) {
		index, _ := strconv.Atoi(m[1])
		score, _ := strconv.ParseFloat(m[2], 64)
		c.put(index, score)
	}
	return c.result()
}
