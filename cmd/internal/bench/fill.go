package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"bugle/engine"
	"bugle/engine/search/index/indextest"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// Workspace is the id of the one workspace of a filled store.
const Workspace = "BENCH"

// Filled describes a store that [Fill] has filled. It is saved next to the store.
type Filled struct {
	Campaigns int       `json:"campaigns"`
	Seed      uint64    `json:"seed"`
	At        time.Time `json:"at"`      // time of the newest change
	Key       string    `json:"api_key"` // API key of the workspace with all scopes
	Took      float64   `json:"took_s"`  // duration of the fill in seconds
}

// The two campaigns that are searched for by their unique names, which every column shows in full: the one changed
// last, and one that is older than nine tenths of the others.
const (
	FirstName = "Kilimanjaro"
	FarName   = "Zanzibar"
)

// filledFile is the name of the file with the description of a filled store in its data folder.
const filledFile = "bench.json"

// ErrOther reports that a folder contains something other than the requested store.
var ErrOther = errors.New("the folder holds another store")

// Fill fills a new store in dir with n campaigns, or reuses one of that size from an earlier Fill. The same n and seed
// produce the same campaigns, except for the times, which end now. progress is called with the number of campaigns so
// far. A failed fill leaves what it has written.
func Fill(ctx context.Context, dir string, n int, seed uint64, progress func(done int)) (Filled, error) {
	have, err := readFilled(dir)
	switch {
	case err == nil && have.Campaigns == n && have.Seed == seed:
		return have, nil
	case err == nil:
		return have, fmt.Errorf("%w: it has %d campaigns of seed %d; choose an empty folder", ErrOther, have.Campaigns, have.Seed)
	case !errors.Is(err, fs.ErrNotExist):
		return have, err
	}
	if _, err := os.Stat(filepath.Join(dir, badger.Folder)); err == nil {
		return have, fmt.Errorf("%w, which was not filled for measuring; choose an empty folder", ErrOther)
	}
	began := time.Now()
	f := Filled{Campaigns: n, Seed: seed, At: began.UTC().Truncate(time.Second)}
	if f.Key, err = f.write(ctx, dir, progress); err != nil {
		return f, fmt.Errorf("filling the store: %w", err)
	}
	f.Took = time.Since(began).Seconds()
	return f, f.keep(dir)
}

func readFilled(dir string) (f Filled, err error) {
	b, err := os.ReadFile(filepath.Join(dir, filledFile))
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return f, fmt.Errorf("reading %s: %w", filledFile, err)
	}
	return f, nil
}

func (f Filled) keep(dir string) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filledFile), b, 0o600)
}

const (
	// fillers is the number of concurrent transactions: while one waits for the disk, others are prepared.
	fillers = 4
	// batch is the number of campaigns in a transaction of slightly more than 1 MB.
	batch = 192
)

// write fills the store, and returns the workspace's API key.
func (f Filled) write(ctx context.Context, dir string, progress func(int)) (key string, err error) {
	m, err := newMaker(ctx, f)
	if err != nil {
		return "", err
	}
	db, err := badger.Open(ctx, badger.Options{Dir: dir})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if key, err = local.CreateWorkspace(ctx, db, m.workspace); err != nil {
		return "", err
	}
	group, filling := errgroup.WithContext(ctx)
	batches := make(chan []numbered)
	group.Go(func() error {
		defer close(batches)
		return cut(filling, f, batches)
	})
	var done atomic.Int64
	for range fillers {
		group.Go(func() error {
			for rows := range batches {
				if err := m.put(filling, db, rows); err != nil {
					return err
				}
				progress(int(done.Add(int64(len(rows)))))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return key, err
	}
	// A store that has grown over time has nothing left to compact.
	return key, db.Compact(ctx)
}

// numbered is a row and its position, starting with the newest change.
type numbered struct {
	engine.Summary
	n int
}

// cut sends the rows in batches.
func cut(ctx context.Context, f Filled, out chan<- []numbered) error {
	rows := make([]numbered, 0, batch)
	send := func() error {
		select {
		case out <- rows:
			rows = make([]numbered, 0, batch)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	n := 0
	for row, err := range indextest.All(f.Campaigns, f.Seed) {
		if err != nil {
			return err
		}
		if rows = append(rows, numbered{row, n}); len(rows) == batch {
			if err := send(); err != nil {
				return err
			}
		}
		n++
	}
	if len(rows) == 0 {
		return nil
	}
	return send()
}

// put writes a batch of campaigns in one transaction.
func (m *maker) put(ctx context.Context, db kv.DB, rows []numbered) error {
	made := make([][]revision, len(rows))
	for i, row := range rows {
		made[i] = m.revisions(row)
	}
	return db.Update(ctx, func(tx kv.Tx) error {
		for _, steps := range made {
			sp := kv.NewWorkspaceTx(&freshTx{Tx: tx}, Workspace)
			for _, s := range steps {
				rev := engine.Revision{At: s.UpdatedAt, By: s.UpdatedBy, Note: s.note}
				if _, err := sp.PutCampaign(s.Campaign, engine.Summarize(s.Campaign), rev, false); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// freshTx is a transaction that writes one new campaign: it only searches its own records, because searching the store
// would take most of the time.
type freshTx struct {
	kv.Tx
	keys [][]byte
}

func (f *freshTx) Get([]byte) ([]byte, error) { return nil, store.ErrNotFound }

func (f *freshTx) Set(key, value []byte) error {
	f.keys = append(f.keys, key)
	return f.Tx.Set(key, value)
}

// Scan returns the newest of its own records with the prefix, which is what the history needs.
func (f *freshTx) Scan(prefix []byte, _ kv.ScanOptions, fn func(key, value []byte) error) error {
	for i := len(f.keys) - 1; i >= 0; i-- {
		if key := f.keys[i]; len(key) > len(prefix) && string(key[:len(prefix)]) == string(prefix) {
			if err := fn(key, nil); !errors.Is(err, store.Stop) {
				return err
			}
			return nil
		}
	}
	return nil
}
