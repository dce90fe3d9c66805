package kv

import (
	"context"
	"errors"
	"fmt"

	"bugle/store"
	"bugle/store/internal/wire"
)

// Format is the format number that this package reads and writes.
const Format = 3

type storeFormat struct {
	Format int `json:"format"`
}

// Prepare prepares an opened store for use: it writes the format number into a new store, and refuses one of another
// format, with [store.ErrNewerVersion] if a later program wrote it. Implementations of [DB] call it before they return
// the store.
func Prepare(ctx context.Context, db DB) error {
	have, err := format(ctx, db)
	switch {
	case err != nil:
		return err
	case have > Format:
		return fmt.Errorf("%w (its format is %d, and this version reads %d)", store.ErrNewerVersion, have, Format)
	case have < Format:
		return fmt.Errorf("this store has format %d, which was never released, and this version reads only %d; export its campaigns with the program that wrote it", have, Format)
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
