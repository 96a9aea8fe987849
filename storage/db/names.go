package db

import (
	"context"
	"time"

	"gorm.io/gorm"

	"footnote/assistants"
)

// maxChangedNames is how many changed documents are read by their ids. If there are more,
// all documents are read.
const maxChangedNames = 500

// A namedRow is the part of a document that questions choose it by.
type namedRow struct {
	ID           assistants.DocumentID
	Name         string
	Revision     int64
	CreatedAt    time.Time
	Supersedes   *assistants.DocumentID
	ProfileEdits *assistants.ProfileEdits `gorm:"serializer:json"`
	Profile      *assistants.Profile      `gorm:"serializer:json"`
}

// DocumentNames lists the documents of the collections that can be searched, by id.
// Those of known, the list of an earlier read, that have not changed since are taken from
// it: revisions are read in a fraction of the time of profiles.
func (s *Store) DocumentNames(ctx context.Context, tenant assistants.TenantID, collections []assistants.CollectionID, known []assistants.DocumentName) ([]assistants.DocumentName, error) {
	searchable := s.read(ctx).Table("documents").
		Where("documents.tenant_id = ? AND documents.collection_id IN ? AND documents.live >= 1", tenant, collections).
		Order("documents.id").Session(&gorm.Session{})
	all, changed, err := knownNames(searchable, known)
	switch {
	case err != nil || len(changed) == 0 && len(all) > 0:
		return all, s.wrap(ctx, "document names", err)
	case len(changed) == 0 || len(changed) > maxChangedNames:
		all, err = readNames(searchable)
		return all, s.wrap(ctx, "document names", err)
	}
	read, err := readNames(searchable.Where("documents.id IN ?", changed))
	return withChanges(all, changed, read), s.wrap(ctx, "document names", err)
}

// withChanges puts the documents that were read in the places of those that have changed.
// All three lists are in the database's order. What is gone since then is left out.
func withChanges(all []assistants.DocumentName, changed []assistants.DocumentID, read []assistants.DocumentName) []assistants.DocumentName {
	list := all[:0]
	for _, d := range all {
		if len(changed) > 0 && changed[0] == d.ID {
			changed = changed[1:]
			if len(read) == 0 || read[0].ID != d.ID {
				continue
			}
			d, read = read[0], read[1:]
		}
		list = append(list, d)
	}
	return list
}

// knownNames returns the documents that a query selects. Those that are not in known as
// they are now have an id alone, and their ids are in changed, too.
func knownNames(searchable *gorm.DB, known []assistants.DocumentName) (all []assistants.DocumentName, changed []assistants.DocumentID, err error) {
	if len(known) == 0 {
		return nil, nil, nil
	}
	before := make(map[assistants.DocumentID]assistants.DocumentName, len(known))
	for _, d := range known {
		before[d.ID] = d
	}
	rows, err := searchable.Select("documents.id, documents.revision").Rows()
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	all = make([]assistants.DocumentName, 0, len(known))
	for rows.Next() {
		var id assistants.DocumentID
		var revision int64
		if err := rows.Scan(&id, &revision); err != nil {
			return nil, nil, err
		}
		d, ok := before[id]
		if !ok || d.Revision != revision {
			d = assistants.DocumentName{ID: id}
			changed = append(changed, id)
		}
		all = append(all, d)
	}
	return all, changed, rows.Err()
}

// readNames reads the names and profiles of the documents that a query selects.
func readNames(searchable *gorm.DB) ([]assistants.DocumentName, error) {
	var rows []namedRow
	err := searchable.Select("documents.id, documents.name, documents.revision, documents.created_at, documents.supersedes, documents.profile_edits, files.profile").
		Joins("JOIN document_versions files ON files.document_id = documents.id AND files.version = documents.live").
		Find(&rows).Error
	all := make([]assistants.DocumentName, len(rows))
	for i, r := range rows {
		profile, _ := assistants.Document{Version: assistants.Version{Profile: r.Profile}, Edits: r.ProfileEdits}.Profile()
		all[i] = assistants.DocumentName{
			ID: r.ID, Name: r.Name, Profile: profile, CreatedAt: r.CreatedAt.UTC(), Supersedes: orZero(r.Supersedes), Revision: r.Revision,
		}
	}
	return all, err
}
