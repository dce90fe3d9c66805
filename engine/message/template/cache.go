package template

import "sync"

// templates keeps the newest templates parsed, because a send fills the same few texts for many users.
var templates = cache{known: map[string]*Template{}}

const (
	maxCached    = 16 << 20 // about how many bytes the templates take
	maxCachedOne = 2 << 20  // one of them
	bytesOfToken = 200      // with what is parsed from it
)

// cache holds templates by source. When it is full it is cleared, which is cheaper than tracking usage.
type cache struct {
	mu    sync.Mutex
	known map[string]*Template
	held  int
}

func (c *cache) get(src string) *Template {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[src]
}

func (c *cache) put(src string, t *Template) {
	weight := 3*len(src) + bytesOfToken*t.tokens
	if weight > maxCachedOne || t.tokens == 0 {
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
