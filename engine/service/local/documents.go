package local

import (
	"sync"

	"bugle/engine"
)

// documentCache keeps campaigns that searches returned recently, because a revision of a campaign never
// changes. It has two halves; when the younger one is full, the older one is dropped.
type documentCache struct {
	mu         sync.Mutex
	young, old map[string]document
	size       int // of the younger half, in bytes (approximate)
}

type document struct {
	engine.Campaign
	size int
}

const (
	// documentCacheBytes is the approximate size of the cached documents.
	documentCacheBytes = 16 << 20
	// The memory of a document: a multiple of its text, and a minimum.
	perByte, perDocument = 4, 1 << 10
)

// get returns the campaign for a row's revision, or false if it is not cached.
func (d *documentCache) get(row engine.Summary) (engine.Campaign, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	kept, ok := d.young[row.ID]
	if !ok {
		if kept, ok = d.old[row.ID]; ok && sameSave(kept.Campaign, row) {
			d.keep(kept)
		}
	}
	return kept.Campaign, ok && sameSave(kept.Campaign, row)
}

// sameSave reports whether a campaign and a row are of the same revision.
func sameSave(c engine.Campaign, row engine.Summary) bool {
	return c.Revision == row.Revision && c.UpdatedAt.Equal(row.UpdatedAt)
}

func (d *documentCache) put(c engine.Campaign) {
	kept := document{c, perByte*len(c.Body.Encode()) + perDocument}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keep(kept)
}

func (d *documentCache) keep(c document) {
	if d.young == nil || d.size+c.size > documentCacheBytes/2 {
		d.young, d.old, d.size = map[string]document{}, d.young, 0
	}
	d.young[c.ID] = c
	d.size += c.size
}
