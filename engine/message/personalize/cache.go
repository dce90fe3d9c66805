package personalize

import "sync"

// templateCache keeps the newest templates compiled, because a send fills the same few texts for many users.
// Templates in it are immutable.
var templateCache = cache{known: map[string]*template{}}

const (
	maxCached    = 16 << 20 // about how many bytes the templates take
	maxCachedOne = 2 << 20  // one of them
	bytesOfToken = 512      // with what is parsed from it
)

// cache holds templates by source. When it is full it is cleared, which is cheaper than tracking usage.
type cache struct {
	mu    sync.Mutex
	known map[string]*template
	held  int
}

// compiled is compile with a cache.
func compiled(src string) (*template, error) {
	if t := templateCache.get(src); t != nil {
		return t, nil
	}
	t, err := compile(src)
	if err == nil {
		templateCache.put(src, t)
	}
	return t, err
}

func (c *cache) get(src string) *template {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[src]
}

func (c *cache) put(src string, t *template) {
	weight := 3*len(src) + bytesOfToken*len(t.tokens)
	if weight > maxCachedOne {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held += weight; c.held > maxCached {
		clear(c.known)
		c.held = weight
	}
	c.known[src] = t
}
