package db

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"footnote/assistants"
)

// A labelledRow is the part of a document that filters use. Labels and tags are
// stored as JSON, which databases query differently, so filters are evaluated
// here.
type labelledRow struct {
	ID     assistants.DocumentID
	Labels []string          `gorm:"serializer:json"`
	Tags   map[string]string `gorm:"serializer:json"`
}

// eachLabelled calls fn for the documents of collections (nil: all) in ascending
// order of id.
func (s *Store) eachLabelled(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, fn func(labelledRow)) error {
	tx := s.read(ctx).Model(&documentRow{}).Select("id", "labels", "tags").Where("tenant_id = ?", tenant)
	if collections != nil {
		tx = tx.Where("collection_id IN ?", collections)
	}
	var rows []labelledRow
	if err := tx.Order("id").Find(&rows).Error; err != nil {
		return err
	}
	for _, r := range rows {
		fn(r)
	}
	return nil
}

// FilterDocuments returns the ids of the documents in the collections that a
// filter selects, ascending, including documents that are not live.
func (s *Store) FilterDocuments(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, f assistants.Filter) ([]assistants.DocumentID, error) {
	ids := []assistants.DocumentID{}
	if len(collections) == 0 { // none, not all
		return ids, s.wrap(ctx, "filter documents", ctx.Err())
	}
	err := s.eachLabelled(ctx, tenant, collections, func(d labelledRow) {
		if f.Selects(d.Labels, d.Tags) {
			ids = append(ids, d.ID)
		}
	})
	if err != nil {
		return nil, s.wrap(ctx, "filter documents", err)
	}
	return ids, nil
}

// Descriptions counts the changes of what documents are called and what they are, and of
// which documents can be searched. An index does not count the former, because its
// passages stay the same, and has the latter before or after the database has them.
func (s *Store) Descriptions() uint64 { return s.described.Load() }

// Labels lists the distinct labels of a tenant's documents in ascending order,
// with the number of documents that have each. collections, if not nil,
// restricts the documents.
func (s *Store) Labels(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) ([]assistants.LabelCount, error) {
	counts := map[string]int{}
	err := s.eachLabelled(ctx, tenant, collections, func(d labelledRow) {
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

// Tags lists the distinct tags of a tenant's documents as Labels lists labels.
func (s *Store) Tags(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID) ([]assistants.TagCount, error) {
	type tag struct{ key, value string }
	counts := map[tag]int{}
	err := s.eachLabelled(ctx, tenant, collections, func(d labelledRow) {
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
