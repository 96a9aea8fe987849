package vectorstores

import (
	"fmt"
	"slices"
	"strconv"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// A listView is a page of a list.
type listView[T any] struct {
	Object  string  `json:"object"`
	Data    []T     `json:"data"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
}

// A pager reads the parameters of a list, and pages through it.
type pager struct {
	list assistants.List
	back bool // before an item: the list is read the other way round, and the page turned
}

// pagerOf reads the parameters limit, order, after and before of a list whose ids have a
// prefix.
func (j *job) pagerOf(prefix string, limit, most int) (pager, error) {
	p := pager{list: assistants.List{Limit: limit, Descending: true}}
	text, given, err := apierr.QueryOnce(j.c, "limit")
	if err != nil {
		return p, err
	}
	if given {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return p, apierr.Invalid("limit", fmt.Sprintf("limit must be a whole number from 1 to %d.", most))
		}
		p.list.Limit = n
	}
	order, given, err := apierr.QueryOnce(j.c, "order")
	if err != nil {
		return p, err
	}
	if p.list.Descending = order != "asc"; given && order != "asc" && order != "desc" {
		return p, apierr.Invalid("order", "order must be asc or desc.")
	}
	for _, name := range []string{"after", "before"} {
		id, given, err := apierr.QueryOnce(j.c, name)
		if err != nil {
			return p, err
		}
		if !given || id == "" {
			continue
		}
		if !assistants.IsID(prefix, id) {
			return p, apierr.Invalid(name, name+" must be the id of an item of this list.")
		}
		if p.list.After != "" {
			return p, apierr.Invalid("before", "Send either after or before.")
		}
		p.list.After = id
		p.back = name == "before"
	}
	if p.back {
		p.list.Descending = !p.list.Descending
	}
	return p, nil
}

// named returns the error of a list about the item that a page begins after, with the
// name of the parameter that the client has sent.
func (p pager) named(err error) error {
	if field, ok := fieldOf(err); ok && field == "after" && p.back {
		return apierr.Invalid("before", "before must be the id of an item of this list.")
	}
	return err
}

// pageOf is the page of a list with these items.
func pageOf[S, T any](p pager, items []S, more bool, view func(S) T, id func(S) string) listView[T] {
	if p.back {
		slices.Reverse(items)
	}
	v := listView[T]{Object: "list", Data: make([]T, len(items)), HasMore: more}
	for i, item := range items {
		v.Data[i] = view(item)
	}
	if len(items) > 0 {
		first, last := id(items[0]), id(items[len(items)-1])
		v.FirstID, v.LastID = &first, &last
	}
	return v
}

func idOfFile(d assistants.Document) string { return string(d.ID) }
