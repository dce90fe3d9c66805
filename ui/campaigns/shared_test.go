package campaigns_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/ui/campaigns"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// indexingService is a service that maintains an index until it is removed.
type indexingService struct {
	*fake
	mu sync.Mutex
	ix *index.Index
}

func (k *indexingService) Sync(context.Context) error { return nil }

func (k *indexingService) Index(context.Context) (*index.Index, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ix, k.ix != nil
}

// setIndex sets the service's index; nil removes it.
func (k *indexingService) setIndex(ix *index.Index) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ix != nil {
		k.ix.Close(nil)
	}
	k.ix = ix
}

// newIndex returns an index of rows.
func newIndex(t *testing.T, rows ...engine.Summary) *index.Index {
	ix := index.New(index.Options{Now: func() time.Time { return uitest.Now }})
	err := ix.Load(t.Context(), func(yield func(engine.Summary, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// The list searches the service's index and loads no rows. If that index is removed, the list uses one of its
// own, until the service has one again.
func TestSharedIndex(t *testing.T) {
	all := sample()
	k := &indexingService{fake: newFake(all...)}
	k.setIndex(newIndex(t, all[:3]...))
	h := uitest.New(t, campaigns.New(uitest.Deps(k), screen.Route{}), 100, 30)
	lists := func() int { return len(callsNamed(k.Calls(), "List")) }
	h.Script("?Spring sale", "?Cart reminder", "?Weekly digest", "!Price drop")
	if n := lists(); n != 0 {
		t.Errorf("the service was asked for its rows %d times", n)
	}
	k.Index(t.Context())
	k.ix.PutNewer(all[3])
	h.Send(screen.ChangedMsg{ID: all[3].ID})
	h.Want("Price drop")

	k.setIndex(nil) // another process owns the store
	h.Send(screen.ChangedMsg{})
	h.Want("Order shipped")
	if n := lists(); n != 1 {
		t.Errorf("the service was asked for its rows %d times", n)
	}

	k.setIndex(newIndex(t, slices.Clone(all[4:8])...))
	h.Send(screen.ChangedMsg{})
	h.Script("!Spring sale", "?Black Friday")

	k.setIndex(nil) // nobody says so, but the next key finds out
	h.Script("/", ">digest", "?Weekly digest")
	k.ix = index.New(index.Options{})
	k.ix.Close(errors.New("the disk is on fire"))
	h = uitest.New(t, campaigns.New(uitest.Deps(k), screen.Route{}), 100, 30)
	h.Want("the disk is on fire")
}
