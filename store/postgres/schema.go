package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"bugle/store"
)

//go:embed schema.sql
var schema string

// schemaVersion is the version of the tables in schema.sql.
const schemaVersion = 4

// schemaLock is the number of the advisory lock that one process holds while it makes the tables.
const schemaLock = 0x6275676c65 // "bugle"

// ErrNoTables says that a database does not have the tables of bugle.
var ErrNoTables = errors.New("this database does not have the tables of bugle; create them with `bugle init`")

// version returns the version of the tables; ErrNoTables where there are none.
func version(ctx context.Context, q interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (have int, err error) {
	err = q.QueryRow(ctx, "SELECT version FROM bugle_schema ORDER BY version DESC LIMIT 1").Scan(&have)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == undefinedTable || errors.Is(err, pgx.ErrNoRows) {
		err = ErrNoTables
	}
	return have, err
}

// checkTables refuses tables of another version. It makes them where there are none and create is set. Processes that do
// so at once wait for each other.
func checkTables(ctx context.Context, conn *pgx.Conn, create bool) error {
	have, err := version(ctx, conn)
	switch {
	case errors.Is(err, ErrNoTables) && create:
		return createTables(ctx, conn)
	case err != nil:
		return err
	case have > schemaVersion:
		return store.ErrNewerVersion
	case have < schemaVersion:
		return fmt.Errorf("the tables of this database have version %d, which was never released, and this program works with %d; make a backup with the program that made them, and restore it into an empty database", have, schemaVersion)
	}
	return nil
}

func createTables(ctx context.Context, conn *pgx.Conn) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = 0"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", schemaLock); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS bugle_schema (version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"); err != nil {
		return err
	}
	if _, err := version(ctx, tx); !errors.Is(err, ErrNoTables) { // another process has made them meanwhile
		return errors.Join(err, tx.Rollback(ctx), checkTables(ctx, conn, false))
	}
	if _, err := tx.Exec(ctx, schema); err != nil {
		return fmt.Errorf("create the tables: %w", err)
	}
	if _, err := tx.Exec(ctx, "INSERT INTO bugle_schema (version) VALUES ($1)", schemaVersion); err != nil {
		return err
	}
	return tx.Commit(ctx)
}
