package kv

import (
	"context"
	"errors"
	"fmt"

	"bugle/store"
	"bugle/store/internal/wire"
)

// Format is the format number that this package writes. Since format 2, the settings of a workspace and its API keys
// have copies ([WorkspaceSettings.PutSettings]). Since format 3, every filter nested in an action has a type
// ([WorkspaceTx.Upgrade]).
const Format = 3

type storeFormat struct {
	Format int `json:"format"`
}

// migrations upgrade a store to the next format, by the number of the old one. A migration may use several
// transactions, and restarts from the beginning if the process ends before it completes, so it must accept a partly
// migrated store.
var migrations = map[int]func(context.Context, DB) error{1: copyAllSettings, 2: addFilterTypes}

// Prepare prepares an opened store for use: it writes the format number into a new store, migrates an older one to
// [Format], and refuses a newer one with [store.ErrNewerVersion]. Implementations of [DB] call it before they return
// the store.
func Prepare(ctx context.Context, db DB) error {
	have, err := format(ctx, db)
	if err != nil {
		return err
	}
	if have > Format {
		return fmt.Errorf("%w (its format is %d, and this version reads up to %d)", store.ErrNewerVersion, have, Format)
	}
	err = migrate(ctx, db, have, Format, migrations)
	if errors.Is(err, store.ErrDiskFull) {
		return nil // no migration so far changes how records are read: use the store as it is, and let the next open migrate it
	}
	return err
}

// migrate brings a store from one format to another and records each completed step.
func migrate(ctx context.Context, db DB, from, to int, steps map[int]func(context.Context, DB) error) error {
	for ; from < to; from++ {
		step := steps[from]
		if step == nil {
			return fmt.Errorf("this version cannot read stores of format %d; open the store once with an earlier version of bugle", from)
		}
		if err := step(ctx, db); err != nil {
			return fmt.Errorf("upgrading the store from format %d to %d: %w", from, from+1, err)
		}
		if err := db.Update(ctx, func(tx Tx) error { return writeFormat(tx, from+1) }); err != nil {
			return fmt.Errorf("writing the format of the store: %w", err)
		}
	}
	return nil
}

// format returns the store's format number. A new store gets the current one; a store whose number is lost is assumed
// to have the current one.
func format(ctx context.Context, db DB) (n int, err error) {
	read := func(tx Tx) error {
		key := formatKey()
		value, err := tx.Get(key)
		if err != nil {
			return err
		}
		payload, err := decodeValue(key, value)
		var f storeFormat
		if err == nil {
			err = wire.Decode(payload, &f)
		}
		if err != nil {
			return &store.CorruptError{What: "the format number", Err: err}
		}
		n = f.Format
		return nil
	}
	err = db.View(ctx, read)
	if !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrDataLost) {
		if err != nil && !errors.As(err, new(*store.CorruptError)) {
			err = fmt.Errorf("reading the format of the store: %w", err)
		}
		return n, err
	}
	return Format, db.Update(ctx, func(tx Tx) error { return writeFormat(tx, Format) })
}
