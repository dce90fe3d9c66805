package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"bugle/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// compatible is the lowest version of the tables that programs must know to work with those of this program. A migration
// that only adds leaves it, so that servers can be updated one after the other.
const compatible = 1

// migrationLock is the number of the advisory lock that one process holds while it changes the tables.
const migrationLock = 0x6275676c65 // "bugle"

// steps returns the migrations in their order.
func steps() ([]string, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	out := make([]string, len(names))
	for i, name := range names {
		if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "migrations/"), ".sql")); err != nil || n != i+1 {
			return nil, fmt.Errorf("%s is not migration %d", name, i+1)
		}
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out[i] = string(text)
	}
	return out, nil
}

// ErrNoTables says that a database does not have the tables of bugle.
var ErrNoTables = errors.New("this database does not have the tables of bugle; create them with `bugle init`")

// version returns the version of the tables, and the lowest that programs must know; ErrNoTables where there are none.
func version(ctx context.Context, q querier) (have, needs int, err error) {
	err = q.QueryRow(ctx, "SELECT version, compatible FROM bugle_schema ORDER BY version DESC LIMIT 1").Scan(&have, &needs)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == undefinedTable || errors.Is(err, pgx.ErrNoRows) {
		err = ErrNoTables
	}
	return have, needs, err
}

// querier is a connection, a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// migrate brings the tables to the version of this program, where they are older. It makes them where there are none and
// create is set. Processes that do so at once wait for each other.
func migrate(ctx context.Context, conn *pgx.Conn, create bool) error {
	all, err := steps()
	if err != nil {
		return err
	}
	have, needs, err := version(ctx, conn)
	switch {
	case errors.Is(err, ErrNoTables) && !create:
		return err
	case err != nil && !errors.Is(err, ErrNoTables):
		return err
	case err == nil && needs > len(all):
		return store.ErrNewerVersion
	case err == nil && have >= len(all):
		return nil
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = 0"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS bugle_schema (
		version int PRIMARY KEY, compatible int NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`); err != nil {
		return err
	}
	if have, _, err = version(ctx, tx); errors.Is(err, ErrNoTables) {
		have = 0
	} else if err != nil {
		return err
	}
	for n := have; n < len(all); n++ {
		if _, err := tx.Exec(ctx, all[n]); err != nil {
			return fmt.Errorf("migration %d: %w", n+1, err)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO bugle_schema (version, compatible) VALUES ($1, $2)", n+1, compatible); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}
