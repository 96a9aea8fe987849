package db

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"footnote/assistants"
)

// Sizes of a page of a list.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

func pageSize(l assistants.List) int {
	if l.Limit <= 0 {
		return defaultLimit
	}
	return min(l.Limit, maxLimit)
}

// position is the key of the last item on a page. Paging by key neither skips
// nor repeats items when others are added or removed meanwhile.
type position struct {
	at time.Time
	id string
}

func (p position) cursor() string {
	return encodeCursor(strconv.FormatInt(p.at.UnixMicro(), 10), p.id)
}

// afterCursor restricts a query over a table with created_at and id to the rows after
// the cursor, in order, with one more than the page holds.
func afterCursor(tx *gorm.DB, l assistants.List) (*gorm.DB, error) {
	// Name the table, because joined tables may have the same columns.
	created := clause.Column{Table: clause.CurrentTable, Name: "created_at"}
	id := clause.Column{Table: clause.CurrentTable, Name: "id"}
	tx = tx.Order(clause.OrderByColumn{Column: created}).Order(clause.OrderByColumn{Column: id}).Limit(pageSize(l) + 1)
	if l.Cursor == "" {
		return tx, nil
	}
	micros, last, err := decodeCursor(l.Cursor)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return nil, badCursor()
	}
	at := time.UnixMicro(n).UTC()
	return tx.Where("? > ? OR (? = ? AND ? > ?)", created, at, created, at, id, last), nil
}

// listRows reads a page of the rows that tx selects and converts them.
func listRows[R, T any](ctx context.Context, s *Store, tx *gorm.DB, l assistants.List, key func(R) position, convert func(R) (T, error)) ([]T, string, error) {
	tx, err := afterCursor(tx, l)
	if err != nil {
		return nil, "", err
	}
	var rows []R
	if err := tx.Find(&rows).Error; err != nil {
		return nil, "", s.wrap(ctx, "list", err)
	}
	rows, next := page(rows, l, func(r R) string { return key(r).cursor() })
	items := make([]T, len(rows))
	for i, r := range rows {
		if items[i], err = convert(r); err != nil {
			return nil, "", s.wrap(ctx, "list", err)
		}
	}
	return items, next, nil
}

// page removes the extra item and returns the cursor of the next page.
func page[T any](items []T, l assistants.List, key func(T) string) ([]T, string) {
	size := pageSize(l)
	if len(items) <= size {
		return items, ""
	}
	return items[:size], key(items[size-1])
}

func encodeCursor(first, second string) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s %s", first, second))
}

func decodeCursor(cursor string) (first, second string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", "", badCursor()
	}
	first, second, ok := strings.Cut(string(raw), " ")
	if !ok || !looksLikeID(second) {
		return "", "", badCursor()
	}
	return first, second, nil
}

// looksLikeID reports whether s could be an id or a number, which is all that cursors
// contain.
func looksLikeID(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func badCursor() error {
	return &assistants.FieldError{Field: "cursor", Message: "The cursor is not one that this server gave out."}
}
