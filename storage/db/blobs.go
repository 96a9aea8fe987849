package db

import (
	"context"
	"slices"
)

// UnknownBlobs returns the keys that no version of any document names, in their
// order: uploads that were never acknowledged, and deleted documents. Bytes are
// stored before their document, so callers must pass only keys older than any
// upload in progress.
func (s *Store) UnknownBlobs(ctx context.Context, keys []string) ([]string, error) {
	found, err := inParts(keys, inList, func(part []string) (found []string, err error) {
		err = s.read(ctx).Model(&versionRow{}).Where("blob_key IN ?", part).Pluck("blob_key", &found).Error
		return found, err
	})
	if err != nil {
		return nil, s.wrap(ctx, "unknown blobs", err)
	}
	known := make(map[string]bool, len(found))
	for _, key := range found {
		known[key] = true
	}
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return known[key] }), nil
}
