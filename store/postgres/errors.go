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
	uniqueViolation      = "23505"
	foreignKeyViolation  = "23503"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	undefinedTable       = "42P01"
	diskFull             = "53100"
	tooManyConnections   = "53300"
	readOnlyTransaction  = "25006"
	idleTooLong          = "25P03"
	queryCanceled        = "57014"
	adminShutdown        = "57P01"
	crashShutdown        = "57P02"
	cannotConnectNow     = "57P03" // it is starting
	noSuchDatabase       = "3D000"
	wrongPassword        = "28P01"
	leaseExpired         = "BG001" // of ours

	// The classes of codes, which they begin with.
	connectionClass    = "08"
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
	return hasCode(err, uniqueViolation, foreignKeyViolation, serializationFailure, deadlockDetected)
}

// isTemporary reports whether it helps to wait a little and connect again.
func isTemporary(err error) bool {
	if !errors.As(err, new(*pgconn.PgError)) {
		return !errors.As(err, new(*pgconn.ParseConfigError))
	}
	return hasCode(err, cannotConnectNow, tooManyConnections, adminShutdown, crashShutdown)
}

// isLost reports whether an error means that the connection is broken, or that its server cannot be written to. A new
// connection may work.
func isLost(err error) bool {
	if errors.As(err, new(*pgconn.PgError)) {
		return hasCode(err, shutdownClass, connectionClass, readOnlyTransaction, idleTooLong) && !hasCode(err, queryCanceled)
	}
	return !errors.Is(err, store.ErrNotFound) && (pgconn.SafeToRetry(err) || errors.As(err, new(*pgconn.ConnectError)) || isBroken(err))
}

// isBroken reports whether a connection has ended in the middle.
func isBroken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, new(*net.OpError)) ||
		pgconn.Timeout(err) || strings.Contains(err.Error(), "conn closed")
}

// undecided reports whether a transaction whose COMMIT failed with err may have been committed.
func undecided(err error) bool {
	if errors.As(err, new(*pgconn.PgError)) { // it was not, unless the server shut down
		return hasCode(err, shutdownClass)
	}
	return !pgconn.SafeToRetry(err) && !errors.Is(err, store.ErrUnreachable) && !errors.Is(err, store.ErrClosed)
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
	case errors.As(err, new(*pgconn.ConnectError)), errors.Is(err, context.DeadlineExceeded), isLost(err):
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
			if all := several.Unwrap(); len(all) > 0 {
				inner = all[len(all)-1]
			}
		}
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
