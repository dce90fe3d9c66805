package store

import (
	"context"
	"io"

	"bugle/engine"
)

// Keeper is a [DB] that keeps, for each name, one file beside its records that can be made of them again, so
// that the next process has it quicker. What is kept goes with the store: it is encrypted as that is, and
// whatever does not fit the records any more, or is damaged, is as if it were not there.
type Keeper interface {
	// Keep replaces what is kept under a name. What write writes is made of the records that its transaction sees,
	// or of later ones. When it fails, nothing may be kept.
	Keep(ctx context.Context, name string, write func(Tx, io.Writer) error) error
	// Kept gives read what is kept under a name, and since which version of the store records may have changed, see
	// [Dated]. Only when Kept returns nil was it whole: until then read must not rely on it. It fails
	// with [ErrNotFound] where nothing is kept that fits.
	Kept(ctx context.Context, name string, read func(tx Tx, since uint64, r io.Reader) error) error
}

// Dated is a [Tx] that knows the version of the store which it sees. Each change makes a higher one.
type Dated interface{ Version() uint64 }

// ChangedSummaries gives fn the summaries that were written since a version of the store, see [Dated], in any
// order. It says nothing of those that were removed, and fails where one is damaged. Rows are lent as by [Space.NewestSummaries].
func (s Space) ChangedSummaries(since uint64, fn func(engine.Summary) error) error {
	return s.newestSummaries(since, fn)
}

// CountSummaries returns how many summaries there are; false where the store does not know.
func (s Space) CountSummaries() (int, bool) {
	c, ok := s.tx.(Counter)
	if !ok {
		return 0, false
	}
	counts, err := c.Counts()
	if err != nil || counts == nil {
		return 0, false
	}
	return int(counts[s.id][kindSummary]), true
}
