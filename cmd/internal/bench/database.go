package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/store"
	"bugle/store/badger"
	"bugle/store/postgres"
)

// The targets of a store in a database. Rates are fractions of those of the folder in the same run.
const (
	createPart, getPart = 0.8, 0.5
	seenWithin          = 100 // ms, p99, until another server finds a change
	changesPerSecond    = 50
	databaseRows        = 150 // ms
	databaseSearchable  = 1000
	farCreates, farGets = 150, 300 // per second, with one client and 1 ms of network latency in each direction
	networkDelay        = time.Millisecond
	seenFor             = 5 * time.Second
	createCall, getCall = "durable create", "get"
	// familiar is how often a server has been asked for each campaign before reading is measured, so that it has in memory
	// what a server has that has run for some time.
	familiar = 3
)

// databases measures a store in a database.
type databases struct {
	*run
	made atomic.Int64 // number of requests
}

// all measures two servers and terminals on the database, compared with a server on the folder.
func (r *databases) all(ctx context.Context) (err error) {
	if r.Data == "" {
		return unavailable("a database is named with --data")
	}
	dir, err := r.working(ctx)
	if err != nil {
		return err
	}
	ids, err := someIDs(ctx, dir, r.Campaigns)
	if err != nil {
		return err
	}
	if err := r.carry(ctx, dir); err != nil {
		return err
	}
	if err := r.starts(ctx); err != nil {
		return err
	}
	all, err := r.calls(ctx, ids)
	if err != nil {
		return err
	}
	var calls []call
	for _, c := range all {
		if c.what == getCall || c.what == createCall {
			c.targets = nil
			calls = append(calls, c)
		}
	}
	if err := r.sideBySide(ctx, dir, calls); err != nil {
		return err
	}
	return r.far(ctx, calls)
}

