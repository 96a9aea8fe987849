package search

import (
	"context"
	"errors"
	"slices"

	"footnote/assistants"
	"footnote/proxy/apierr"
)

// A sight is the collections that a key may search, and through which filters.
type sight struct {
	order   []assistants.CollectionID
	filters map[assistants.CollectionID][]assistants.Filter // one of them must select a document
}

// add adds what an assistant reads.
func (s *sight) add(a assistants.Assistant) {
	for _, id := range a.Settings.Searches(a.CollectionID) {
		if _, known := s.filters[id]; !known {
			s.order = append(s.order, id)
		}
		s.filters[id] = append(s.filters[id], a.Settings.Filter())
	}
}

// selects reports whether the key may see a document.
func (s *sight) selects(d assistants.Document) bool {
	return slices.ContainsFunc(s.filters[d.CollectionID], func(f assistants.Filter) bool { return f.Selects(d.Labels, d.Tags) })
}

// look finds the assistant of a request and the collections that it may search. What the
// key may not see gets the same answer as what does not exist.
func (j *job) look(ctx context.Context) error {
	if err := j.chooseAssistant(ctx); err != nil {
		return err
	}
	j.sight = sight{filters: map[assistants.CollectionID][]assistants.Filter{}}
	if err := j.eachAssistant(ctx, j.sight.add); err != nil {
		return err
	}
	if j.in.collections != nil {
		var chosen []assistants.CollectionID
		for _, id := range j.in.collections {
			if _, ok := j.sight.filters[assistants.CollectionID(id)]; !ok {
				return apierr.NotFound()
			}
			if !slices.Contains(chosen, assistants.CollectionID(id)) {
				chosen = append(chosen, assistants.CollectionID(id))
			}
		}
		j.sight.order = chosen
	}
	if j.assistant != nil { // it finds here what it finds in its chats
		for _, id := range j.assistant.Settings.Searches(j.assistant.CollectionID) {
			if _, ok := j.sight.filters[id]; ok {
				j.sight.filters[id] = []assistants.Filter{j.assistant.Settings.Filter()}
			}
		}
	}
	j.event.Collections = j.sight.order
	return nil
}

// chooseAssistant finds the assistant that the request names, else the key's default.
func (j *job) chooseAssistant(ctx context.Context) error {
	j.settings = assistants.DefaultSettings()
	ref, named := j.in.assistant, j.in.assistant != ""
	if !named {
		ref = string(j.caller.Key.DefaultAssistant)
	}
	if ref == "" {
		return nil
	}
	var a *assistants.Assistant
	err := assistants.ErrNotFound
	if assistants.NamesAssistant(ref) {
		a, err = j.deps.Directory.KnownAssistant(ctx, j.caller.Tenant, ref, j.caller.Sight())
	}
	switch {
	case errors.Is(err, assistants.ErrNotFound) && named:
		return apierr.NotFound()
	case errors.Is(err, assistants.ErrNotFound): // it was deleted since
		return nil
	case err != nil:
		return err
	}
	j.assistant, j.settings, j.event.Assistant = a, a.Settings, a.ID
	return nil
}

// eachAssistant calls do for every assistant that the key may see.
func (j *job) eachAssistant(ctx context.Context, do func(assistants.Assistant)) error {
	if !j.caller.MaySeeAll() {
		for _, id := range j.caller.Key.Assistants {
			a, err := j.deps.Directory.KnownAssistant(ctx, j.caller.Tenant, string(id), j.caller.Sight())
			if errors.Is(err, assistants.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			do(*a)
		}
		return nil
	}
	for list := (assistants.List{Limit: 1000}); ; {
		page, next, err := j.deps.Directory.Assistants(ctx, j.caller.Tenant, list)
		if err != nil {
			return err
		}
		for _, a := range page {
			do(a)
		}
		if list.Cursor = next; next == "" {
			return nil
		}
	}
}
