package api

import (
	"context"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/search/index"
)

// recordCache keeps what campaigns that were asked for lately have behind their heads in a record, as it is
// encoded: a revision of a campaign never changes. What the head is now, and whether there is a newer
// revision, is asked of the index each time. They are in two halves; when the younger one is full, the
// older one is forgotten.
type recordCache struct {
	mu         sync.Mutex
	young, old map[recordKey]encodedRest
	size       int // of the younger half, about, in bytes
}

type recordKey struct{ workspace, id string }

// encodedRest is what stands behind the head, from the save that it comes from.
type encodedRest struct {
	revision int64
	updated  time.Time
	text     []byte // as [engine.Campaign.AppendRest] gives it; never changed
}

const (
	// recordCacheBytes is how many bytes of records are kept, about: ten thousand usual ones.
	recordCacheBytes = 24 << 20
	// perRecord is how much a record takes besides its text.
	perRecord = 256
)

// find returns the head of a campaign as it is now, and what is behind it in its record. It reports false
// where that is not kept, or nobody here knows whether it is current.
func (k *recordCache) find(ctx context.Context, t Tenant, id string) (engine.Head, []byte, bool) {
	ix, ok := index.For(ctx, t.Service)
	if !ok || !k.has(t.Workspace, id, ix) { // then to read the store takes no longer than to sync
		return engine.Head{}, nil, false
	}
	if ix, ok = index.Synced(ctx, t.Service); !ok {
		return engine.Head{}, nil, false
	}
	h, ok := ix.Current(id)
	if !ok {
		return h, nil, false
	}
	r, ok := k.get(recordKey{t.Workspace, h.ID}, h)
	return h, r.text, ok
}

// has reports whether a record is kept of the save that the index has now.
func (k *recordCache) has(workspace, id string, ix *index.Index) bool {
	h, ok := ix.Current(id)
	if ok {
		_, ok = k.get(recordKey{workspace, h.ID}, h)
	}
	return ok
}

// get returns what is behind a head; false where that of its revision is not kept.
func (k *recordCache) get(key recordKey, h engine.Head) (encodedRest, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.young[key]
	if !ok {
		if r, ok = k.old[key]; ok && r.isOf(h) {
			k.keep(key, r)
		}
	}
	return r, ok && r.isOf(h)
}

// isOf reports whether head and rest come from the same save.
func (r encodedRest) isOf(h engine.Head) bool {
	return r.revision == h.Revision && r.updated.Equal(h.UpdatedAt)
}

// put keeps what is behind the head of a campaign. Where two got it from the store at once, the later
// save stays: an answer is never older than one before it.
func (k *recordCache) put(workspace string, c *engine.Campaign) {
	text, ok := c.AppendRest(nil)
	if !ok || len(text) > recordCacheBytes/64 {
		return
	}
	key := recordKey{workspace, c.ID}
	r := encodedRest{c.Revision, c.UpdatedAt, text}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, half := range []map[recordKey]encodedRest{k.young, k.old} {
		if had, ok := half[key]; ok && had.revision > r.revision && !had.updated.Before(r.updated) {
			return
		}
	}
	k.keep(key, r)
}

func (k *recordCache) keep(key recordKey, r encodedRest) {
	size := len(r.text) + perRecord
	if k.young == nil || k.size+size > recordCacheBytes/2 {
		k.young, k.old, k.size = map[recordKey]encodedRest{}, k.young, 0
	}
	if had, ok := k.young[key]; ok {
		k.size -= len(had.text) + perRecord
	}
	k.young[key] = r
	k.size += size
}
