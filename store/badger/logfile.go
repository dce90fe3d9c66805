package badger

import (
	"bytes"
	"encoding/binary"
	"slices"

	"bugle/store/badger/internal/files"
)

// logContents is the contents of a memtable's log, and the origin of its entries.
type logContents struct {
	files.Log
	links  []link
	origin // of its entries
}

// link is a sequence record: a commit's version and that of the previous commit.
type link struct{ version, before uint64 }

// lost reports whether acknowledged changes cannot be read; acked is the version of the last one, or 0 if unknown.
func (l logContents) lost(acked uint64) bool { return l.Broken && (acked == 0 || l.After <= acked) }

// readLog reads a memtable's log, and skips entries of stores other than of; a nil identity skips none.
func (v *keyring) readLog(path string, of *identity) (l logContents, err error) {
	l.of = of
	if l.Log, err = files.ReadLog(path, v.dataKeys()); err != nil {
		return l, err
	}
	l.removeForeign()
	return l, nil
}

// removeForeign removes the transactions of another store.
func (l *logContents) removeForeign() {
	strange := map[uint64]bool{} // versions of another store
	for _, e := range slices.Concat(l.Entries, l.Torn) {
		o := origin{of: l.of}
		_ = o.add(e)
		l.ours, l.foreign, l.older = l.ours || o.ours, l.foreign || o.foreign, l.older || o.older
		if o.foreign {
			strange[e.Version] = true
		}
	}
	if l.foreign {
		drop := func(e files.Entry) bool { return !l.ours || strange[e.Version] } // a deletion has no tag
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
