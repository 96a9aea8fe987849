package vector

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"footnote/assistants"
)

// Inspect reads the index in the file at path without changing it: the version
// that it has of each document whose entry can be used. Where there is no file
// there are no documents. damage says what [Open] would move aside or drop.
func Inspect(ctx context.Context, path string) (versions map[assistants.DocumentID]int, damage []string, err error) {
	versions = map[assistants.DocumentID]int{}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return versions, nil, nil
	}
	db, err := openFile(path)
	if err == nil {
		err = eachRow(ctx, db, func(d document, broken error) {
			if broken != nil {
				damage = append(damage, fmt.Sprintf("the entry of document %s is damaged", d.id))
				return
			}
			versions[d.id] = d.version
		})
		err = errors.Join(err, db.Close())
	}
	switch {
	case err == nil:
		return versions, damage, nil
	case isDamage(err):
		return map[assistants.DocumentID]int{}, append(damage, "the file cannot be read"), nil
	}
	return nil, nil, fmt.Errorf("index: inspect: %w: %w", assistants.ErrUnavailable, err)
}
