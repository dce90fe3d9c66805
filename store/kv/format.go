package kv

import (
	"context"
	"errors"
	"fmt"

	"bugle/store"
	"bugle/store/internal/wire"
)

// Format is the number of the layout that this package writes. Since 2 the settings of a workspace and its
// API keys have copies ([WorkspaceSettings.PutSettings]). Since 3 every filter that is nested in an action has a type of
// the specification ([Space.Upgrade]).
const Format = 3

type storeFormat struct {
	Format int `json:"format"`
}

// migrations lead from a layout to the one after it, by the number of the first. Each runs in as many
// transactions as it needs, and again from its beginning where the process ended in between: so it
// must take a store that it has changed in part.
var migrations = map[int]func(context.Context, DB) error{1: copyAllSettings, 2: addFilterTypes}

// Prepare readies an opened store: it writes the number of the layout into a new one, brings one with
// an earlier number up to [Format], and refuses one with a later number with [ErrNewer].
// Implementations of [DB] call it before they hand the store out.
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
		return nil // no step so far changes how records are read: the store is used as it is, and the next open takes them
	}
	return err
}

// migrate brings a store from one layout to another, noting each step when it is done.
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

// format returns the number of the store's layout. A store without one is new and gets it; one that has
// lost it with a part of the disk is of the present one.
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
