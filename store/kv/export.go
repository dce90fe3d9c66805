package kv

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"bugle/store"
	"bugle/store/internal/record"
)

// pageRecords is how many records are in a page, or earlier versions of campaigns in a page of campaigns.
const pageRecords = 200

// Export calls fn with the records of all workspaces, as they are stored, in pages: the settings of a workspace are in its
// first page, all records of a campaign are in one page, and no page has records of two workspaces. A page is valid until
// fn returns; fn may be nil. Export checks the checksum of each record in the store and the number of records, and returns a
// sentence for each problem.
func Export(t *Tx, fn func(page []Item) error) (damage []string, err error) {
	e := export{tx: t, fn: fn, have: Counts{}}
	err = e.scan([]byte{rootMeta}, nil, nil)
	e.page = nil // the format of the store is in no page
	for from := []byte(nil); err == nil; {
		var key []byte
		if key, err = e.first([]byte{rootRecord}, from); key == nil {
			break
		}
		prefix := key
		if _, rest, bad := cutName(key[1:]); bad == nil {
			prefix = key[:len(key)-len(rest)]
		}
		err = e.workspace(prefix)
		from = PrefixEnd(prefix)
	}
	if err != nil {
		return nil, err
	}
	want, err := t.counts()
	return append(e.damage, e.have.missing(want)...), err
}

// Origin is what a record belongs to.
type Origin struct {
	Workspace string // empty if the record belongs to none
	Settings  bool   // the record is the settings of the workspace
	Campaign  string // the id of its campaign; empty if it belongs to none
	Current   bool   // the record is the campaign itself, as it is now
}

// OriginOf returns what the record with a key belongs to.
func OriginOf(key []byte) Origin {
	workspace, kind, rest := cutKind(key)
	switch {
	case workspace == "" && kind == rootWorkspace:
		workspace, _, err := cutName(rest)
		return Origin{Workspace: workspace, Settings: err == nil}
	case workspace == "" || !isOfCampaign(kind):
		return Origin{Workspace: workspace}
	}
	id, _, err := cutName(rest)
	return Origin{Workspace: workspace, Campaign: id, Current: kind == campaigns.ID && err == nil}
}

func isOfCampaign(id byte) bool { return slices.Contains(ofCampaign, kinds[id]) }

// VerifyValue checks the checksum and the format of a record's value.
func VerifyValue(key, value []byte) error {
	_, err := decodeValue(key, value)
	return err
}

// export is one run of [Export].
type export struct {
	tx     *Tx
	fn     func([]Item) error
	page   []Item
	whole  bool // the page must not end within the records that are scanned
	have   Counts
	damage []string
}

// first returns the first key that begins with prefix and does not come before from, or nil.
func (e *export) first(prefix, from []byte) (first []byte, err error) {
	err = e.tx.Scan(prefix, ScanOptions{From: from, KeysOnly: true, Limit: 1}, func(key, _ []byte) error {
		first = bytes.Clone(key)
		return nil
	})
	return first, e.note(err)
}

// note notes damage, and returns every other error.
func (e *export) note(err error) error {
	var bad *store.CorruptError
	if !errors.As(err, &bad) {
		return err
	}
	e.damage = append(e.damage, bad.Error())
	return nil
}

// scan adds the records that begin with prefix, from one key to another, to the page.
func (e *export) scan(prefix, from, to []byte) error {
	return e.note(e.tx.Scan(prefix, ScanOptions{From: from}, func(key, value []byte) error {
		if to != nil && bytes.Compare(key, to) >= 0 {
			return store.Stop
		}
		e.have.Add(key, 1)
		if err := VerifyValue(key, value); err != nil {
			return e.note(&store.CorruptError{What: describe(key), Err: err})
		}
		if e.fn != nil {
			e.page = append(e.page, Item{Key: bytes.Clone(key), Value: bytes.Clone(value)})
		}
		if e.whole || len(e.page) < pageRecords {
			return nil
		}
		return e.flush()
	}))
}

// flush passes the page on.
func (e *export) flush() error {
	page := e.page
	e.page = e.page[:0]
	if len(page) == 0 {
		return nil
	}
	return e.fn(page)
}

// workspace exports the workspace whose records begin with prefix. Records of kinds that are not known are missing then.
func (e *export) workspace(prefix []byte) error {
	of := func(kind byte) []byte { return append(bytes.Clone(prefix), kind) }
	settings := append([]byte{rootWorkspace}, prefix[1:]...)
	err := errors.Join(e.scan(settings, nil, nil), e.scan(of(settingsChanges.ID), nil, nil))
	for _, id := range slices.Sorted(maps.Keys(kinds)) {
		if err == nil && id != settingsChanges.ID && !isOfCampaign(id) {
			err = e.scan(of(id), nil, nil)
		}
	}
	if err == nil {
		err = e.flush()
	}
	if err != nil {
		return err
	}
	return e.campaigns(of)
}

// campaigns exports the campaigns of a workspace, of which the records of a kind begin with of(kind).
func (e *export) campaigns(of func(kind byte) []byte) error {
	e.whole = true
	defer func() { e.whole = false }()
	for from := []byte{}; from != nil; {
		to, err := e.pageEnd(of(record.Documents.ID), from)
		if err != nil {
			return err
		}
		for _, k := range ofCampaign {
			end := PrefixEnd(of(k.ID))
			if to != nil {
				end = append(of(k.ID), to...)
			}
			if err := e.scan(of(k.ID), append(of(k.ID), from...), end); err != nil {
				return err
			}
		}
		if err := e.flush(); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// pageEnd returns where the page of campaigns from an id ends, or nil if it is the last one.
func (e *export) pageEnd(prefix, from []byte) (to []byte, err error) {
	n := 0
	err = e.tx.Scan(prefix, ScanOptions{From: append(bytes.Clone(prefix), from...), KeysOnly: true, Limit: pageRecords}, func(key, _ []byte) error {
		if n++; n < pageRecords {
			return nil
		}
		rest := key[len(prefix):]
		if id, _, err := cutName(rest); err == nil {
			to = PrefixEnd(appendName(nil, id))
		} else {
			to = after(rest)
		}
		return nil
	})
	return to, e.note(err)
}
