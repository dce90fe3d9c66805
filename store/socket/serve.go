package socket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"bugle/store"
	"bugle/store/kv"
)

// client is the owner's side of one connection of another process, which runs one transaction at a time.
type client struct {
	*stream[request, response]
	host  *host
	conn  net.Conn
	lease string // of the client process
}

// errAborted reports that the client has aborted its transaction.
var errAborted = errors.New("the transaction was aborted")

// brokenError reports that a connection cannot be used any more.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

// idleLimit is how long a client may leave a transaction idle. A suspended client would keep old data alive.
const idleLimit = time.Minute

// serve answers requests until the connection breaks.
func (c *client) serve() {
	for {
		_ = c.conn.SetReadDeadline(time.Time{})
		q, err := c.receive()
		if err != nil || c.respond(q) != nil {
			return
		}
	}
}

// respond handles a request, and returns when the response was sent. Its error is that of the connection.
func (c *client) respond(q *request) error {
	var r response
	err := errLeaving
	if c.host.calls.enter() {
		defer c.host.calls.leave()
		r, err = c.run(q)
	}
	switch {
	case errors.As(err, new(*brokenError)):
		return err
	case errors.Is(err, errAborted):
	case errors.Is(err, context.Canceled) && c.host.work.Err() != nil:
		r.Fault = faultOf(errLeaving) // nothing was written
	default:
		r.Fault = faultOf(err)
	}
	return errors.Join(c.send(&r), c.flush())
}

// run handles a request outside of a transaction.
func (c *client) run(q *request) (r response, err error) {
	switch q.Op {
	case opView:
		return r, c.host.view(c.host.work, func(tx kv.Tx) error {
			_, err := c.transaction(tx)
			return err
		})
	case opUpdate:
		return r, c.update(q.Name)
	case opSettle:
		r.Yes, err = c.host.commits.settle(c.host.work, q.Name)
		return r, err
	case opSync:
		r.Sequence = c.host.sequence()
		return r, nil
	case opLost:
		r.Lost = c.host.lost()
		return r, nil
	}
	return r, &brokenError{fmt.Errorf("unexpected request %d", q.Op)}
}

// update runs a write transaction, which stores the commit id with the changes.
func (c *client) update(id string) error {
	if !c.host.commits.begin(id) {
		return &brokenError{errors.New("a commit with that id was settled before")}
	}
	wrote := false
	err := c.host.update(c.host.work, c.lease, func(tx kv.Tx) (err error) {
		if wrote, err = c.transaction(tx); err != nil || !wrote {
			return err
		}
		return c.host.commits.mark(c.host.work, tx, id)
	})
	c.host.commits.end(id, wrote && err == nil)
	return err
}

// transaction answers requests until the transaction ends, and reports whether it has written.
func (c *client) transaction(tx kv.Tx) (wrote bool, err error) {
	r := response{Begun: true}
	if err := c.send(&r); err != nil {
		return false, &brokenError{err}
	}
	t := &servedTx{client: c, tx: tx}
	switch end, err := t.answer(); {
	case err != nil:
		return false, err
	case end == opAbort:
		return false, errAborted
	case end != opEnd:
		return false, &brokenError{fmt.Errorf("unexpected request %d", end)}
	}
	return t.wrote, t.failed
}

// servedTx is a transaction of a client.
type servedTx struct {
	*client
	tx     kv.Tx
	wrote  bool
	failed error // the first error of a write
}

// answer answers requests until one of them ends the transaction or continues a scan.
func (t *servedTx) answer() (end op, err error) {
	for {
		_ = t.conn.SetReadDeadline(time.Now().Add(idleLimit))
		q, err := t.receive()
		if err != nil {
			return 0, &brokenError{err}
		}
		var r response
		switch q.Op {
		case opEnd, opAbort, opNext, opStop:
			return q.Op, nil
		case opSet:
			t.note(t.tx.Set(q.Key, q.Value))
			continue
		case opDelete:
			t.note(t.tx.Delete(q.Key))
			continue
		case opScan:
			if err := t.scan(q); err != nil {
				return 0, err
			}
			continue
		case opGet:
			r.Value, err = t.tx.Get(q.Key)
		case opCounts:
			if c, ok := t.tx.(kv.Counter); ok {
				r.Counts, err = c.Counts()
			}
		case opHeld:
			r.Yes, err = t.host.leaseHeld(t.host.work, q.Name)
		default:
			return 0, &brokenError{fmt.Errorf("unexpected request %d", q.Op)}
		}
		if t.canceled(err) {
			return 0, &brokenError{err}
		}
		r.Fault = faultOf(err)
		if err := t.send(&r); err != nil {
			return 0, &brokenError{err}
		}
	}
}

