package kv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"bugle/store"
)

// errHidden says that a record is there and cannot be read: it may be healthy.
var errHidden = fmt.Errorf("the record exists but cannot be read now, so it was left as it is: %w", store.ErrLost)

// confirming is a transaction that takes a record for damaged only when both ways to read it, by its key and in
// a scan, say so: one of them may be wrong. Its Get fails with errHidden where a record is there and
// neither way reads it.
type confirming struct{ Tx }

func (t confirming) Get(key []byte) ([]byte, error) {
	value, err := t.Tx.Get(key)
	if err == nil && Sealed(key, value) == nil || err != nil && !isDamage(err) {
		return value, err
	}
	var scanned []byte
	found := false
	errScan := t.Tx.Scan(key, ScanOptions{Limit: 1}, func(k, v []byte) error {
		if found = bytes.Equal(k, key); found {
			scanned = bytes.Clone(v)
		}
		return nil
	})
	switch {
	case errScan != nil && !isDamage(errScan):
		return nil, errScan
	case len(scanned) > 0 && (err != nil || Sealed(key, scanned) == nil):
		return scanned, nil
	case err == nil:
		return value, nil
	case found:
		return nil, errHidden
	}
	return nil, err
}

func (t confirming) Scan(prefix []byte, o ScanOptions, fn func(key, value []byte) error) error {
	if o.KeysOnly {
		return t.Tx.Scan(prefix, o, fn)
	}
	return t.Tx.Scan(prefix, o, func(key, value []byte) error {
		if Sealed(key, value) != nil {
			got, err := t.Tx.Get(key)
			switch {
			case err == nil && (len(value) == 0 || Sealed(key, got) == nil):
				value = got
			case err != nil && !isDamage(err):
				return err
			}
		}
		return fn(key, value)
	})
}

// keeper is the transaction of a repair. Before it replaces or removes a record it keeps it as it was, and it
// touches none that is there and cannot be read.
type keeper struct {
	confirming
	at time.Time
}

func (k keeper) Set(key, value []byte) error {
	if err := k.keep(key, value); err != nil {
		return err
	}
	return k.Tx.Set(key, value)
}

func (k keeper) Delete(key []byte) error {
	if err := k.keep(key, nil); err != nil {
		return err
	}
	return k.Tx.Delete(key)
}

// keep keeps the record under key unless it is value already.
func (k keeper) keep(key, value []byte) error {
	old, err := k.Get(key)
	switch {
	case errors.Is(err, errHidden):
		return err
	case isDamage(err), err == nil && bytes.Equal(old, value):
		return nil
	case err != nil:
		return err
	}
	kept := append(appendTime([]byte{rootKept}, k.at), key...)
	if _, err := k.Tx.Get(kept); !errors.Is(err, store.ErrNotFound) {
		return err // what the repair itself wrote before
	}
	return k.Tx.Set(kept, Seal(kept, old))
}

// damaged reports whether the record under key is there and its checksum does not hold.
func damaged(tx Tx, key []byte) (bool, error) {
	value, err := tx.Get(key)
	switch {
	case errors.Is(err, errHidden):
		return false, err
	case isDamage(err):
		return false, nil
	case err != nil:
		return false, err
	}
	return Sealed(key, value) != nil, nil
}

// Kept is a record as it was before a repair replaced or removed it.
type Kept struct {
	At    time.Time `json:"at"`
	What  string    `json:"what"` // the record in words
	Bytes int       `json:"bytes"`
	Key   []byte    `json:"key"`
	Value []byte    `json:"value"`
}

// How many kept records a list has at most, and about how many bytes of them: the newest ones.
const (
	mostKept      = 1000
	mostKeptBytes = 4 << 20
)

// kept notes a record that a repair has kept. One that is damaged is reported, and removed.
func (c *checker) kept(key, value []byte, damage error) error {
	at, original, err := cutTime(key[1:])
	if err == nil && len(original) == 0 {
		err = errKey
	}
	if err = errors.Join(damage, err); err != nil {
		c.found(Finding{What: fmt.Sprintf("a record kept by a repair is damaged (%.60q)", key), Mend: "remove it", mend: func(tx Tx) error {
			bad, err := damaged(tx, key)
			if err != nil || !bad {
				return err
			}
			return tx.(keeper).Tx.Delete(key) // it is not kept again
		}})
		return nil
	}
	k := Kept{At: at, What: recordName(original), Bytes: len(value) - headerLen, Key: slices.Clone(original), Value: bytes.Clone(value[headerLen:])}
	c.out.KeptRecords++
	c.out.Kept, c.bytes = append(c.out.Kept, k), c.bytes+k.Bytes
	for len(c.out.Kept) > mostKept || c.bytes > mostKeptBytes && len(c.out.Kept) > 1 {
		c.bytes -= c.out.Kept[0].Bytes
		c.out.Kept = c.out.Kept[1:]
	}
	return nil
}

// recordNames are the kinds of a workspace's records in words.
var recordNames = map[byte]string{
	kindCampaign: "campaign", kindSummary: "summary of campaign", kindRevision: "summary of revision of campaign",
	kindVersion: "document of revision of campaign", kindCopy: "working copy of campaign", kindDismissed: "dismissed warnings of campaign", kindIdempotent: "idempotency key",
	kindRequest: "request id", kindExpiry: "expiry time", kindOutbox: "outbox message", kindProfile: "profile",
	kindIdentifier: "index entry of a user", kindTest: "test send", kindContent: "content item",
	kindDeleted: "deletion mark of a campaign", kindLook: "time of the last removal of expired records",
}

// recordName returns a record in words, by its key.
func recordName(key []byte) string {
	workspace, rest, err := cutName(key[1:])
	switch {
	case key[0] == rootMeta:
		return "the format number of the store"
	case err != nil:
		return fmt.Sprintf("a record of an unknown kind (%.40q)", key)
	case key[0] == rootWorkspace:
		return fmt.Sprintf("the settings of workspace %q", workspace)
	case key[0] == rootCopy && len(rest) > 0 && rest[0] == copyKey:
		return fmt.Sprintf("the record of API key %s of workspace %q", label(rest[1:]), workspace)
	case key[0] == rootCopy:
		return fmt.Sprintf("the copy of the settings of workspace %q", workspace)
	case key[0] != rootRecord, len(rest) == 0, recordNames[rest[0]] == "":
		return fmt.Sprintf("a record of an unknown kind (%.40q)", key)
	}
	return fmt.Sprintf("the %s %s in workspace %q", recordNames[rest[0]], label(rest[1:]), workspace)
}
