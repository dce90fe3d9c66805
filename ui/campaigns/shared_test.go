package campaigns_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/ui/campaigns"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// keeper is a service that keeps an index, until it is moved away.
type keeper struct {
	*fake
	mu sync.Mutex
	ix *index.Index
}

func (k *keeper) Sync(context.Context) error { return nil }

func (k *keeper) Index(context.Context) (*index.Index, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ix, k.ix != nil
}

// keep hands the service an index, or with nil takes it away.
func (k *keeper) keep(ix *index.Index) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ix != nil {
		k.ix.Close(nil)
	}
	k.ix = ix
}

// fill returns an index of rows.
func fill(t *testing.T, rows ...engine.Summary) *index.Index {
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

// The list searches the index that the service keeps, and asks for no rows of its own. When nobody keeps
// that one any more it has an index of its own, and goes back to the service's where there is one again.
func TestSharedIndex(t *testing.T) {
	all := sample()
	k := &keeper{fake: newFake(all...)}
	k.keep(fill(t, all[:3]...))
	h := uitest.New(t, campaigns.New(uitest.Deps(k), screen.Route{}), 100, 30)
	lists := func() (n int) {
		for _, call := range k.Calls() {
			if strings.HasPrefix(call, "List") {
				n++
			}
		}
		return n
	}
	h.Want("Spring sale", "Cart reminder", "Weekly digest")
	h.WantNot("Price drop")
	if n := lists(); n != 0 {
		t.Errorf("the service was asked for its rows %d times", n)
	}
	k.Index(t.Context())
	k.ix.PutNewer(all[3])
	h.Send(screen.ChangedMsg{ID: all[3].ID})
	h.Want("Price drop")

	k.keep(nil) // another process has the store
	h.Send(screen.ChangedMsg{})
	h.Want("Order shipped")
	if n := lists(); n != 1 {
		t.Errorf("the service was asked for its rows %d times", n)
	}

	k.keep(fill(t, slices.Clone(all[4:8])...))
	h.Send(screen.ChangedMsg{})
	h.WantNot("Spring sale")
	h.Want("Black Friday")
}

// Without news, too, nobody goes on with an index that is not kept: the next key sees to it.
func TestIndexIsLeftInSilence(t *testing.T) {
	all := sample()
	k := &keeper{fake: newFake(all...)}
	k.keep(fill(t, all[:1]...))
	h := uitest.New(t, campaigns.New(uitest.Deps(k), screen.Route{}), 100, 30)
	k.keep(nil)
	h.Press("/")
	h.Type("digest")
	h.Want("Weekly digest")
}

// A load of the service's index that fails is said, as one of the list's own is.
func TestSharedIndexFails(t *testing.T) {
	k := &keeper{fake: newFake(sample()...)}
	ix := index.New(index.Options{})
	ix.Close(errors.New("the disk is on fire"))
	k.ix = ix
	h := uitest.New(t, campaigns.New(uitest.Deps(k), screen.Route{}), 100, 30)
	h.Want("the disk is on fire")
}
