package campaigns_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/index"
	"bugle/ui/campaigns"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

func TestStartsWithAQuery(t *testing.T) {
	h := uitest.New(t, campaigns.New(uitest.Deps(uitest.NewFake(sample()...)), screen.Route{Query: "status:draft tag:sale"}), 80, 24)
	h.Want("/ status:draft tag:sale", "1 of 11", "Spring sale")
}

func TestSearchProblemsAreMarked(t *testing.T) {
	h, _ := open(t, 100, 30, sample()...)
	h.Script(
		"/", ">stats:draft sale", `?Unknown filter "stats". Did you mean status?`, "?0 of 11",
		"enter", "?Did you mean status?", // it stays, because it still applies
		"esc", "!Did you mean",
	)

	h.Script(
		"/", ">status:dr", "!0 of 11", "!Did you mean", // not finished
		">ft", `?There is no state "drft". Did you mean draft?`, "?0 of 11", "?Press esc to see all campaigns.", // not everything instead
	)
}

// Words that name a state, a channel or a type find it, and a filter that does not exist is called one.
func TestSearchSaysWhatItFinds(t *testing.T) {
	for text, want := range map[string][]string{
		"draft email":     {"Untitled Email", "1 of 11"},
		"active push":     {"Cart reminder", "Price drop", "2 of 11"},
		"paused periodic": {"Weekly digest", "1 of 11"},
		"sale draft":      {"Spring sale", "1 of 11"},
		"city:berlin":     {`Unknown filter "city". Use status, channel, type, tag, by, team,`, "0 of 11"},
		"status:live":     {`There is no state "live". Did you mean is:live?`, "0 of 11"},
	} {
		h, _ := open(t, 100, 30, sample()...)
		h.Script("/", ">"+text)
		h.Press("enter")
		h.Want(want...)
	}
}

// The list follows changes elsewhere, one campaign at a time.
func TestLiveChanges(t *testing.T) {
	h, f := open(t, 80, 24, sample()...)
	f.UpdateRows(func(rows []engine.Summary) []engine.Summary {
		rows[3].Name, rows[3].Status, rows[3].Revision = "Price rise", catalog.Paused, 7
		return rows
	})
	h.Send(screen.ChangedMsg{ID: id(4)})
	h.Want("Price rise", "Paused 2")
	f.UpdateRows(func(rows []engine.Summary) []engine.Summary { return slices.Delete(rows, 3, 4) })
	h.Send(screen.ChangedMsg{ID: id(4)})
	h.WantNot("Price rise")
	f.UpdateRows(func(rows []engine.Summary) []engine.Summary { return rows[1:] })
	h.Send(screen.ChangedMsg{})
	h.Script("?9 of 9", "!Spring sale")
}

func TestEverythingArchived(t *testing.T) {
	h, _ := open(t, 80, 24, sample()[11])
	h.Want("All campaigns are archived", "is:all")
	h.FromPalette("archive")
	h.Want("Easter 2024", "1 of 1")
}

// Rows arrive in any order during loading. The cursor stays at the top, on the campaign that was changed last,
// unless the user moves it.
func TestCursorWhileLoading(t *testing.T) {
	rows := make([]engine.Summary, 600) // the last changed campaign arrives last
	for i := range rows {
		rows[i] = row(i, fmt.Sprintf("Sale %03d", i), catalog.Push, catalog.OneTime, catalog.Draft, time.Duration(600-i)*time.Second)
	}
	for want, keys := range map[string][]string{"Sale 599": nil, "Sale 510": {"down"}} {
		ix, more := index.New(index.Options{}), make(chan struct{})
		go ix.Load(t.Context(), func(yield func(engine.Summary, error) bool) {
			for i, row := range rows {
				if i == 512 { // the first rows are shown
					<-more
				}
				yield(row, nil)
			}
		})
		k := &indexingService{Fake: uitest.NewFake()}
		k.Fail("List", errors.New("the store is closed"))
		h := uitest.New(t, campaigns.New(uitest.Deps(k), screen.Route{}), 80, 20)
		k.setIndex(ix)
		h.Hold()
		h.Press("r")
		h.Until("▌ Sale 511")
		h.Press(keys...)
		close(more)
		h.Until("600 of 600")
		h.Want("▌ " + want)
	}
}

// Enter accepts the highlighted row: a complete word is searched for, a partial value becomes the suggestion.
func TestEnterAcceptsHighlightedRow(t *testing.T) {
	rows := sample()
	rows[3].Tags = []string{"sale-2"}
	for typed, want := range map[string]struct{ row, search string }{
		"sale":                {"/ sale", "/ sale"},
		"dra":                 {"> Use “dra”", "/ dra"},
		"status:dr":           {"> draft", "/ status:draft _"},
		"spring status:":      {"> draft", "/ spring status:draft _"},
		"tag:sale":            {"> Use “tag:sale”", "/ tag:sale"},
		"by:ann":              {"> ann@example.com", "/ by:ann@example.com _"},
		"flagship":            {"/ flagship", "/ flagship"},
		"status:draft,active": {"", "/ status:draft,active"},
	} {
		h, _ := open(t, 100, 30, rows...)
		h.Script("/", ">"+typed)
		h.Want(want.row)
		h.Press("enter")
		h.Want(want.search)
		if typing := strings.HasSuffix(want.search, "_"); typing != strings.Contains(h.Text(), "Typing") {
			t.Errorf("%q, enter: typing goes on: %v", typed, !typing)
		}
	}
	h, _ := open(t, 100, 30, rows...)
	h.Script(
		"/", "?  status:", "!> ", // nothing was typed
		">sta", "?> Use “sta”", "?  status:", "down enter", "?/ status:", "?> draft",
		">paus", "?> paused", "!> draft", "!scheduled",
		"@Use “status:paus”", "?/ status:paus", "?Keys",
	)
}

// indexingService is a service that maintains an index until it is removed.
type indexingService struct {
	*uitest.Fake
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

// The list searches the service's index. If that index is removed, the list uses one of its own, until the service has one
// again.
func TestSharedIndex(t *testing.T) {
	all := sample()
	k := &indexingService{Fake: uitest.NewFake(all...)}
	k.setIndex(newIndex(t, all[:3]...))
	h := uitest.New(t, campaigns.New(uitest.Deps(k), screen.Route{}), 100, 30)
	h.Script("?Spring sale", "?Cart reminder", "?Weekly digest", "!Price drop")
	k.ix.PutNewer(all[3])
	h.Send(screen.ChangedMsg{ID: all[3].ID})
	h.Want("Price drop")

	k.setIndex(nil) // another process owns the store
	h.Send(screen.ChangedMsg{})
	h.Want("Order shipped")
	k.setIndex(newIndex(t, slices.Clone(all[4:8])...))
	h.Send(screen.ChangedMsg{})
	h.Script("!Spring sale", "?Black Friday")

	k.setIndex(nil) // nobody says so, but the next key finds out
	h.Script("/", ">digest", "?Weekly digest")
	k.ix = index.New(index.Options{})
	k.ix.Close(errors.New("the disk is on fire"))
	uitest.New(t, campaigns.New(uitest.Deps(k), screen.Route{}), 100, 30).Want("the disk is on fire")
}
