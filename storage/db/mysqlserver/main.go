// Command mysqlserver is a server with the language of MySQL 8, for tests: it keeps its
// databases in memory. It is a module of its own, so that what it needs stays out of
// go.mod. Its argument is the address at which it listens.
package main

import (
	"fmt"
	"os"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: mysqlserver HOST:PORT")
		os.Exit(2)
	}
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(address string) error {
	// A session of MySQL has this variable; here only the server has it.
	const waits = "innodb_lock_wait_timeout"
	sql.SystemVariables.AddSystemVariables([]sql.SystemVariable{&sql.MysqlSystemVariable{
		Name: waits, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Both), Dynamic: true,
		Type: types.NewSystemIntType(waits, 1, 1<<30, false), Default: int64(50),
	}})
	databases := memory.NewDBProvider(memory.NewDatabase("mysql_admin"))
	s, err := server.NewServer(server.Config{Protocol: "tcp", Address: address}, sqle.NewDefault(databases),
		sql.NewContext, memory.NewSessionBuilder(databases), nil)
	if err != nil {
		return err
	}
	return s.Start()
}
