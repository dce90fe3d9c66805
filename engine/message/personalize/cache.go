package personalize

import "sync"

// A send fills the same few texts for many people, so the newest templates stay compiled. Nothing changes a
// template once it is there.
var templateCache = cache{known: map[string]*template{}}

const (
	maxCached    = 16 << 20 // about how many bytes the templates take
	maxCachedOne = 2 << 20  // one of them
	bytesOfToken = 512      // with what is parsed from it
)

// cache holds templates by source. When it is full it starts anew, which costs less than keeping count of
// what was used last.
type cache struct {
	mu    sync.Mutex
	known map[string]*template
	held  int
}

// compiled is compile, remembered.
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
