package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"footnote/assistants"
)

// Codes of errors of MySQL and MariaDB. The drivers have no names for them.
const (
	mysqlTableExists      = 1050
	mysqlDuplicateColumn  = 1060
	mysqlDuplicateIndex   = 1061
	mysqlNoSuchIndex      = 1091
	mysqlTooManyConns     = 1040
	mysqlAccessToDatabase = 1044
	mysqlAccess           = 1045
	mysqlNoDatabase       = 1049
	mysqlShutdown         = 1053
	mysqlUnknown          = 1105
	mysqlNoRight          = 1142
	mysqlPacketTooLarge   = 1153
	mysqlDeadlock         = 1213
	mysqlChangedSinceRead = 1020
)

// mysqlAway are the codes of errors that are not about the statement: no connection,
// no resources, no right to log in, timeouts, a read-only server.
var mysqlAway = map[uint16]bool{
	mysqlTooManyConns: true, mysqlAccessToDatabase: true, mysqlAccess: true, mysqlNoDatabase: true, mysqlShutdown: true,
	mysqlDeadlock: true, mysqlChangedSinceRead: true,
	1021: true, 1030: true, 1037: true, 1038: true, 1041: true, 1114: true, // disk or memory full, storage engine
	1129: true, 1130: true, 1203: true, 1226: true, 1698: true, // the host or the user may not connect, or not so often
	1180: true, 1181: true, // a commit or a rollback failed
	1205: true, 1317: true, 1969: true, 3024: true, // waited or took too long, interrupted
	1290: true, 1792: true, 1836: true, // read-only
}

// mysqlLostCodes are the codes of errors after which the connection is gone.
var mysqlLostCodes = map[uint16]bool{
	mysqlShutdown: true, 1080: true, 1152: true, 1158: true, 1159: true, 1160: true, 1161: true,
	1927: true, 3169: true, 4031: true, // killed, or closed because it was idle
}

// mysqlCode returns the code of an error that the server reported.
func mysqlCode(err error) (code uint16, ok bool) {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.Number, true
}

// mysqlLost reports whether a statement got no answer because the connection broke
// or could not be made.
func mysqlLost(err error) bool {
	if code, ok := mysqlCode(err); ok {
		return mysqlLostCodes[code]
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, mysql.ErrMalformPkt) || errors.Is(err, mysql.ErrPktSync)
}

// mysqlRetryable reports an error after which a transaction certainly had no effect
// and may succeed when it is run again. It is not for errors of a commit.
func mysqlRetryable(err error) bool {
	code, _ := mysqlCode(err)
	return code == mysqlDeadlock || code == mysqlChangedSinceRead || mysqlLost(err)
}

// mysqlOutcomeUnknown reports an error of a commit that the server did not answer. If
// the context ended before, database/sql does not send the commit and returns the
// context's own error.
func mysqlOutcomeUnknown(err error) bool {
	if err == context.Canceled || err == context.DeadlineExceeded || errors.Is(err, sql.ErrTxDone) { //nolint:errorlint // drivers wrap theirs
		return false
	}
	code, answered := mysqlCode(err)
	return !answered || mysqlLostCodes[code] || code == 1317
}

// mysqlTooLarge marks the errors that mean that a value is larger than the server takes.
func mysqlTooLarge(err error) error {
	// The server has no code of its own for such a parameter.
	if code, _ := mysqlCode(err); code == mysqlPacketTooLarge || code == mysqlUnknown {
		return fmt.Errorf("%w: %w", mysql.ErrPktTooLarge, err)
	}
	return err
}

func mysqlUnavailable(err error) bool {
	if code, ok := mysqlCode(err); ok {
		return mysqlAway[code] || mysqlLostCodes[code]
	}
	return mysqlLost(err) || errors.Is(err, sql.ErrTxDone)
}

// mysqlConstraint reads the name of the index from the message, because the server
// says it nowhere else: "… for key 'table.index'", on MariaDB without the table.
func mysqlConstraint(err error) string {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return ""
	}
	parts := strings.Split(e.Message, "'")
	if len(parts) < 3 {
		return ""
	}
	name := parts[len(parts)-2]
	return name[strings.LastIndexByte(name, '.')+1:]
}

// mysqlUnreachable explains in one sentence why connecting failed, because the remedy
// depends on the cause.
func mysqlUnreachable(err error, config *mysql.Config) error {
	at := config.Addr
	var dns *net.DNSError
	code, _ := mysqlCode(err)
	why := "it cannot be reached at " + at + ": " + strings.Join(strings.Fields(err.Error()), " ")
	var network net.Error
	switch {
	case code == mysqlAccess || code == mysqlAccessToDatabase || code == 1698:
		why = fmt.Sprintf("the server at %s refuses the user %q or its password, or its access to the database %q", at, config.User, config.DBName)
	case code == 1129 || code == 1130:
		why = fmt.Sprintf("the server at %s accepts no connection of this machine", at)
	case code == mysqlNoDatabase:
		why = fmt.Sprintf("the server at %s has no database %q; create it first", at, config.DBName)
	case code == mysqlTooManyConns || code == 1203 || code == 1226:
		why = fmt.Sprintf("the server at %s has no connection left; raise its max_connections, or lower pool_max_conns", at)
	case code == mysqlShutdown:
		why = fmt.Sprintf("the server at %s is starting or stopping; try again", at)
	case errors.As(err, &dns):
		why = fmt.Sprintf("the name of its server, %s, is not known", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		why = fmt.Sprintf("nothing listens at %s; start the server, or correct the address", at)
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, assistants.ErrDatabaseUnavailable) || errors.As(err, &network) && network.Timeout():
		why = fmt.Sprintf("the server at %s does not answer", at)
	}
	return fmt.Errorf("%w: %s", assistants.ErrDatabaseUnavailable, why)
}
