package db

import (
	"context"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	mssql "github.com/microsoft/go-mssqldb"

	"footnote/assistants"
)

// Numbers of errors of SQL Server. The driver has no names for them.
const (
	sqlserverNoRight      = 262
	sqlserverDeadlock     = 1205
	sqlserverLockTimeout  = 1222
	sqlserverDuplicateRow = 2601 // in an index
	sqlserverDuplicateKey = 2627
	sqlserverNoDatabase   = 4060
	sqlserverLogin        = 18456
	sqlserverChanged      = 3960 // since a snapshot
	// sqlserverFatal is the class from which on an error ends the connection, and
	// sqlserverTroubled the one from which on it is not about the statement.
	sqlserverFatal    = 20
	sqlserverTroubled = 17
)

// sqlserverAway are the numbers of errors of lower classes that are not about the
// statement: no right to log in, no database, timeouts, a read-only or full server.
var sqlserverAway = map[int32]bool{
	sqlserverDeadlock: true, sqlserverLockTimeout: true, sqlserverNoDatabase: true, sqlserverLogin: true, sqlserverChanged: true,
	3906: true, 3908: true, // read-only
	18452: true, 18470: true, 18486: true, 18487: true, 18488: true, 17142: true, 916: true, // the user may not log in, or not now
	927: true, 942: true, 976: true, 978: true, 983: true, // the database is restored, offline, or elsewhere
	10928: true, 10929: true, 40197: true, 40501: true, 40613: true, 49918: true, 49919: true, 49920: true, // Azure is busy
}

// sqlserverNumber returns the number of an error that the server reported.
func sqlserverNumber(err error) (number int32, ok bool) {
	var e mssql.Error
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.Number, true
}

// sqlserverLost reports whether a statement got no answer because the connection
// broke or could not be made.
func sqlserverLost(err error) bool {
	var fatal mssql.ServerError
	var stream mssql.StreamError
	var network net.Error
	var said mssql.Error
	switch {
	case errors.As(err, &fatal) || errors.As(err, &stream) || errors.Is(err, driver.ErrBadConn):
		return true
	case errors.As(err, &said):
		return said.Class >= sqlserverFatal
	}
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// sqlserverRetryable reports an error after which a transaction certainly had no effect
// and may succeed when it is run again. It is not for errors of a commit.
func sqlserverRetryable(err error) bool {
	number, _ := sqlserverNumber(err)
	return number == sqlserverDeadlock || number == sqlserverChanged || sqlserverLost(err)
}

// sqlserverOutcomeUnknown reports an error of a commit that the server did not answer. If
// the context ended before, database/sql does not send the commit and returns the
// context's own error.
func sqlserverOutcomeUnknown(err error) bool {
	if err == context.Canceled || err == context.DeadlineExceeded || errors.Is(err, sql.ErrTxDone) { //nolint:errorlint // drivers wrap theirs
		return false
	}
	_, answered := sqlserverNumber(err)
	return !answered || sqlserverLost(err)
}

func sqlserverUnavailable(err error) bool {
	var said mssql.Error
	if errors.As(err, &said) {
		return said.Class >= sqlserverTroubled || sqlserverAway[said.Number] || sqlserverLost(err)
	}
	return sqlserverLost(err) || errors.Is(err, sql.ErrTxDone)
}

// sqlserverConstraint looks for the name of an index in the message, because the server
// says it nowhere else, and in another place in every language.
func sqlserverConstraint(err error) string {
	var said mssql.Error
	if !errors.As(err, &said) {
		return ""
	}
	for name := range refusals {
		if strings.Contains(said.Message, "'"+name+"'") {
			return name
		}
	}
	return ""
}

// sqlserverUnreachable explains in one sentence why connecting failed, because the
// remedy depends on the cause.
func sqlserverUnreachable(err error, o sqlserverOptions) error {
	why := "it cannot be reached at " + o.at + ": " + strings.Join(strings.Fields(err.Error()), " ")
	number, said := sqlserverNumber(err)
	var dns *net.DNSError
	var network net.Error
	var unknownAuthority x509.UnknownAuthorityError
	var otherHost x509.HostnameError
	switch {
	case number == sqlserverLogin || number == 18452 || number == 18470:
		why = fmt.Sprintf("the server at %s refuses the user %q or its password, or its access to the database %q", o.at, o.user, o.database)
	case number == sqlserverNoDatabase:
		why = fmt.Sprintf("the server at %s has no database %q for this user; create it first, and a user in it", o.at, o.database)
	case errors.As(err, &unknownAuthority) || errors.As(err, &otherHost) || strings.Contains(err.Error(), "x509: "):
		why = fmt.Sprintf("the certificate of the server at %s is not trusted; name its authority with certificate=, or set trust_server_certificate=true", o.at)
	case errors.As(err, &dns):
		why = fmt.Sprintf("the name of its server, %s, is not known", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		why = fmt.Sprintf("nothing listens at %s; start the server, or correct the address", o.at)
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, assistants.ErrDatabaseUnavailable) || errors.As(err, &network) && network.Timeout():
		why = fmt.Sprintf("the server at %s does not answer", o.at)
	case !said:
		why += "; see whether what listens there is a SQL Server, or correct the address"
	}
	return fmt.Errorf("%w: %s", assistants.ErrDatabaseUnavailable, why)
}
