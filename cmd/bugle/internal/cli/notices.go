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
	damaged  []string      // those about damage of the store
	known    []string      // damage that was added before
	noDamage bool          // damage is not of interest
	more     chan struct{} // has an element if there may be notices; nil until somebody waits
}

func (n *Notices) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, text)
	n.signal()
}

// Damage adds what is damaged in the store, each text once. A command that leaves it to be printed fails.
func (n *Notices) Damage(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.noDamage && !slices.Contains(n.known, text) {
		n.known, n.damaged = append(n.known, text), append(n.damaged, text)
		n.signal()
	}
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
	if n.more == nil || len(n.texts)+len(n.damaged) == 0 {
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

// IgnoreDamage drops the notices of damage, for a command that reports it itself.
func (n *Notices) IgnoreDamage() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.noDamage, n.damaged = true, nil
}

// Take returns and removes the notices.
func (n *Notices) Take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := append(n.damaged, n.texts...)
	n.texts, n.damaged = nil, nil
	return out
}

// takeDamage returns and removes the notices of damage.
func (n *Notices) takeDamage() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.damaged
	n.damaged = nil
	return out
}

// printNotices prints problems on standard error.
func (f *Factory) printNotices(texts []string) {
	for _, n := range texts {
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
