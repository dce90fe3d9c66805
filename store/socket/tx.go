package socket

import (
	"context"
	"errors"

	"bugle/store"
	"bugle/store/kv"
)

// tx is a transaction in the store of another process.
type tx struct {
	ctx    context.Context
	line   *txConn
	writes bool
	broken error // of the connection
}

var (
	_ kv.Tx           = (*tx)(nil)
	_ kv.Counter      = (*tx)(nil)
	_ kv.LeaseChecker = (*tx)(nil)
)

// roundTrip returns the response to a request. Its error is that of the connection.
func (t *tx) roundTrip(q *request) (*response, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	if err := t.send(q); err != nil {
		return nil, err
	}
	r, err := t.line.receive()
	if err != nil {
		t.broken = err
		return nil, err
	}
	return r, nil
}

// send sends a request that has no response.
func (t *tx) send(q *request) error {
	if t.broken == nil {
		t.broken = t.line.send(q)
	}
	return t.broken
}

// Get implements [kv.Tx].
func (t *tx) Get(key []byte) ([]byte, error) {
	r, err := t.roundTrip(&request{Op: opGet, Key: key})
	if err == nil {
		err = r.Fault.err()
	}
	if err != nil {
		return nil, err
	}
	return append([]byte{}, r.Value...), nil
}

// Set implements [kv.Tx]. If the store refuses the record, the transaction fails at its end.
func (t *tx) Set(key, value []byte) error {
	if !t.writes {
		return store.ErrReadOnly
	}
	return t.send(&request{Op: opSet, Key: key, Value: value})
}

// Delete implements [kv.Tx].
func (t *tx) Delete(key []byte) error {
	if !t.writes {
		return store.ErrReadOnly
	}
	return t.send(&request{Op: opDelete, Key: key})
}

// Scan implements [kv.Tx].
func (t *tx) Scan(prefix []byte, o kv.ScanOptions, fn func(key, value []byte) error) error {
	r, err := t.roundTrip(&request{Op: opScan, Key: prefix, Scan: o})
	for {
		if err != nil {
			return err
		}
		for i, key := range r.Keys {
			if err := t.ctx.Err(); err != nil {
				return err
			}
			var value []byte
			if i < len(r.Values) && !o.KeysOnly {
				value = r.Values[i]
			}
			err := fn(key, value)
			if err == nil {
				continue
			}
			if r.More {
				err = errors.Join(err, t.send(&request{Op: opStop}))
			}
			if errors.Is(err, store.Stop) && t.broken == nil {
				return nil
			}
			return err
		}
		if !r.More {
			return r.Fault.err()
		}
		r, err = t.roundTrip(&request{Op: opNext})
	}
}

// Counts implements [kv.Counter].
func (t *tx) Counts() (kv.Counts, error) {
	r, err := t.roundTrip(&request{Op: opCounts})
	if err != nil {
		return nil, err
	}
	return r.Counts, r.Fault.err()
}

// LeaseHeld implements [kv.LeaseChecker].
func (t *tx) LeaseHeld(lease string) (bool, error) {
	r, err := t.roundTrip(&request{Op: opHeld, Name: lease})
	if err != nil {
		return false, err
	}
	return r.Yes, r.Fault.err()
}
