package db

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"math"
	"math/bits"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"footnote/assistants"
)

// MetaCopy is the name under which [Store.Meta] returns how far a copy into this
// database has come. It is not set in a database that is whole.
const MetaCopy = "copy"

// A NotEmptyError reports that a database cannot receive a copy because it has rows.
type NotEmptyError struct{ Table string }

func (e *NotEmptyError) Error() string {
	return fmt.Sprintf("the database is not empty: the table %s has rows", e.Table)
}

// A CopyOfAnotherError reports that a database has the unfinished copy of another
// installation than that of Source.
type CopyOfAnotherError struct{ Source string }

func (e *CopyOfAnotherError) Error() string {
	return "the database has the unfinished copy of another installation"
}

// copyState says how far a copy has come. It is written together with the rows.
type copyState struct {
	Source string   `json:"source"`          // installation
	Done   []string `json:"done"`            // tables
	Table  string   `json:"table,omitempty"` // that is being copied
	After  []string `json:"after,omitempty"` // primary key of its last row
}

// BeginCopy prepares an empty database to receive the copy of an installation, or goes
// on with one that was begun. Errors: [*NotEmptyError], [*CopyOfAnotherError].
func (s *Store) BeginCopy(ctx context.Context, source string) (resumed bool, err error) {
	tables, err := s.rawTables()
	if err != nil {
		return false, err
	}
	err = s.write(ctx, "begin a copy", func(tx *gorm.DB) error {
		state, found, err := takeCopyState(tx)
		resumed = found
		if err != nil {
			return err
		}
		if found {
			if state.Source != source {
				return &CopyOfAnotherError{state.Source}
			}
			return nil
		}
		for _, t := range tables {
			rows, _, err := t.read(tx, nil, 1)
			if err != nil {
				return err
			}
			if len(rows) > 0 {
				return &NotEmptyError{t.name}
			}
		}
		return putCopyState(tx, copyState{Source: source})
	})
	return resumed, err
}

// AbandonCopy removes every row from a database with the unfinished copy of an
// installation. The error is a [*CopyOfAnotherError] if the copy is another's; a database
// without one stays as it is.
func (s *Store) AbandonCopy(ctx context.Context, source string) error {
	tables, err := s.rawTables()
	if err != nil {
		return err
	}
	return s.write(ctx, "abandon a copy", func(tx *gorm.DB) error {
		state, found, err := takeCopyState(tx)
		if err != nil || !found {
			return err
		}
		if state.Source != source {
			return &CopyOfAnotherError{state.Source}
		}
		for _, t := range tables {
			if err := tx.Session(&gorm.Session{AllowGlobalUpdate: true}).Delete(t.model).Error; err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
		}
		return nil
	})
}

// EndCopy marks a copy as whole.
func (s *Store) EndCopy(ctx context.Context) error {
	return s.write(ctx, "end a copy", func(tx *gorm.DB) error {
		return tx.Where("tenant_id = ? AND name = ?", assistants.DefaultTenant, MetaCopy).Delete(&metaRow{}).Error
	})
}

// CopyRows copies the rows of all tables into a database in which [Store.BeginCopy]
// has begun a copy. It goes on where an earlier call ended. Nothing may write to either
// database meanwhile. progress is called with the number of rows that are copied or, at
// first, were copied before.
func (s *Store) CopyRows(ctx context.Context, to *Store, progress func(rows int)) error {
	tables, err := s.rawTables()
	if err != nil {
		return err
	}
	state, found, err := takeCopyState(to.read(ctx))
	if err == nil && !found {
		err = errors.New("no copy was begun")
	}
	if err != nil {
		return to.wrap(ctx, "read how far the copy is", err)
	}
	if err := to.reportCopied(ctx, progress); err != nil {
		return err
	}
	for _, t := range tables {
		if slices.Contains(state.Done, t.name) {
			continue
		}
		if state.Table != t.name {
			state.Table, state.After = t.name, nil
		}
		if err := s.copyTable(ctx, to, t, &state, progress); err != nil {
			return err
		}
	}
	return nil
}

// reportCopied reports the rows that are there already.
func (s *Store) reportCopied(ctx context.Context, progress func(rows int)) error {
	n, err := s.CountRows(ctx)
	if err == nil {
		progress(n)
	}
	return err
}

// copyTable copies the rows of a table after the state's, and marks it as done.
func (s *Store) copyTable(ctx context.Context, to *Store, t rawTable, state *copyState, progress func(rows int)) error {
	last, err := t.parseKey(state.After)
	if err != nil {
		return err
	}
	err = t.each(ctx, s, last, func(rows []rawRow) error {
		next := *state
		if next.After, err = t.printKey(rows[len(rows)-1]); err != nil {
			return err
		}
		rows = t.withoutOwn(rows)
		err := to.write(ctx, "copy rows", func(tx *gorm.DB) error {
			if err := t.insert(tx, rows); err != nil {
				return err
			}
			return putCopyState(tx, next)
		})
		if err == nil {
			*state = next
			progress(len(rows))
		}
		return err
	})
	if err != nil {
		return err
	}
	state.Done, state.Table, state.After = append(state.Done, t.name), "", nil
	return to.write(ctx, "copy rows", func(tx *gorm.DB) error { return putCopyState(tx, *state) })
}

