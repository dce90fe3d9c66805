package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"bugle/store"
)

// Codes of errors (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
	lockNotAvailable    = "55P03"
	undefinedTable      = "42P01"
	duplicateTable      = "42P07"
	diskFull            = "53100"
	tooManyConnections  = "53300"
	readOnlyTransaction = "25006"
	noSuchDatabase      = "3D000"
	wrongPassword       = "28P01"
	leaseExpired        = "BG001" // of ours

	// The classes of codes, which they begin with.
	rollbackClass      = "40" // deadlocks
	authorizationClass = "28"
	shutdownClass      = "57"
)

// hasCode reports whether an error of the server has one of the codes.
func hasCode(err error, codes ...string) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	for _, code := range codes {
		if strings.HasPrefix(pg.Code, code) {
			return true
		}
	}
	return false
}

// isConflict reports whether to retry a failed transaction because it conflicted with another one.
func isConflict(err error) bool {
	return hasCode(err, uniqueViolation, foreignKeyViolation, rollbackClass)
}

// explain returns an error of the database in words, without what may be secret.
func (d *DB) explain(err error) error {
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case hasCode(err, diskFull):
		return fmt.Errorf("%w: %s", store.ErrDiskFull, reason(err))
	case hasCode(err, leaseExpired):
		return store.ErrLeaseExpired
	case hasCode(err, lockNotAvailable):
		return fmt.Errorf("%w: another transaction holds the record", store.ErrBusy)
	case hasCode(err, undefinedTable):
		return ErrNoTables
	case hasCode(err, shutdownClass, tooManyConnections, readOnlyTransaction):
		return fmt.Errorf("%w at %s: %s", store.ErrUnreachable, Redact(d.o.URL), reason(err))
	case hasCode(err, wrongPassword):
		return fmt.Errorf("the database at %s refused the connection: %s; set the password with PGPASSWORD or in ~/.pgpass", Redact(d.o.URL), reason(err))
	case hasCode(err, authorizationClass, noSuchDatabase):
		return fmt.Errorf("the database at %s refused the connection: %s", Redact(d.o.URL), reason(err))
	case errors.As(err, &pg):
		return fmt.Errorf("the database refused: %s (SQLSTATE %s)", pg.Message, pg.Code)
	case errors.As(err, new(*pgconn.ConnectError)), errors.As(err, new(net.Error)), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w at %s: %s", store.ErrUnreachable, Redact(d.o.URL), reason(err))
	}
	return err
}

// reason returns the innermost cause of an error, in words. What is around it may have the URL.
func reason(err error) string {
	var pg *pgconn.PgError
	var dns *net.DNSError
	switch {
	case errors.As(err, &pg):
		return pg.Message
	case errors.As(err, &dns):
		return dns.Err
	case errors.Is(err, context.DeadlineExceeded):
		return "it does not answer"
	}
	for {
		inner := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // one level after the other
			all := several.Unwrap()
			inner = all[len(all)-1]
		}
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
