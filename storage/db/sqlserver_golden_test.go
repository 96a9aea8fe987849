package db_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"footnote/storage/db"
)

var update = flag.Bool("update", false, "write what was sent as what is to be sent")

// most is how many parameters a statement may have on SQL Server: 2,100, two of which
// the driver needs.
const most = 2098

// The contract holds for what is sent to SQL Server, and what is sent is what
// testdata/sqlserver has: each statement once, by group of the contract. SQLite answers
// in the server's place.
func TestSQLServerIsSentWhatTheGoldenFilesHave(t *testing.T) {
	var mu sync.Mutex
	sent := map[string]map[string]bool{}
	t.Run("contract", func(t *testing.T) {
		runContract(t, func(t *testing.T) contract {
			group := strings.ReplaceAll(strings.Split(t.Name(), "/")[2], " ", "_")
			return db.OpenAsSQLServer(t, db.Options{}, func(statement string, parameters int) {
				if parameters > most {
					t.Errorf("%d parameters: %.300s", parameters, statement)
				}
				mu.Lock()
				defer mu.Unlock()
				if sent[group] == nil {
					sent[group] = map[string]bool{}
				}
				sent[group][readable(statement)] = true
			})
		})
	})
	t.Cleanup(func() { // when the parallel tests have ended
		if t.Failed() {
			return
		}
		for group, statements := range sent {
			var list []string
			for s := range statements {
				list = append(list, s)
			}
			slices.Sort(list)
			compareGolden(t, filepath.Join("testdata", "sqlserver", group+".sql"), strings.Join(list, "\n\n")+"\n")
		}
		known, err := filepath.Glob(filepath.Join("testdata", "sqlserver", "*.sql"))
		if err != nil || len(known) != len(sent) {
			t.Errorf("%d groups, and the files %v, %v", len(sent), known, err)
		}
	})
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Error(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		missing, fresh := difference(string(want), got), difference(got, string(want))
		t.Errorf("%s differs, %v; look at it and run the test with -update.\nno more sent:\n%s\nsent:\n%s", path, err, missing, fresh)
	}
}

// difference lists the statements that only the first of two files has.
func difference(a, b string) string {
	others := strings.Split(b, "\n\n")
	return strings.Join(slices.DeleteFunc(strings.Split(a, "\n\n"), func(s string) bool { return slices.Contains(others, s) }), "\n\n")
}

var (
	rowAfterRow = regexp.MustCompile(`(\(@p[^()]*\))(,\(@p[^()]*\))+`)
	longList    = regexp.MustCompile(`\((@p\d+)(,@p\d+)+\)`)
	inAList     = regexp.MustCompile(` IN \(@p\d+(,…)?\)`)
	clauses     = regexp.MustCompile(`\s+(FROM|(?:LEFT )?JOIN|WHERE|GROUP BY|ORDER BY|SET|USING|WHEN|ON|VALUES) `)
	oneVerb     = regexp.MustCompile(`(DELETE|UPDATE)\n  `)
)

// readable is a statement as the golden files have it: lists of any length are alike,
// and clauses begin lines.
func readable(statement string) string {
	statement = rowAfterRow.ReplaceAllString(statement, "$1,…")
	if strings.Contains(statement, " IN (") {
		statement = longList.ReplaceAllString(statement, "($1,…)")
		statement = inAList.ReplaceAllString(statement, " IN (@p1,…)")
	}
	return oneVerb.ReplaceAllString(clauses.ReplaceAllString(strings.TrimSpace(statement), "\n  $1 "), "$1 ")
}
