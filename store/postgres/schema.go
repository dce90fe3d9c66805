package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"bugle/store"
)

//go:embed schema.sql
var schema string

// schemaVersion is the version of the tables in schema.sql.
const schemaVersion = 5

// schemaLock is the number of the advisory lock that one process holds while it makes the tables.
const schemaLock = 0x6275676c65 // "bugle"

// ErrNoTables says that a database does not have the tables of bugle.
var ErrNoTables = errors.New("this database does not have the tables of bugle; create them with `bugle init`")

// version returns the version of the tables; ErrNoTables where there are none.
func version(ctx context.Context, conn *pgx.Conn) (have int, err error) {
	err = conn.QueryRow(ctx, "SELECT version FROM bugle_schema ORDER BY version DESC LIMIT 1").Scan(&have)
	if hasCode(err, undefinedTable) || errors.Is(err, pgx.ErrNoRows) {
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
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(%d)", schemaLock)); err != nil {
			return err
		}
		made := false // by another process, meanwhile
		if err := tx.QueryRow(ctx, "SELECT to_regclass('bugle_schema') IS NOT NULL").Scan(&made); err != nil || made {
			return err
		}
		if _, err := tx.Exec(ctx, schema); err != nil {
			return fmt.Errorf("create the tables: %w", err)
		}
		_, err := tx.Exec(ctx, "INSERT INTO bugle_schema (version) VALUES ($1)", schemaVersion)
		return err
	})
	if err != nil {
		return err
	}
	return checkTables(ctx, conn, false)
}
