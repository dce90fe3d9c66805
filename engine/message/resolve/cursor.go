package resolve

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"bugle/engine"
	"bugle/engine/doc"
)

const (
	mostVisited = 256 // how many users a cursor can go back to without looking for them
	sampleSize  = 64  // how many random users it picks at once
)

// Cursor goes through the users of an audience, one at a time. It remembers where it is; a call that fails, or is
// canceled, leaves it there. It holds no more than some hundred ids, and is safe for concurrent use.
type Cursor struct {
	campaign *Campaign // which calls no content API
	reader   engine.AudienceReader
	filters  doc.Value
	texts    []Text
	// lackingFirst puts the users first for whom an expression has no value.
	lackingFirst bool

	mu      sync.Mutex
	at      place
	visited []place  // before at, the oldest first
	sample  []string // random ids that were not chosen yet
}

// place is where a cursor is. The zero place is before the first user.
type place struct {
	id   string
	rest bool // among the users that lack nothing, who come last
}

// Cursor returns a cursor before the first user of the campaign's audience, by id. With lackingFirst, the users for whom
// an expression of a message has no value come first, and then all others.
func (c *Campaign) Cursor(reader engine.AudienceReader, lackingFirst bool) *Cursor {
	out := &Cursor{campaign: c.Deferred(), reader: reader, filters: c.Filters(), lackingFirst: lackingFirst}
	seen := map[string]bool{}
	for _, key := range c.Written() {
		for _, t := range c.Texts(key) {
			if at := t.Path.String(); !seen[at] {
				seen[at] = true
				out.texts = append(out.texts, t)
			}
		}
	}
	return out
}

// At returns the id of the user that the cursor is at; empty before the first.
func (c *Cursor) At() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at.id
}

// Seek puts the cursor at a user, who need not be in the audience.
func (c *Cursor) Seek(ctx context.Context, u engine.User) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	lacks, err := c.lacks(ctx, u)
	if err == nil {
		c.moveTo(place{u.ID, c.lackingFirst && !lacks})
	}
	return err
}

// Next returns the user after the one that the cursor is at; false where there is none.
func (c *Cursor) Next(ctx context.Context) (engine.User, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for from := c.at; ; from = (place{rest: true}) {
		for u, err := range c.reader.StreamAudience(ctx, engine.AudienceRequest{Filters: c.filters, After: from.id}) {
			if err != nil {
				return engine.User{}, false, err
			}
			ok, err := c.in(ctx, u, from.rest)
			if err != nil {
				return engine.User{}, false, err
			}
			if ok {
				c.moveTo(place{u.ID, from.rest})
				return u, true, nil
			}
		}
		if from.rest || !c.lackingFirst {
			return engine.User{}, false, nil
		}
	}
}

// Previous returns the user before the one that the cursor is at: the one that it was at before or, where it does not
// know of one, the one that comes before. It reports false where there is none.
func (c *Cursor) Previous(ctx context.Context) (engine.User, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.visited) - 1; i >= 0; i-- {
		u, ok, err := c.find(ctx, c.visited[i].id)
		if err != nil {
			return u, false, err
		}
		if ok {
			c.at, c.visited = c.visited[i], c.visited[:i]
			return u, true, nil
		}
	}
	last, at, ok, err := c.before(ctx, c.at)
	if err == nil && !ok && c.at.rest {
		last, at, ok, err = c.before(ctx, place{})
	}
	if err != nil || !ok {
		return engine.User{}, false, err
	}
	c.at, c.visited = at, nil
	return last, true, nil
}

// before returns the last user that comes before a place; with the zero place, the last of all that lack something.
func (c *Cursor) before(ctx context.Context, end place) (last engine.User, at place, ok bool, err error) {
	for u, err := range c.reader.StreamAudience(ctx, engine.AudienceRequest{Filters: c.filters}) {
		if err != nil {
			return last, at, false, err
		}
		if end.id != "" && u.ID >= end.id {
			break
		}
		in, err := c.in(ctx, u, end.rest)
		if err != nil {
			return last, at, false, err
		}
		if in {
			last, at, ok = u, place{u.ID, end.rest}, true
		}
	}
	return last, at, ok, nil
}

// find returns one user of the audience by id; false where they are no longer in it.
func (c *Cursor) find(ctx context.Context, id string) (engine.User, bool, error) {
	if users, ok := c.campaign.session.service.(engine.UserStore); ok {
		u, err := users.User(ctx, id)
		if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
			return u, false, nil
		}
		return u, err == nil, err
	}
	for u, err := range c.reader.StreamAudience(ctx, engine.AudienceRequest{Filters: c.filters}) {
		if err != nil || u.ID == id {
			return u, err == nil, err
		}
		if u.ID > id {
			break
		}
	}
	return engine.User{}, false, nil
}

// Random returns a random user of the audience, and puts the cursor there; false where the audience is empty. All users
// are as likely, and one look at the audience serves several calls.
func (c *Cursor) Random(ctx context.Context) (engine.User, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for fresh := false; ; fresh = true {
		for len(c.sample) > 0 {
			last := len(c.sample) - 1
			u, ok, err := c.find(ctx, c.sample[last])
			if err != nil {
				return u, false, err
			}
			c.sample = c.sample[:last]
			if !ok {
				continue // who was deleted meanwhile
			}
			lacks, err := c.lacks(ctx, u)
			if err != nil {
				return u, false, err
			}
			c.moveTo(place{u.ID, c.lackingFirst && !lacks})
			return u, true, nil
		}
		if fresh {
			return engine.User{}, false, nil
		}
		if err := c.draw(ctx); err != nil {
			return engine.User{}, false, err
		}
	}
}

// draw picks random users from the audience.
func (c *Cursor) draw(ctx context.Context) error {
	var sample []string
	n := 0
	for u, err := range c.reader.StreamAudience(ctx, engine.AudienceRequest{Filters: c.filters}) {
		if err != nil {
			return err
		}
		if n++; len(sample) < sampleSize {
			sample = append(sample, u.ID)
		} else if i := rand.IntN(n); i < sampleSize {
			sample[i] = u.ID
		}
	}
	rand.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
	if len(sample) > 1 && sample[len(sample)-1] == c.at.id { // another one than now
		slices.Reverse(sample)
	}
	c.sample = sample
	return nil
}

func (c *Cursor) moveTo(p place) {
	if c.at.id != "" {
		c.visited = append(c.visited, c.at)
		c.visited = c.visited[max(len(c.visited)-mostVisited, 0):]
	}
	c.at = p
}

// in reports whether a user is in the first part of the order, or in the rest.
func (c *Cursor) in(ctx context.Context, u engine.User, rest bool) (bool, error) {
	if !c.lackingFirst {
		return true, ctx.Err()
	}
	lacks, err := c.lacks(ctx, u)
	return lacks != rest, err
}

// lacks reports whether an expression of a message has no value for a user.
func (c *Cursor) lacks(ctx context.Context, u engine.User) (bool, error) {
	if !c.lackingFirst {
		return false, ctx.Err()
	}
	missing, err := c.campaign.For(ViewerOf(u)).Lacks(ctx, c.texts)
	return slices.ContainsFunc(missing, func(m Missing) bool { return !m.Deferred }), err
}
