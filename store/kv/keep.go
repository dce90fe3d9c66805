package kv

import (
	"context"
	"io"
)

// Keeper is a [DB] that keeps, for each name, one file beside its records that can be made of them again, so
// that the next process has it quicker. What is kept goes with the store: it is encrypted as that is, and
// whatever does not fit the records any more, or is damaged, is as if it were not there.
type Keeper interface {
	// Keep replaces what is kept under a name. What write writes is made of the records that its transaction sees,
	// or of later ones. When it fails, nothing may be kept.
	Keep(ctx context.Context, name string, write func(Tx, io.Writer) error) error
	// Kept calls read with what is kept under a name, and since which version of the store records may have changed, see
	// [Dated]. Only when Kept returns nil was it whole: until then read must not rely on it. It fails
	// with [ErrNotFound] where nothing is kept that fits.
	Kept(ctx context.Context, name string, read func(tx Tx, since uint64, r io.Reader) error) error
}

// Dated is a [Tx] that knows the version of the store which it sees. Each change makes a higher one.
type Dated interface{ Version() uint64 }
