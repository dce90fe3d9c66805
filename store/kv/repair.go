package kv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"bugle/store"
)

// errUnreadable reports that a record exists and cannot be read. It may be healthy.
var errUnreadable = fmt.Errorf("the record exists but cannot be read now, so it was left as it is: %w", store.ErrDataLost)

// confirmingTx is a transaction that treats a record as damaged only if both a read by key and a scan find it damaged,
// because one of them may be wrong. Get fails with errUnreadable if a record exists and neither can read it.
type confirmingTx struct{ Tx }

func (t confirmingTx) Get(key []byte) ([]byte, error) {
	value, err := t.Tx.Get(key)
	if err == nil && VerifyValue(key, value) == nil || err != nil && !isDamage(err) {
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
	case len(scanned) > 0 && (err != nil || VerifyValue(key, scanned) == nil):
		return scanned, nil
	case err == nil:
		return value, nil
	case found:
		return nil, errUnreadable
	}
	return nil, err
}

func (t confirmingTx) Scan(prefix []byte, o ScanOptions, fn func(key, value []byte) error) error {
	if o.KeysOnly {
		return t.Tx.Scan(prefix, o, fn)
	}
	return t.Tx.Scan(prefix, o, func(key, value []byte) error {
		if VerifyValue(key, value) != nil {
			got, err := t.Tx.Get(key)
			switch {
			case err == nil && (len(value) == 0 || VerifyValue(key, got) == nil):
				value = got
			case err != nil && !isDamage(err):
				return err
			}
		}
		return fn(key, value)
	})
}

// repairTx is the transaction of a repair. It saves a record before it replaces or removes it, and does not touch a
// record that exists and cannot be read.
type repairTx struct {
	confirmingTx
	at time.Time
}

func (k repairTx) Set(key, value []byte) error {
	if err := k.quarantine(key, value); err != nil {
		return err
	}
	return k.Tx.Set(key, value)
}

func (k repairTx) Delete(key []byte) error {
	if err := k.quarantine(key, nil); err != nil {
		return err
	}
	return k.Tx.Delete(key)
}

// quarantine saves the record under key, unless it equals value.
func (k repairTx) quarantine(key, value []byte) error {
	old, err := k.Get(key)
	switch {
	case errors.Is(err, errUnreadable):
		return err
	case isDamage(err), err == nil && bytes.Equal(old, value):
		return nil
	case err != nil:
		return err
	}
	kept := append(appendTime([]byte{rootQuarantine}, k.at), key...)
	if _, err := k.Tx.Get(kept); !errors.Is(err, store.ErrNotFound) {
		return err // written by the repair itself
	}
	return k.Tx.Set(kept, EncodeValue(kept, old))
}

// damaged reports whether the record under key exists and its checksum does not match.
func damaged(tx Tx, key []byte) (bool, error) {
	value, err := tx.Get(key)
	switch {
	case errors.Is(err, errUnreadable):
		return false, err
	case isDamage(err):
		return false, nil
	case err != nil:
		return false, err
	}
	return VerifyValue(key, value) != nil, nil
}

// QuarantinedRecord is a record as it was before a repair replaced or removed it.
type QuarantinedRecord struct {
	At    time.Time `json:"at"`
	What  string    `json:"what"` // names the record
	Bytes int       `json:"bytes"`
	Key   []byte    `json:"key"`
	Value []byte    `json:"value"`
}

// Limits of a list of quarantined records: the number of records, and about the number of bytes. The newest ones are
// listed.
const (
	maxQuarantined      = 1000
	maxQuarantinedBytes = 4 << 20
)

// checkQuarantined adds a quarantined record to the result. A damaged one is reported and removed.
func (c *checker) checkQuarantined(key, value []byte, damage error) error {
	at, original, err := cutTime(key[1:])
	if err == nil && len(original) == 0 {
		err = errKey
	}
	if err = errors.Join(damage, err); err != nil {
		c.found(Finding{What: fmt.Sprintf("a record kept by a repair is damaged (%.60q)", key), Repair: "remove it", repair: func(tx Tx) error {
			bad, err := damaged(tx, key)
			if err != nil || !bad {
				return err
			}
			return tx.(repairTx).Tx.Delete(key) // without quarantining it again
		}})
		return nil
	}
	k := QuarantinedRecord{At: at, What: recordName(original), Bytes: len(value) - headerLen, Key: slices.Clone(original), Value: bytes.Clone(value[headerLen:])}
	c.out.KeptRecords++
	c.out.Quarantined, c.bytes = append(c.out.Quarantined, k), c.bytes+k.Bytes
	for len(c.out.Quarantined) > maxQuarantined || c.bytes > maxQuarantinedBytes && len(c.out.Quarantined) > 1 {
		c.bytes -= c.out.Quarantined[0].Bytes
		c.out.Quarantined = c.out.Quarantined[1:]
	}
	return nil
}

// recordNames names the kinds of records of a workspace.
var recordNames = map[byte]string{
	kindCampaign: "campaign", kindSummary: "summary of campaign", kindRevision: "summary of revision of campaign",
	kindRevisionDocument: "document of revision of campaign", kindCopy: "working copy of campaign", kindDismissed: "dismissed warnings of campaign", kindIdempotency: "idempotency key",
	kindRequest: "request id", kindExpiry: "expiry time", kindOutbox: "outbox message", kindProfile: "profile",
	kindIdentifier: "index entry of a user", kindTest: "test send", kindContent: "content item",
	kindDeleted: "deletion mark of a campaign", kindSweep: "time of the last removal of expired records",
}

// recordName describes a record by its key.
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