// canceled reports whether a read failed because the owner is quitting. The client then runs its transaction with the
// next owner instead of failing.
func (t *servedTx) canceled(err error) bool {
	return errors.Is(err, context.Canceled) && t.host.work.Err() != nil
}

func (t *servedTx) note(err error) {
	t.wrote = true
	if t.failed == nil {
		t.failed = err
	}
}

// Responses to a scan grow from one record to maxScanResponse bytes, so that a scan that stops soon reads little.
const maxScanResponse = 256 << 10

var errStopped = errors.New("the scan was stopped")

func (t *servedTx) scan(q *request) error {
	r, size, limit := &response{More: true}, 0, 1
	err := t.tx.Scan(q.Key, q.Scan, func(key, value []byte) error {
		r.Keys, r.Values = append(r.Keys, bytes.Clone(key)), append(r.Values, bytes.Clone(value))
		if size += len(key) + len(value); size < limit {
			return nil
		}
		if err := t.send(r); err != nil {
			return &brokenError{err}
		}
		switch end, err := t.answer(); {
		case err != nil:
			return err
		case end == opStop:
			return errStopped
		case end != opNext:
			return &brokenError{fmt.Errorf("unexpected request %d", end)}
		}
		r, size, limit = &response{More: true}, 0, min(max(1<<10, limit*8), maxScanResponse)
		return nil
	})
	switch {
	case errors.Is(err, errStopped):
		return nil
	case errors.As(err, new(*brokenError)):
		return err
	case t.canceled(err):
		return &brokenError{err}
	}
	r.More, r.Fault = false, faultOf(err)
	if err := t.send(r); err != nil {
		return &brokenError{err}
	}
	return nil
}

// recordingTx is a transaction of the owner's store that records its changes.
type recordingTx struct {
	kv.Tx
	host    *host
	changes []store.Change
}

func (t *recordingTx) Set(key, value []byte) error {
	t.note(key)
	return t.Tx.Set(key, value)
}

func (t *recordingTx) Delete(key []byte) error {
	t.note(key)
	return t.Tx.Delete(key)
}

// mergeChanges is the number of changes of users from which they are published as a single change of several users.
const mergeChanges = 100

func (t *recordingTx) note(key []byte) {
	c, ok := kv.ChangeFor(key)
	if !ok {
		return
	}
	if c.Kind == store.ChangedUser && len(t.changes) >= mergeChanges {
		c.ID = ""
	}
	if !slices.Contains(t.changes, c) {
		t.changes = append(t.changes, c)
	}
}

// Counts implements [kv.Counter].
func (t *recordingTx) Counts() (kv.Counts, error) {
	if c, ok := t.Tx.(kv.Counter); ok {
		return c.Counts()
	}
	return nil, nil
}

// LeaseHeld implements [kv.LeaseChecker].
func (t *recordingTx) LeaseHeld(lease string) (bool, error) {
	return t.host.leaseHeld(t.host.work, lease)
}

// view runs fn on a snapshot of the owner's store.
func (h *host) view(ctx context.Context, fn func(kv.Tx) error) error {
	return h.db.View(ctx, func(tx kv.Tx) error { return fn(&recordingTx{Tx: tx, host: h}) })
}

// update runs fn in a transaction of the owner's store, and publishes the changes of the process with that lease.
func (h *host) update(ctx context.Context, lease string, fn func(kv.Tx) error) error {
	var t *recordingTx
	ended := false
	err := h.db.Update(ctx, func(tx kv.Tx) error {
		t, ended = &recordingTx{Tx: tx, host: h}, false
		err := fn(t)
		ended = err == nil
		return err
	})
	if ended && len(t.changes) > 0 { // if the commit failed, readers find out what was stored
		h.publish(news{Lease: lease, Changes: t.changes})
	}
	return err
}
