package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

// entries returns how many records of the workspace have a key that begins with kind.
func (b *bench) entries(kind string) (n int) {
	b.t.Helper()
	b.ok(b.db.View(b.ctx, func(tx *kv.Tx) error {
		n = 0
		return tx.Scan([]byte("rTEST\x00\x01"+kind), kv.ScanOptions{KeysOnly: true}, func(_, _ []byte) error {
			n++
			return nil
		})
	}))
	return n
}

// watching is a store that reports each commit that is over.
type watching struct {
	kv.Driver
	mu      sync.Mutex
	over    *sync.Cond
	updates int
}

func watch(db *mem.DB) (*watching, store.DB) {
	w := &watching{Driver: db.Driver()}
	w.over = sync.NewCond(&w.mu)
	return w, kv.NewStore(w)
}

func (w *watching) Commit(ctx context.Context, c kv.Change) error {
	err := w.Driver.Commit(ctx, c)
	w.mu.Lock()
	w.updates++
	w.over.Broadcast()
	w.mu.Unlock()
	return err
}

// until waits until done, which is asked again after each commit.
func (w *watching) until(done func() bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !done() {
		w.over.Wait()
	}
}

// However many idempotency keys have expired, one sweep removes them all, in transactions of bounded size;
// it begins with a write, and does not hold that back.
func TestSweepKeepsUp(t *testing.T) {
	b := newBench(t, local.Options{})
	w, watched := watch(b.db)
	svc, err := local.Open(watched, "TEST", local.Options{Clock: b.clock.Now})
	b.ok(err)
	defer svc.Close()
	const many = 2*kv.ExpireBatch + 500
	b.ok(b.db.Update(b.ctx, func(tx *kv.Tx) error {
		for i := range many {
			if err := tx.Workspace("TEST").PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: fmt.Sprint(i), ExpiresAt: b.clock.Now().Add(time.Hour)}); err != nil {
				return err
			}
		}
		return nil
	}))
	create := func() {
		_, err := svc.Create(b.ctx, engine.CreateRequest{Call: engine.Call{IdempotencyKey: key()}, Body: parse(t, `{%s}`, pushHead)})
		b.ok(err)
	}
	b.clock.Add(2 * time.Hour)
	create() // the first look that finds them expired
	w.until(func() bool { return b.lookedAt() == b.clock.Now() })
	if n := b.entries("i"); n != many+1 {
		t.Errorf("%d keys are left after one look", n)
	}
	b.clock.Add(kv.SweepInterval)
	create()
	w.until(func() bool { return b.entries("i") == 2 })
}

// lookedAt returns when the store was last looked through for what has expired.
func (b *bench) lookedAt() (at time.Time) {
	_ = b.db.View(b.ctx, func(tx *kv.Tx) error {
		return tx.Scan([]byte("rTEST\x00\x01l"), kv.ScanOptions{}, func(_, v []byte) error {
			_, text, _ := strings.Cut(string(v), `"at":"`)
			text, _, _ = strings.Cut(text, `"`)
			at, _ = time.Parse(time.RFC3339Nano, text)
			return nil
		})
	})
	return at
}

// A clock that jumps ten years ahead and back forgets no idempotency key and no request id, whatever is
// written or opened meanwhile.
func TestClockThatJumps(t *testing.T) {
	b := newBench(t, local.Options{})
	call := engine.Call{IdempotencyKey: key()}
	r := engine.CreateRequest{Call: call, Body: parse(t, `{%s,"request_id":"once"}`, emailHead)}
	first, err := b.Create(b.ctx, r)
	b.ok(err)
	_, watched := watch(b.db)
	const years = 10 * 365 * 24 * time.Hour
	for _, jump := range []time.Duration{years, time.Minute, 40 * time.Minute, -years - 41*time.Minute} {
		b.clock.Add(jump)
		svc, err := local.Open(watched, "TEST", local.Options{Clock: b.clock.Now}) // looks
		b.ok(err)
		_, err = svc.Create(b.ctx, engine.CreateRequest{Call: engine.Call{IdempotencyKey: key()}, Body: parse(t, `{%s}`, emailHead)})
		b.ok(err)
		b.ok(svc.Close())
	}
	again, err := b.Create(b.ctx, r)
	b.ok(err)
	if !again.Replayed || again.ID != first.ID {
		t.Errorf("the repeated request made %s, and first %s", again.ID, first.ID)
	}
	_, err = b.Create(b.ctx, engine.CreateRequest{Body: r.Body})
	refused(t, err, engine.BadRequest, 409)
}

