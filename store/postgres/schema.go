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
const schemaVersion = 8

// schemaLock is the number of the advisory lock that one process holds while it makes the tables.
const schemaLock = 0x6275676c65 // "bugle"

// ErrNoTables says that a database does not have the tables of bugle.
var ErrNoTables = errors.New("this database does not have the tables of bugle; create them with `bugle init`")

// checkTables refuses tables of another version. It makes them where there are none and create is set.
func checkTables(ctx context.Context, conn *pgx.Conn, create bool) error {
	var have int
	err := conn.QueryRow(ctx, "SELECT version FROM bugle_schema").Scan(&have)
	switch {
	case hasCode(err, undefinedTable) && create:
		// These statements are one transaction. It waits for another process that does the same.
		_, err = conn.Exec(ctx, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d); %s; INSERT INTO bugle_schema (version) VALUES (%d)", schemaLock, schema, schemaVersion))
		if err != nil && !hasCode(err, duplicateTable) {
			return fmt.Errorf("create the tables: %w", err)
		}
		return checkTables(ctx, conn, false)
	case err != nil:
		return err
	case have > schemaVersion:
		return store.ErrNewerVersion
	case have < schemaVersion:
		return fmt.Errorf("the tables of this database have version %d, which was never released, and this program works with %d; make a backup with the program that made them, and restore it into an empty database", have, schemaVersion)
	}
	return nil
}