// withoutOwn leaves out the rows that are about a database and not about what it
// keeps: how far a copy has come, and the row that probes writing.
func (t rawTable) withoutOwn(rows []rawRow) []rawRow {
	if t.name != (metaRow{}).TableName() {
		return rows
	}
	name := slices.Index(t.columns, "name")
	return slices.DeleteFunc(rows, func(r rawRow) bool { return r[name] == MetaCopy || r[name] == metaProbe })
}

// printKey writes the primary key of a row as texts.
func (t rawTable) printKey(row rawRow) ([]string, error) {
	key := make([]string, len(t.key))
	for n, place := range t.key {
		text, err := json.Marshal(row[place])
		if err != nil {
			return nil, err
		}
		key[n] = string(text)
	}
	return key, nil
}

// parseKey returns a row that has the primary key only.
func (t rawTable) parseKey(key []string) (rawRow, error) {
	if len(key) == 0 {
		return nil, nil
	}
	if len(key) != len(t.key) {
		return nil, fmt.Errorf("db: the copy was begun by another version of the program: table %s has another key", t.name)
	}
	row := make(rawRow, len(t.columns))
	for n, place := range t.key {
		var err error
		switch t.kinds[place] {
		case schema.Time:
			row[place], err = decodeAs[time.Time](key[n])
		case schema.Int, schema.Uint:
			row[place], err = decodeAs[int64](key[n])
		default:
			row[place], err = decodeAs[string](key[n])
		}
		if err != nil {
			return nil, fmt.Errorf("db: read how far table %s is copied: %w", t.name, err)
		}
	}
	return row, nil
}

func decodeAs[T any](text string) (v T, err error) {
	err = json.Unmarshal([]byte(text), &v)
	return v, err
}

func takeCopyState(tx *gorm.DB) (state copyState, found bool, err error) {
	row, err := takeMeta(tx, MetaCopy)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return state, false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(row.Content), &state)
	}
	return state, err == nil, err
}

func putCopyState(tx *gorm.DB, state copyState) error {
	content, err := json.Marshal(state)
	if err != nil {
		return err
	}
	row := metaRow{TenantID: assistants.DefaultTenant, Name: MetaCopy, Content: string(content)}
	return tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "name"}},
		DoUpdates: clause.AssignmentColumns([]string{"content"}),
	}).Create(&row).Error
}

// CountRows returns the number of rows of all tables together.
func (s *Store) CountRows(ctx context.Context) (int, error) {
	tables, err := s.rawTables()
	if err != nil {
		return 0, err
	}
	total := 0
	for _, t := range tables {
		var n int64
		if err := s.read(ctx).Table(t.name).Count(&n).Error; err != nil {
			return 0, s.wrap(ctx, "count rows", err)
		}
		total += int(n)
	}
	return total, nil
}

// A TableSum is the number of rows of a table and a checksum of them all, which does
// not depend on their order or on the kind of the database.
type TableSum struct {
	Rows int
	Sum  string
}

// Sums returns the checksum of every table. progress is called with the number of rows
// that were read.
func (s *Store) Sums(ctx context.Context, progress func(rows int)) (map[string]TableSum, error) {
	tables, err := s.rawTables()
	if err != nil {
		return nil, err
	}
	sums := make(map[string]TableSum, len(tables))
	for _, t := range tables {
		var total [4]uint64
		n := 0
		err := t.each(ctx, s, nil, func(rows []rawRow) error {
			progress(len(rows))
			for _, row := range t.withoutOwn(rows) {
				total = addDigests(total, t.digest(row))
				n++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		sums[t.name] = TableSum{n, hex.EncodeToString(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(
			binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, total[0]), total[1]), total[2]), total[3]))}
	}
	return sums, nil
}

// DifferentTables returns the names of the tables whose sums differ, in order.
func DifferentTables(a, b map[string]TableSum) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	return names
}

// digest is the SHA-256 of a row.
func (t rawTable) digest(row rawRow) [sha256.Size]byte {
	h := sha256.New()
	for n, v := range row {
		writePart(h, 'c', t.columns[n])
		switch v := v.(type) {
		case nil:
			writePart(h, '0', "")
		case string:
			writePart(h, 's', v)
		case int64:
			writeNumber(h, 'i', uint64(v))
		case float64:
			writeNumber(h, 'f', math.Float64bits(v))
		case bool:
			writePart(h, 'b', fmt.Sprint(v))
		case time.Time:
			writeNumber(h, 't', uint64(v.UnixMicro()))
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// writePart and writeNumber write so that no two different rows are written alike. A
// hash never fails.
func writePart(h hash.Hash, kind byte, text string) {
	writeNumber(h, kind, uint64(len(text)))
	_, _ = h.Write([]byte(text))
}

func writeNumber(h hash.Hash, kind byte, n uint64) {
	_, _ = h.Write(binary.BigEndian.AppendUint64([]byte{kind}, n))
}

// addDigests adds numbers of 256 bits.
func addDigests(total [4]uint64, digest [sha256.Size]byte) [4]uint64 {
	carry := uint64(0)
	for n := 3; n >= 0; n-- {
		total[n], carry = bits.Add64(total[n], binary.BigEndian.Uint64(digest[8*n:]), carry)
	}
	return total
}
