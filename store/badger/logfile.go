package badger

import (
	"bytes"
	"encoding/binary"
	"slices"

	"bugle/store/badger/internal/files"
)

// logContents is what the log of a table in memory holds, and what its entries tell of the store that wrote it.
type logContents struct {
	files.Log
	links  []link
	origin // of its entries
}

// chainEntry is what a sequence record says of the commits before.
type link struct{ version, before uint64 }

// lostMark reports whether acknowledged changes cannot be read; acked is the last one, 0 where that is
// not known.
func (l logContents) lost(acked uint64) bool { return l.Broken && (acked == 0 || l.After <= acked) }

// readLog reads the log of a table in memory, and leaves out what another store than that one has written; nil
// takes all.
func (v *keyring) readLog(path string, of *identity) (l logContents, err error) {
	l.of = of
	if l.Log, err = files.ReadLog(path, v.dataKeys()); err != nil {
		return l, err
	}
	l.removeForeign()
	return l, nil
}

// finishSwap removes the transactions that another store has written.
func (l *logContents) removeForeign() {
	strange := map[uint64]bool{} // versions
	for _, e := range slices.Concat(l.Entries, l.Torn) {
		o := origin{of: l.of}
		_ = o.add(e)
		l.ours, l.foreign, l.older = l.ours || o.ours, l.foreign || o.foreign, l.older || o.older
		if o.foreign {
			strange[e.Version] = true
		}
	}
	if l.foreign {
		drop := func(e files.Entry) bool { return !l.ours || strange[e.Version] } // a deletion does not tell
		l.Entries, l.Torn = slices.DeleteFunc(l.Entries, drop), slices.DeleteFunc(l.Torn, drop)
		l.Newest = 0
	}
	for _, e := range l.Entries {
		l.Newest = max(l.Newest, e.Version)
		if bytes.Equal(e.Key, sequenceKey) && len(e.Value) == linkSize {
			l.links = append(l.links, link{e.Version, binary.BigEndian.Uint64(e.Value[16:])})
		}
	}
}
