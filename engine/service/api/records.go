package api

import (
	"context"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/search/index"
)

// recordCache keeps the encoded rest of recently requested campaigns, because a revision of a campaign never
// changes. The head, and whether there is a newer revision, is read from the index each time. It has two
// halves; when the younger one is full, the older one is dropped.
type recordCache struct {
	mu         sync.Mutex
	young, old map[recordKey]encodedRest
	size       int // of the younger half, in bytes (approximate)
}

type recordKey struct{ workspace, id string }

// encodedRest is the encoded part of a record after its head.
type encodedRest struct {
	revision int64
	updated  time.Time
	text     []byte // as from [engine.Campaign.AppendRest]; immutable
}

const (
	// recordCacheBytes is the approximate size of the cached records: ten thousand typical ones.
	recordCacheBytes = 24 << 20
	// perRecord is the memory of a record besides its text.
	perRecord = 256
)

// find returns the current head of a campaign and the cached rest of its record. It returns false if that is
// not cached, or not known to be current.
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

// has reports whether the index's current revision of a record is cached.
func (k *recordCache) has(workspace, id string, ix *index.Index) bool {
	h, ok := ix.Current(id)
	if ok {
		_, ok = k.get(recordKey{workspace, h.ID}, h)
	}
	return ok
}

// get returns the rest for a head, or false if that revision is not cached.
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

// isOf reports whether head and rest are of the same revision.
func (r encodedRest) isOf(h engine.Head) bool {
	return r.revision == h.Revision && r.updated.Equal(h.UpdatedAt)
}

// put caches the rest of a campaign's record. If two were read concurrently, the later revision stays, so
// that a response is never older than one before it.
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
