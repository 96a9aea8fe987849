package db

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"footnote/assistants"
)

// filterBatch is how many documents a filter looks at at once.
const filterBatch = 1000

// A described document is what filters look at. Labels and tags are kept as
// JSON, which no two databases search alike, so the choice is made here.
type described struct {
	ID     assistants.DocumentID
	Labels []string          `gorm:"serializer:json"`
	Tags   map[string]string `gorm:"serializer:json"`
}

// eachDescribed calls fn for the documents of collections, of all if nil, in
// ascending order of id.
func (s *Store) eachDescribed(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, fn func(described)) error {
	last := assistants.DocumentID("")
	for {
		tx := s.read(ctx).Model(&documentRow{}).Select("id", "labels", "tags").Where("tenant_id = ? AND id > ?", tenant, last)
		if collections != nil {
			tx = tx.Where("collection_id IN ?", collections)
		}
		var rows []described
		if err := tx.Order("id").Limit(filterBatch).Find(&rows).Error; err != nil {
			return err
		}
		for _, r := range rows {
			last = r.ID
			fn(r)
		}
		if len(rows) < filterBatch {
			return nil
		}
	}
}

// FilterDocuments returns the ids of the documents in the collections that
// a filter selects, ascending; whether they are live does not matter.
func (s *Store) FilterDocuments(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, f assistants.Filter) ([]assistants.DocumentID, error) {
	ids := []assistants.DocumentID{}
	if len(collections) == 0 { // not all, and IN takes no empty list
		return ids, s.wrap(ctx, "filter documents", ctx.Err())
	}
	err := s.eachDescribed(ctx, tenant, collections, func(d described) {
		if f.Selects(d.Labels, d.Tags) {
			ids = append(ids, d.ID)
		}
	})
	if err != nil {
		return nil, s.wrap(ctx, "filter documents", err)
	}
	return ids, nil
}

// Labels lists the distinct labels of a tenant's documents in ascending
// order, Tags their distinct tags, with how many documents have each;
// collections, if not nil, are the only ones looked at.
func (s *Store) Labels(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) ([]assistants.LabelCount, error) {
	counts := map[string]int{}
	err := s.eachDescribed(ctx, tenant, collections, func(d described) {
		for i, label := range d.Labels {
			if !slices.Contains(d.Labels[:i], label) {
				counts[label]++
			}
		}
	})
	if err != nil {
		return nil, s.wrap(ctx, "labels", err)
	}
	list := make([]assistants.LabelCount, 0, len(counts))
	for _, label := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, assistants.LabelCount{Label: label, Documents: counts[label]})
	}
	return list, nil
}

// Tags lists the distinct tags of a tenant's documents, as [Store.Labels] lists the labels.
func (s *Store) Tags(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) ([]assistants.TagCount, error) {
	type tag struct{ key, value string }
	counts := map[tag]int{}
	err := s.eachDescribed(ctx, tenant, collections, func(d described) {
		for key, value := range d.Tags {
			counts[tag{key, value}]++
		}
	})
	if err != nil {
		return nil, s.wrap(ctx, "tags", err)
	}
	list := make([]assistants.TagCount, 0, len(counts))
	for t, n := range counts {
		list = append(list, assistants.TagCount{Key: t.key, Value: t.value, Documents: n})
	}
	slices.SortFunc(list, func(a, b assistants.TagCount) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value))
	})
	return list, nil
}