// carry copies the filled store to the database, which must be empty.
func (r *databases) carry(ctx context.Context, dir string) (err error) {
	from, err := badger.Open(ctx, badger.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := postgres.Open(ctx, postgres.Options{URL: r.Data, Create: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	err = to.Read(ctx, func(tx store.Tx) error {
		ids, err := tx.Workspaces()
		if err == nil && len(ids) > 0 {
			return fmt.Errorf("%w: the database has the workspaces %s; choose an empty one", ErrOther, strings.Join(ids, ", "))
		}
		return err
	})
	if err != nil {
		return err
	}
	last := time.Now()
	carry := store.Transfer{Write: to.Write, Progress: func(n int) {
		if time.Since(last) > time.Second {
			last = time.Now()
			r.Progress(fmt.Sprintf("filling the database: %d records", n))
		}
	}}
	began := time.Now()
	err = from.Read(ctx, func(tx store.Tx) error { return carry.Workspace(ctx, tx, Workspace) })
	if err != nil {
		return err
	}
	r.add(value(Database, "carrying the store into the database", "s", time.Since(began).Seconds()))
	return r.vacuum(ctx)
}

// vacuum does what the database does by itself within some minutes after it was filled.
func (r *databases) vacuum(ctx context.Context) (err error) {
	conn, err := pgx.Connect(ctx, r.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// starts measures starts of the terminal program on the database.
func (r *databases) starts(ctx context.Context) error {
	var rows, found []time.Duration
	for range r.Starts {
		one, err := r.startOnce(ctx, r.Data, true)
		if err != nil {
			return err
		}
		rows, found = append(rows, one.rows), append(found, one.found)
	}
	for _, row := range []Row{
		durations(Database, "start to the first frame with campaigns", time.Millisecond, rows, atMost(ofMedian, databaseRows)),
		durations(Database, "start to a search that finds one far down", time.Millisecond, found, atMost(ofMedian, databaseSearchable)),
	} {
		row.Campaigns = r.Campaigns
		r.add(row)
	}
	return nil
}

// sideBySide measures two servers on the database and one on the folder.
func (r *databases) sideBySide(ctx context.Context, dir string, calls []call) (err error) {
	var servers []*server // on the folder, and two on the database
	for _, data := range []string{dir, r.Data, r.Data} {
		s, err := r.serve(ctx, data)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.close()) }()
		servers = append(servers, s)
	}
	for _, c := range calls {
		part := map[string]float64{getCall: getPart, createCall: createPart}[c.what]
		for _, clients := range r.Clients {
			folder := &place{what: c.what + ", folder", servers: servers[:1]}
			database := &place{what: c.what + ", database, two servers", servers: servers[1:]}
			if err := r.rates(ctx, c, clients, folder, database); err != nil {
				return err
			}
			row := value(Database, c.what+": database to folder", "ratio", database.rate()/folder.rate())
			if clients == slices.Max(r.Clients) {
				row.Targets = []Target{atLeast(ofValue, part)}
			}
			row.Clients = clients
			r.add(row)
		}
	}
	return r.seen(ctx, calls[len(calls)-1], servers[1].addr, servers[2].addr)
}

// place is servers that are measured together.
type place struct {
	what    string
	servers []*server
	targets []Target
	loadResult
}

// rate returns the requests per second.
func (p *place) rate() float64 { return float64(len(p.took)) / p.within.Seconds() }

// turns is how often places are measured in turn, so that a bad moment of the machine does not decide.
const turns = 3

// rates measures how many requests of a kind places handle per second, in turns. The servers of the other places are
// suspended meanwhile, so that each place has its own background work in its own turns.
func (r *databases) rates(ctx context.Context, c call, clients int, places ...*place) (err error) {
	suspend := func(p *place, on bool) {
		for _, s := range p.servers {
			err = errors.Join(err, suspend(s.cmd.Process, on))
		}
	}
	if len(places) > 1 {
		for _, p := range places {
			suspend(p, true)
			defer suspend(p, false)
		}
	}
	for turn := range turns {
		for _, p := range places {
			suspend(p, false)
			r.Progress(fmt.Sprintf("measuring: database, %s, clients: %d, turn %d of %d", p.what, clients, turn+1, turns))
			if e := r.turn(ctx, c, clients, p); err != nil || e != nil {
				return errors.Join(err, e)
			}
			if len(places) > 1 {
				suspend(p, true)
			}
		}
	}
	for _, p := range places {
		row := value(Database, p.what, "requests/s", p.rate(), p.targets...)
		row.Clients, row.Count, row.Latency = clients, len(p.took), spread(time.Millisecond, p.took)
		r.add(row)
	}
	return err
}

// turn adds the requests of one turn to those of a place. The first turn begins with others, which are not counted.
func (r *databases) turn(ctx context.Context, c call, clients int, p *place) error {
	l := load{clients: slices.Max(r.Clients), status: c.status, request: func() []byte { return c.request(r.made.Add(1)) }}
	for _, s := range p.servers {
		l.addrs = append(l.addrs, s.addr)
	}
	for first := r.made.Load(); len(p.took) == 0; {
		if _, err := l.run(ctx, r.For/2); err != nil {
			return err
		}
		if c.what != getCall || r.made.Load()-first > int64(familiar*candidates*len(l.addrs)) {
			break
		}
	}
	l.clients = clients
	done, err := l.run(ctx, r.For)
	if err != nil {
		return err
	}
	p.took, p.within = append(p.took, done.took...), p.within+done.within
	return nil
}

// seen measures how long after a campaign was created at one server the other server finds it.
func (r *databases) seen(ctx context.Context, create call, at, other string) error {
	r.Progress("measuring: database, a change that the other server finds")
	make1, find := load{addrs: []string{at}, status: create.status}, load{addrs: []string{other}, status: http.StatusOK}
	var took []time.Duration
	tick := time.NewTicker(time.Second / changesPerSecond)
	defer tick.Stop()
	for end := time.Now().Add(seenFor); time.Now().Before(end); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		answer, err := make1.once(ctx, create.request(r.made.Add(1)))
		if err != nil {
			return err
		}
		_, id, _ := strings.Cut(answer, `"id":"`)
		id, _, ok := strings.Cut(id, `"`)
		if !ok {
			return fmt.Errorf("no id in %s", answer)
		}
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
	r.add(durations(Database, fmt.Sprintf("a change is found at the other server, %d a second", changesPerSecond), time.Millisecond, took, atMost(ofP99, seenWithin)))
	return nil
}

// far measures a server with network latency to its database.
func (r *databases) far(ctx context.Context, calls []call) (err error) {
	u, err := url.Parse(r.Data)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	network := &network{to: u.Host, delay: networkDelay}
	network.work.Go(func() { network.accept(ln) })
	defer func() { err = errors.Join(err, ln.Close()); network.close() }()
	u.Host = ln.Addr().String()
	s, err := r.serve(ctx, u.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for _, c := range calls {
		target := map[string]float64{getCall: farGets, createCall: farCreates}[c.what]
		err := r.rates(ctx, c, 1, &place{what: c.what + ", 1 ms of network each way", servers: []*server{s}, targets: []Target{atLeast(ofValue, target)}})
		if err != nil {
			return err
		}
	}
	return nil
}

// network forwards connections with a delay.
type network struct {
	to    string
	delay time.Duration
	work  sync.WaitGroup

	mu     sync.Mutex
	conns  []net.Conn
	closed bool
}

func (n *network) accept(ln net.Listener) {
	for {
		near, err := ln.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", n.to)
		n.mu.Lock()
		if err != nil || n.closed {
			n.mu.Unlock()
			_ = near.Close()
			continue
		}
		n.conns = append(n.conns, near, far)
		n.mu.Unlock()
		n.work.Go(func() { n.carry(near, far) })
		n.work.Go(func() { n.carry(far, near) })
	}
}

// carry forwards one direction: each packet is sent after the delay, however many are in transit.
func (n *network) carry(from, to net.Conn) {
	type parcel struct {
		b  []byte
		at time.Time
	}
	parcels := make(chan parcel, math.MaxInt16)
	n.work.Go(func() {
		runtime.LockOSThread() // until it ends: its thread sleeps
		defer to.Close()
		for p := range parcels {
			sleepExactly(time.Until(p.at))
			if _, err := to.Write(p.b); err != nil {
				break
			}
		}
		for range parcels { // until the sender ends
		}
	})
	defer close(parcels)
	defer from.Close()
	for {
		b := make([]byte, 64<<10)
		k, err := from.Read(b)
		if k > 0 {
			parcels <- parcel{b[:k], time.Now().Add(n.delay)}
		}
		if err != nil {
			return
		}
	}
}

func (n *network) close() {
	n.mu.Lock()
	n.closed = true
	for _, c := range n.conns {
		_ = c.Close()
	}
	n.mu.Unlock()
	n.work.Wait()
}

// once sends one request over a new connection, and returns the body of the response.
func (l load) once(ctx context.Context, request []byte) (body string, err error) {
	var answer strings.Builder
	l.clients, l.request, l.body = 1, func() []byte { return request }, &answer
	_, err = l.client(ctx, 0, time.Now())
	return answer.String(), err
}
