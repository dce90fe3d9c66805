package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/store"
	"bugle/store/badger"
)

// searches returns fifty typical searches.
func searches() []string {
	return strings.Split(strings.TrimSpace(`
summer sale
cart rem
onboarding
blackfri
wlcm
status:draft newsletter
flash deal -tag:test
price drop updated:<30d
tag:sale loyalty
ann.lee
qz
"gift guide"
2025-03
ste oening
win-back
black friday DE
channel:push cart
type:periodic survey
survey lapsed
by:maria vip
birthday
renewal Q3
zanzibar
launch iOS
#4711
team:growth
webinar
password
autumn restock
clearance final
free ship
early acc
diwali power
status:active renewal
status:sent q4
tag:vip
updated:<7d
mothers day
café
weihnachts
newsletter US v2
b2b
referral stud
hero image
channel:email welcome
upgrade android
delivery stat
wishlist week
back to school
kilimanjaro`), "\n")
}

// page is the number of rows that a search shows.
const page = 50

// search measures searches while they are typed, one after each letter, on the rows of the store.
func (r *run) search(ctx context.Context) error {
	ix, took, err := r.index(ctx)
	if err != nil {
		return err
	}
	row := value(Searching, "making the index of the store's rows", "ms", float64(took)/float64(time.Millisecond))
	row.Campaigns = r.Campaigns
	r.add(row)
	var keys []time.Duration
	for _, text := range searches() {
		for i := range text {
			began := time.Now()
			if err := look(ctx, ix, text[:i+1], r.filled.At); err != nil {
				return err
			}
			keys = append(keys, time.Since(began))
		}
	}
	row = durations(Searching, "search as you type, each letter", time.Millisecond, keys, atMost(ofMedian, 3), atMost(ofP99, 20))
	row.Campaigns = r.Campaigns
	r.add(row)
	debug.FreeOSMemory() // the index is no longer used, and other parts are measured next
	return nil
}

func look(ctx context.Context, ix *index.Index, text string, now time.Time) error {
	q, _ := query.Parse(text, query.Env{Now: now})
	res, err := ix.Search(ctx, q, index.SearchOptions{Now: now})
	if err != nil {
		return err
	}
	res.Rows(0, page)
	return nil
}

// index builds an index of the store's rows, and returns how long that took.
func (r *run) index(ctx context.Context) (ix *index.Index, took time.Duration, err error) {
	dir, err := r.working(ctx)
	if err != nil {
		return nil, 0, err
	}
	db, err := badger.Open(ctx, badger.Options{Dir: dir})
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	began := time.Now()
	ix = index.New(index.Options{Now: func() time.Time { return r.filled.At }})
	err = db.Read(ctx, func(tx store.Tx) error {
		return ix.Load(ctx, rows(tx.Workspace(Workspace)))
	})
	if n := ix.Len(); err == nil && n != r.Campaigns {
		err = fmt.Errorf("the index has %d of %d campaigns", n, r.Campaigns)
	}
	return ix, time.Since(began), err
}

// rows iterates over the summaries of a workspace.
func rows(sp store.WorkspaceTx) iter.Seq2[engine.Summary, error] {
	return func(yield func(engine.Summary, error) bool) {
		err := sp.Summaries(func(s engine.Summary) error {
			if !yield(s, nil) {
				return store.Stop
			}
			return nil
		})
		if err != nil {
			yield(engine.Summary{}, err)
		}
	}
}
