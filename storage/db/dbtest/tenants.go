// Package dbtest checks the statements that tests send to a database: each must
// name the tenant that it serves. It is for tests only and imports nothing of
// this module.
package dbtest

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
)

// TenantGuard is a log for a database that fails the test at every statement
// that does not name the tenant; see [NamesTenant].
func TenantGuard(t testing.TB) *slog.Logger { return slog.New(tenantGuard{t}) }

type tenantGuard struct{ t testing.TB }

// Enabled implements slog.Handler.
func (tenantGuard) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (g tenantGuard) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if r.Message == "statement" && a.Key == "sql" {
			if err := NamesTenant(a.Value.String()); err != nil {
				g.t.Error(err)
			}
		}
		return true
	})
	return nil
}

// WithAttrs implements slog.Handler.
func (g tenantGuard) WithAttrs([]slog.Attr) slog.Handler { return g }

// WithGroup implements slog.Handler.
func (g tenantGuard) WithGroup(string) slog.Handler { return g }

// forAllTenants are the statements that serve every tenant, and why.
var forAllTenants = []*regexp.Regexp{
	// A key determines the tenant.
	regexp.MustCompile(`^SELECT \* FROM api_keys WHERE prefix = \? LIMIT (1|\?)$`),
	// Workers process the jobs of all tenants; a job names its tenant.
	regexp.MustCompile(`^SELECT (\*|count\(\*\)) FROM jobs( WHERE (\(?not_before <= .*|kind IN \([?,]*\)))?$`),
	regexp.MustCompile(`^SELECT COALESCE\((MIN|MAX)\(turn\), ?0\) AS turn FROM jobs WHERE priority = \?( AND lease_until IS NULL AND not_before <= \?)?$`),
	regexp.MustCompile(`^(UPDATE jobs SET .*|DELETE FROM jobs) WHERE id = \? AND revision = \?$`),
	// Metrics count the documents of the whole installation.
	regexp.MustCompile(`^SELECT status, ?COUNT\(\*\) AS total FROM documents GROUP BY status$`),
	// The index is compared with all live versions.
	regexp.MustCompile(`^SELECT .* FROM documents JOIN .* WHERE documents\.live > 0 AND documents\.id > \? ORDER BY documents\.id LIMIT (100|\?)$`),
	// The sweep looks for files without a document.
	regexp.MustCompile(`^SELECT blob_key FROM document_versions WHERE blob_key IN \([?,]*\)$`),
	// Old events of the audit log are removed for all tenants, one after the other.
	regexp.MustCompile(`^SELECT tenant_id,created_at FROM audit_events (WHERE tenant_id > \? )?ORDER BY tenant_id, ?created_at LIMIT (\d+|\?)$`),
	// Events of all tenants are written together; their ids are new.
	regexp.MustCompile(`^SELECT id FROM audit_events WHERE id IN \([?,]+\)$`),
	regexp.MustCompile(`^DELETE FROM audit_events WHERE id IN \([?,]+\)$`),
	regexp.MustCompile(`^DELETE FROM usage_hours WHERE begins_at < \?$`),
	// So are old counts of months.
	regexp.MustCompile(`^DELETE FROM limit_months WHERE begins_at < \?$`),
	regexp.MustCompile(`^DELETE FROM limit_minutes WHERE told_at < \?$`),
	// At its start the server ends the runs that its predecessor left running.
	regexp.MustCompile(`^SELECT tenant_id,id FROM eval_runs WHERE status = \?$`),
	// Old answers are removed for all tenants, assistant by assistant.
	regexp.MustCompile(`^SELECT DISTINCT tenant_id,assistant_id FROM history_threads$`),
	// Reserved requests of all tenants expire.
	regexp.MustCompile(`^DELETE FROM idempotency_keys WHERE expires_at <= \?$`),
	// So do streams of searches.
	regexp.MustCompile(`^DELETE FROM search_stream_events WHERE stream_id IN \(SELECT id FROM search_streams WHERE expires_at <= \?\)$`),
	regexp.MustCompile(`^DELETE FROM search_streams WHERE expires_at <= \?$`),
	// At its start the server checks that it can decrypt every secret.
	regexp.MustCompile(`^SELECT \* FROM upstreams( WHERE upstreams\.id > \?)? ORDER BY upstreams\.id LIMIT (500|\?)$`),
	// Only a query beyond the tenant shows that an index returned another
	// tenant's document. It returns only ids that were passed in.
	regexp.MustCompile(`^SELECT id,tenant_id,collection_id FROM documents WHERE id IN \([?,]+\) AND \(?NOT EXISTS \(SELECT 1 FROM jobs WHERE jobs\.document_id = documents\.id AND jobs\.kind = \? AND jobs\.version = 0\)\)?$`),
	// Facts about the installation, not about a tenant.
	regexp.MustCompile(`^(SELECT .* FROM|INSERT INTO|UPDATE) meta\b`),
}

var (
	// superseding is what a document is superseded by, in its own collection. Whose document
	// it is, the rest of the statement says.
	superseding = regexp.MustCompile(`\(SELECT MAX\(newer\.id\) FROM documents newer WHERE newer\.supersedes = documents\.id AND newer\.collection_id = documents\.collection_id\)`)
	quoted      = strings.NewReplacer("`", "", `"`, "", "\n", " ")
	numbered    = regexp.MustCompile(`\$\d+\$?`)
	columns     = regexp.MustCompile(`^INSERT (?:OR ROLLBACK )?INTO \w+ \(([\w,]*)\)`)
	tail        = regexp.MustCompile(` (ORDER BY|GROUP BY|LIMIT) .*$`)
	namesTenant = regexp.MustCompile(`^((\w+\.)?tenant_id|COALESCE\((\w+\.)?tenant_id, ''\)) = \?$`)
)

// NamesTenant returns an error for a statement whose condition does not fix the
// tenant. It applies to every table, so that a new one is not forgotten.
func NamesTenant(sql string) error {
	text := superseding.ReplaceAllString(numbered.ReplaceAllString(quoted.Replace(sql), "?"), "NULL")
	for _, allowed := range forAllTenants {
		if allowed.MatchString(text) {
			return nil
		}
	}
	if m := columns.FindStringSubmatch(text); m != nil {
		if !strings.Contains(","+m[1]+",", ",tenant_id,") {
			return fmt.Errorf("a row without a tenant: %s", text)
		}
		return nil
	}
	_, where, _ := strings.Cut(text, " WHERE ")
	where = tail.ReplaceAllString(where, "")
	for _, c := range conjuncts(where) {
		if namesTenant.MatchString(c) {
			return nil
		}
	}
	return fmt.Errorf("no tenant in the condition of: %s", text)
}

// conjuncts returns the parts of a condition that are joined by AND.
func conjuncts(condition string) []string {
	condition = strings.TrimSpace(condition)
	if len(split(condition, " OR ")) > 1 {
		return []string{condition}
	}
	parts := split(condition, " AND ")
	if len(parts) == 1 {
		if inner, ok := strings.CutPrefix(condition, "("); ok && strings.HasSuffix(inner, ")") {
			return conjuncts(strings.TrimSuffix(inner, ")"))
		}
		return parts
	}
	var all []string
	for _, p := range parts {
		all = append(all, conjuncts(p)...)
	}
	return all
}

// split splits a condition at a word outside parentheses.
func split(condition, word string) (parts []string) {
	depth, from := 0, 0
	for i := range len(condition) {
		switch condition[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && strings.HasPrefix(condition[i:], word) {
			parts, from = append(parts, condition[from:i]), i+len(word)
		}
	}
	return append(parts, condition[from:])
}
