package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Notices collects problems found when stores were opened, or in the background, until they are shown.
type Notices struct {
	mu       sync.Mutex
	texts    []string
	unwanted func(text string) bool // reports whether to drop a notice; nil keeps all
	more     chan struct{}          // has an element if there may be notices; nil until somebody waits
}

func (n *Notices) add(texts ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range texts {
		if n.unwanted == nil || !n.unwanted(text) {
			n.texts = append(n.texts, text)
		}
	}
	n.signal()
}

// Arrived returns a channel that receives a value when there are notices to take.
func (n *Notices) Arrived() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.more == nil {
		n.more = make(chan struct{}, 1)
		n.signal()
	}
	return n.more
}

func (n *Notices) signal() {
	if n.more == nil || len(n.texts) == 0 {
		return
	}
	select {
	case n.more <- struct{}{}:
	default: // the last ones are not taken yet
	}
}

// Follow calls show with each notice as it arrives, until ctx ends.
func (n *Notices) Follow(ctx context.Context, show func(text string)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.Arrived():
		}
		for _, text := range n.Take() {
			show(text)
		}
	}
}

// Drop drops unwanted notices, both current and later ones.
func (n *Notices) Drop(unwanted func(text string) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.unwanted = unwanted
	n.texts = slices.DeleteFunc(n.texts, unwanted)
}

// Take returns and removes the notices.
func (n *Notices) Take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.texts
	n.texts = nil
	return out
}

// PrintNotices prints the problems found when this command opened the store on standard error.
func (f *Factory) PrintNotices() {
	for _, n := range f.Notices.Take() {
		if f.JSON {
			b, err := json.Marshal(map[string]string{"notice": n})
			if err == nil {
				fmt.Fprintf(f.Err, "%s\n", Escaped(string(b)))
			}
			continue
		}
		fmt.Fprintln(f.Err, "bugle: "+Line(n))
	}
}
