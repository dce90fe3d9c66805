//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/postgres"
)

// place is servers on one store that are measured together.
type place struct {
	what    string
	servers []*server
	loadResult
}

// comparing measures two servers on the database beside one on the folder, in turns, so that a bad moment of the machine
// does not decide: the rates of gets and creates, and when a change is found at the other server.
func (r *run) comparing(ctx context.Context) error {
	if err := r.fillDatabase(ctx); err != nil {
		return err
	}
	folder, database := &place{what: "folder"}, &place{what: "database, two servers"}
	for _, at := range []struct {
		*place
		data string
	}{{folder, r.store}, {database, r.data}, {database, r.data}} {
		s, err := r.serve(ctx, at.data)
		if err != nil {
			return err
		}
		defer s.close()
		at.servers = append(at.servers, s)
	}
	least := map[string]float64{"get": 0.3, createCall: 0.5}
	for _, c := range r.calls() {
		if least[c.what] == 0 {
			continue
		}
		if err := r.inTurns(ctx, c, folder, database); err != nil {
			return err
		}
		for _, p := range []*place{folder, database} {
			r.add(row{Part: partDatabase, What: c.what + ", " + p.what, Clients: r.clients, Value: p.rate(), Unit: "requests/s", Spread: spreadOf(p.took)})
		}
		r.add(row{Part: partDatabase, What: c.what + ": database to folder", Clients: r.clients, Value: database.rate() / folder.rate(), Unit: "ratio", Targets: []target{atLeast(least[c.what])}})
		folder.loadResult, database.loadResult = loadResult{}, loadResult{}
	}
	return r.finding(ctx, database.servers[0].addr, database.servers[1].addr)
}

// fillDatabase copies the filled store to the database, which must be empty.
func (r *run) fillDatabase(ctx context.Context) (err error) {
	r.progress("filling the database")
	from, err := badger.Open(ctx, badger.Options{Dir: r.store})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := postgres.Open(ctx, postgres.Options{URL: r.data, Create: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	err = to.Read(ctx, func(tx store.Tx) error {
		ids, err := tx.Workspaces()
		if err == nil && len(ids) > 0 {
			return fmt.Errorf("the database has the workspaces %s; choose an empty one", strings.Join(ids, ", "))
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, err := backup.Copy(ctx, from, to, nil); err != nil {
		return err
	}
	// The database does this by itself within some minutes after it was filled.
	conn, err := pgx.Connect(ctx, r.data)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

// inTurns measures how many requests of a kind places handle. The servers of the others are suspended meanwhile, so that
// each place has its own background work in its own turns.
func (r *run) inTurns(ctx context.Context, c call, places ...*place) (err error) {
	suspend := func(p *place, on bool) {
		for _, s := range p.servers {
			err = errors.Join(err, s.suspend(on))
		}
	}
	var made atomic.Int64
	for _, p := range places {
		suspend(p, true)
		defer suspend(p, false)
	}
	for turn := range 3 {
		for _, p := range places {
			r.progress("measuring: database, %s, %s, turn %d of 3", c.what, p.what, turn+1)
			suspend(p, false)
			l := load{clients: r.clients, status: c.status, request: func() []byte { return c.request(made.Add(1)) }}
			for _, s := range p.servers {
				l.addrs = append(l.addrs, s.addr)
			}
			_, werr := l.run(ctx, r.length/2) // warm up connections and caches
			done, rerr := l.run(ctx, r.length)
			suspend(p, true)
			if err = errors.Join(err, werr, rerr); err != nil {
				return err
			}
			p.took, p.within = append(p.took, done.took...), p.within+done.within
		}
	}
	return err
}

// finding measures how long after a campaign was created at one server the other finds it, with fifty changes a second.
func (r *run) finding(ctx context.Context, at, other string) error {
	r.progress("measuring: database, a change that the other server finds")
	create, find := load{addrs: []string{at}, status: http.StatusCreated}, load{addrs: []string{other}, status: http.StatusOK}
	var took []time.Duration
	tick := time.NewTicker(time.Second / 50)
	defer tick.Stop()
	for n, end := int64(0), time.Now().Add(2*r.length); time.Now().Before(end); n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		answer, err := create.once(ctx, r.create(n))
		if err != nil {
			return err
		}
		_, id, _ := strings.Cut(answer, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		search := r.request(http.MethodPost, "/v5/campaigns/search", fmt.Sprintf(`{"limit":15,"page":1,"campaign_fields":{"ids":[%q],"status":["DRAFT"]}}`, id))
		for began := time.Now(); ; {
			answer, err := find.once(ctx, search)
			if err != nil {
				return err
			}
			if strings.Contains(answer, id) {
				took = append(took, time.Since(began))
				break
			}
			if time.Since(began) > patience {
				return fmt.Errorf("the other server does not find %s", id)
			}
		}
	}
	r.addDurations(partDatabase, "a change is found at the other server, 50 a second", took, p99(100))
	return nil
}