// A draft with a history of any length is deleted at once, and nothing is left of it.
func TestDeleteLongHistory(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s}`, pushHead)
	b.longHistory(id, 9000)
	_, err := b.Revisions(b.ctx, id)
	b.ok(err)
	c := b.get(id)
	b.ok(b.PutWorkingCopy(b.ctx, id, engine.WorkingCopy{Base: c.Revision, Body: parse(t, `{}`)}))

	b.ok(b.Delete(b.ctx, id))
	gone := func(what string, err error) {
		t.Helper()
		if e := engine.AsError(err); e == nil || e.Code != engine.NotFound {
			t.Errorf("%s of a deleted campaign: %v", what, err)
		}
	}
	_, err = b.Get(b.ctx, id)
	gone("get", err)
	_, err = b.Revisions(b.ctx, id)
	gone("history", err)
	_, err = b.Revision(b.ctx, id, 8999)
	gone("revision", err)
	rows, err := b.List(b.ctx, engine.ListQuery{})
	b.ok(err)
	if len(rows) > 0 {
		t.Errorf("it is listed: %+v", rows)
	}
	found, err := b.db.Check(b.ctx, nil)
	b.ok(err)
	if len(found.Findings) > 0 {
		t.Errorf("doctor finds %+v", found.Findings)
	}
	gone("get after a check", b.PutWorkingCopy(b.ctx, id, engine.WorkingCopy{Body: parse(t, `{}`)}))

	for _, kind := range []string{"r", "d", "c", "s", "w"} {
		if n := b.entries(kind + id); n > 0 {
			t.Errorf("%d records of kind %s are left", n, kind)
		}
	}
}

// longHistory gives a campaign a history of n revisions, as earlier programs kept it.
func (b *bench) longHistory(id string, n int64) {
	b.t.Helper()
	b.ok(b.db.Update(b.ctx, func(tx *kv.Tx) error {
		var document []byte
		prefix := []byte("rTEST\x00\x01d" + id + "\x00\x01")
		err := tx.Scan(prefix, kv.ScanOptions{}, func(_, v []byte) error { document = bytes.Clone(v[9:]); return nil })
		for i := int64(2); err == nil && i <= n; i++ {
			number := []byte{0, 0, 0, 0, 0, 0, byte(i >> 8), byte(i)}
			for kind, payload := range map[string][]byte{"d": document, "r": fmt.Appendf(nil, `{"n":%d,"at":"2026-11-01T12:00:00Z","size":1}`, i)} {
				key := append([]byte("rTEST\x00\x01"+kind+id+"\x00\x01"), number...)
				err = errors.Join(err, tx.Set(key, kv.EncodeValue(key, payload)))
			}
		}
		return err
	}))
}

// Saves go on, and the history of the campaign stays bounded: the first, the newest and each change of state are there.
func TestHistoryIsBounded(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s,%s,%s}`, emailHead, emailParts, asap)
	c := b.get(id)
	save := func(n int) {
		for range n {
			b.ok(b.db.Update(b.ctx, func(tx *kv.Tx) error {
				_, err := tx.Workspace("TEST").PutCampaign(c, engine.Summarize(c), engine.Revision{At: c.UpdatedAt}, false)
				return err
			}))
		}
	}
	save(1900)
	_, err := b.Publish(b.ctx, engine.PublishRequest{ID: id, By: author, Console: true})
	b.ok(err)
	published := b.get(id).Revision
	_, err = b.ChangeStatus(b.ctx, engine.StatusRequest{ID: id, Action: catalog.Stop, By: author})
	b.ok(err)
	c = b.get(id)
	const bound = store.NewestRevisions + store.OlderRevisions
	save(1500)
	revs, err := b.Revisions(b.ctx, id)
	b.ok(err)
	if len(revs) > bound+100 {
		t.Errorf("%d revisions are kept", len(revs))
	}
	last := b.get(id).Revision
	have := map[int64]bool{}
	for _, r := range revs {
		have[r.N] = true
	}
	for n := last; n > last-store.NewestRevisions; n-- {
		if !have[n] {
			t.Fatalf("revision %d of %d is gone", n, last)
		}
	}
	for _, n := range []int64{1, published, published + 1} {
		if !have[n] {
			t.Errorf("revision %d is gone", n)
		}
	}
	if found, err := b.db.Check(b.ctx, nil); err != nil || len(found.Findings) > 0 {
		t.Errorf("doctor finds %+v, %v", found.Findings, err)
	}
}

// unsure is a store whose commits are done, and fail.
type unsure struct {
	kv.Driver
	fails bool
}

func (u *unsure) Commit(ctx context.Context, c kv.Change) error {
	err := u.Driver.Commit(ctx, c)
	if err == nil && u.fails {
		err = errors.New("sync store/000007.mem: input/output error")
	}
	return err
}

// A write that failed as it was committed may be there: the answer says so, and the same request with the
// same Idempotency-Key finds what became of it.
func TestUncertainWrite(t *testing.T) {
	b := newBench(t, local.Options{})
	db := &unsure{Driver: b.db.Driver()}
	svc, err := local.Open(kv.NewStore(db), "TEST", local.Options{Clock: b.clock.Now})
	b.ok(err)
	defer svc.Close()
	r := engine.CreateRequest{Call: engine.Call{IdempotencyKey: key()}, Body: parse(t, `{%s}`, pushHead)}
	db.fails = true
	_, err = svc.Create(b.ctx, r)
	e := refused(t, err, engine.Internal, 500)
	contains(t, e.Message, "may not have been saved", "same Idempotency-Key", "input/output error")
	db.fails = false
	again, err := svc.Create(b.ctx, r)
	b.ok(err)
	rows, err := b.List(b.ctx, engine.ListQuery{})
	b.ok(err)
	if !again.Replayed || len(rows) != 1 || rows[0].ID != again.ID {
		t.Errorf("the repeat made %+v, and there are %d campaigns", again, len(rows))
	}
	// A refusal is none of that.
	db.fails = true
	_, err = svc.Create(b.ctx, engine.CreateRequest{Body: parse(t, `{}`)})
	refused(t, err, engine.ValidationFailed, 400)
}
