package store

import (
	"context"
	"errors"
	"fmt"
)

// Format is the number of the layout that this package writes.
const Format = 1

type storeFormat struct {
	Format int `json:"format"`
}

// Prepare readies an opened store: it writes the number of the layout into a new one, and
// refuses one with a later number with [ErrNewer]. Implementations of [DB] call it before
// they hand the store out.
func Prepare(ctx context.Context, db DB) error {
	key := appendName([]byte{rootMeta}, "format")
	return db.Update(ctx, func(tx Tx) error {
		value, err := tx.Get(key)
		if errors.Is(err, ErrNotFound) || errors.Is(err, ErrLost) {
			payload, err := encode(storeFormat{Format})
			if err != nil {
				return err
			}
			return tx.Set(key, Seal(key, payload))
		}
		if err != nil {
			return fmt.Errorf("reading the format of the store: %w", err)
		}
		payload, err := unseal(key, value)
		if err != nil {
			return &CorruptError{"the format number", err}
		}
		var f storeFormat
		if err := decode(payload, &f); err != nil {
			return &CorruptError{"the format number", err}
		}
		if f.Format > Format {
			return fmt.Errorf("%w (its format is %d, this bugle knows up to %d)", ErrNewer, f.Format, Format)
		}
		return nil
	})
}
