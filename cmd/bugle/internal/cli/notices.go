package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Notices collects problems found when stores were opened, or in the background, until they are shown.
type Notices struct {
	mu      sync.Mutex
	texts   []string
	damaged []string // those about damage of the store
	known   []string // damage that was added before
}

func (n *Notices) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, text)
}

// Damage adds what is damaged in the store, each text once. A command that leaves it to be printed fails.
func (n *Notices) Damage(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.known, text) {
		n.known, n.damaged = append(n.known, text), append(n.damaged, text)
	}
}

// noticeInterval is how often [Notices.Follow] looks for notices.
const noticeInterval = 250 * time.Millisecond

// Follow calls show with each notice as it comes, until ctx ends.
func (n *Notices) Follow(ctx context.Context, show func(text string)) {
	tick := time.NewTicker(noticeInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		for _, text := range n.Take() {
			show(text)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
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
	errs := Printer{Streams: Streams{Out: f.Err}}
	for _, n := range texts {
		if f.JSON {
			_ = errs.PrintJSONLine(map[string]string{"notice": n}) // there is nowhere else to say it
			continue
		}
		fmt.Fprintln(f.Err, "bugle: "+Line(n))
	}
}
