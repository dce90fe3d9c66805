package resolve

import (
	"cmp"
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
	service engine.Service
	reader  engine.AudienceReader
	filters doc.Value

	mu      sync.Mutex
	at      string   // the id of a user; empty before the first
	visited []string // before at, the oldest first
	sample  []string // random ids that were not chosen yet
}

// Cursor returns a cursor before the first user of the campaign's audience, by id.
func (c *Campaign) Cursor(reader engine.AudienceReader) *Cursor {
	return &Cursor{service: c.session.service, reader: reader, filters: c.Filters()}
}

// At returns the id of the user that the cursor is at; empty before the first.
func (c *Cursor) At() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Seek puts the cursor at the user with an id, who need not be in the audience.
func (c *Cursor) Seek(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moveTo(id)
}

// Next returns the user after the one that the cursor is at; false where there is none.
func (c *Cursor) Next(ctx context.Context) (engine.User, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for u, err := range c.reader.StreamAudience(ctx, engine.AudienceRequest{Filters: c.filters, After: c.at}) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return engine.User{}, false, err
		}
		c.moveTo(u.ID)
		return u, true, nil
	}
	return engine.User{}, false, nil
}

// Previous returns the user before the one that the cursor is at: the one that it was at before or, where it does not
// know of one, the one that comes before. It reports false where there is none.
func (c *Cursor) Previous(ctx context.Context) (engine.User, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.visited) - 1; i >= 0; i-- {
		u, ok, err := c.find(ctx, c.visited[i])
		if err != nil {
			return u, false, err
		}
		if ok {
			c.at, c.visited = u.ID, c.visited[:i]
			return u, true, nil
		}
	}
	var last engine.User
	for u, err := range c.reader.StreamAudience(ctx, engine.AudienceRequest{Filters: c.filters}) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return engine.User{}, false, err
		}
		if c.at != "" && u.ID >= c.at {
			break
		}
		last = u
	}
	if last.ID == "" {
		return last, false, nil
	}
	c.at, c.visited = last.ID, nil
	return last, true, nil
}

// find returns one user of the audience by id; false where they are no longer in it.
func (c *Cursor) find(ctx context.Context, id string) (engine.User, bool, error) {
	if users, ok := c.service.(engine.UserStore); ok {
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
			c.moveTo(u.ID)
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
	if len(sample) > 1 && sample[len(sample)-1] == c.at { // another one than now
		slices.Reverse(sample)
	}
	c.sample = sample
	return nil
}

func (c *Cursor) moveTo(id string) {
	if c.at != "" {
		c.visited = append(c.visited, c.at)
		c.visited = c.visited[max(len(c.visited)-mostVisited, 0):]
	}
	c.at = id
}
