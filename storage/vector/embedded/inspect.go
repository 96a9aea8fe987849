package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"footnote/assistants"
	"footnote/storage/vector"
)

// Inspect reads the index in the file at path without changing it and returns the
// usable documents. A missing file has no documents. damage lists what [Open] would
// rename or drop.
func Inspect(ctx context.Context, path string) (have map[assistants.DocumentID]assistants.Indexed, damage []string, err error) {
	have = map[assistants.DocumentID]assistants.Indexed{}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return have, nil, nil
	}
	chunks := map[assistants.DocumentID]int{}
	db, err := openFile(path)
	if err == nil {
		err = eachRow(ctx, db, func(_ row, d vector.Document, rowErr error) {
			if rowErr != nil {
				damage = append(damage, fmt.Sprintf("the entry of document %s is damaged", d.ID))
				return
			}
			have[d.ID], chunks[d.ID] = assistants.Indexed{Version: d.Version}, len(d.Chunks)
		})
	}
	if err == nil {
		err = eachVectorRow(ctx, db, func(_ row, id assistants.DocumentID, v vectors, rowErr error) {
			indexed, ok := have[id]
			if rowErr != nil || ok && (indexed.Version != v.version || chunks[id] != len(v.values)) {
				damage = append(damage, fmt.Sprintf("the vectors of document %s are damaged", id))
				return
			}
			if ok {
				indexed.Spaces = append(indexed.Spaces, v.space)
				have[id] = indexed
			}
		})
	}
	if db != nil {
		err = errors.Join(err, db.Close())
	}
	switch {
	case err == nil:
		return have, damage, nil
	case isDamage(err):
		return map[assistants.DocumentID]assistants.Indexed{}, append(damage, "the file cannot be read"), nil
	}
	return nil, nil, fmt.Errorf("index: inspect: %w: %w", assistants.ErrUnavailable, err)
}
