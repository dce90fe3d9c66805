package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/postgres"
	"bugle/store/postgres/pgtest"
)

// statements notes the statements of a store, with the arguments of the first call of each.
type statements struct {
	mu   sync.Mutex
	args map[string][]any
}

func (s *statements) note(sql string, args []any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.args[sql]; !known {
		s.args[sql] = args
	}
}

// noted returns the statements so far. Leases are renewed meanwhile.
func (s *statements) noted() map[string][]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.args)
}

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	s.note(q.SQL, q.Args)
	return ctx
}

func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (s *statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	for _, q := range b.Batch.QueuedQueries {
		s.note(q.SQL, q.Arguments)
	}
	return ctx
}

func (s *statements) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (s *statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// filler makes the tables as large as those of a large team, so that the planner takes indexes where there are any.
const filler = `
INSERT INTO campaign (workspace, id, revision, record) SELECT 'DEMO', 'f' || n, 3, '{}' FROM generate_series(1, 100000) AS n;
INSERT INTO revision (workspace, campaign, n, record) SELECT 'DEMO', 'f' || n, r, '{}' FROM generate_series(1, 100000) AS n, generate_series(1, 3) AS r;
INSERT INTO document (workspace, campaign, n, record, body) SELECT 'DEMO', 'f' || n, r, '{}', '{}' FROM generate_series(1, 100000) AS n, generate_series(1, 3) AS r;
INSERT INTO working_copy (workspace, campaign, record, body) SELECT 'DEMO', 'f' || n, '{}', '{}' FROM generate_series(1, 10000) AS n;
INSERT INTO dismissal (workspace, campaign, record) SELECT 'DEMO', 'f' || n, '[]' FROM generate_series(1, 10000) AS n;
INSERT INTO app_user (workspace, id, record) SELECT 'DEMO', 'f' || n, '{}' FROM generate_series(1, 100000) AS n;
INSERT INTO user_identifier (workspace, kind, digest, user_id) SELECT 'DEMO', 'email', sha256(n::text::bytea), 'f' || n FROM generate_series(1, 100000) AS n;
INSERT INTO content (workspace, kind, name, version, record, body) SELECT 'DEMO', 'product_set', 'f' || n, 0, '{"product_set":{}}', '' FROM generate_series(1, 10000) AS n;
INSERT INTO outbox (workspace, id, record, body) SELECT 'DEMO', 'f' || n, '{}', '{}' FROM generate_series(1, 20000) AS n;
INSERT INTO test_send (workspace, at, n, record, body) SELECT 'DEMO', now() - n * interval '1 second', 0, '{}', '{}' FROM generate_series(1, 20000) AS n;
INSERT INTO idempotency (workspace, operation, key, expires_at, record)
	SELECT 'DEMO', 'create', 'f' || n, now() + n * interval '1 minute', '{}' FROM generate_series(1, 100000) AS n;
INSERT INTO change (workspace, kind, id, origin) SELECT 'DEMO', 'campaign', 'f' || n, gen_random_uuid() FROM generate_series(1, 100000) AS n;
ANALYZE;`

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// With 100,000 campaigns, no statement of what people and servers do all day reads a whole table.
func TestStatementsUseIndexes(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	plain := handle(t, url)
	write(t, plain, func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space}) })
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	exec(t, conn, "SET plan_cache_mode = force_generic_plan") // as the store does
	for sql := range strings.SplitSeq(filler, ";\n") {        // each in a transaction of its own: a long one would hold up the feeds of other tests
		exec(t, conn, sql)
	}
	traced := &statements{args: map[string][]any{}}
	db, err := postgres.OpenTraced(t.Context(), postgres.Options{URL: url}, traced)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	day(t, db)
	plans := 0
	for sql, args := range traced.noted() {
		verb, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
		switch strings.ToUpper(verb) {
		case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		default:
			continue
		}
		var plan []struct{ Plan planNode }
		var b []byte
		name := fmt.Sprint("s", plans)
		if _, err := conn.Exec(t.Context(), "PREPARE "+name+" AS "+sql); err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if len(args) > 0 {
			name += " (" + strings.Repeat("NULL, ", len(args)-1) + "NULL)" // the plan is the same for all
		}
		if err := conn.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE "+name).Scan(&b); err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if err := json.Unmarshal(b, &plan); err != nil {
			t.Fatal(err)
		}
		plans++
		if table := plan[0].Plan.scanned(); table != "" {
			t.Errorf("this statement reads all of %s:\n%s\n%s", table, sql, b)
		}
	}
	if plans < 40 {
		t.Errorf("only %d statements were looked at", plans)
	}
}

// planNode is a part of a plan, https://www.postgresql.org/docs/current/sql-explain.html.
type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Plans    []planNode `json:"Plans"`
}

// scanned returns a large table that the plan reads as a whole.
func (p planNode) scanned() string {
	if p.Type == "Seq Scan" {
		switch p.Relation {
		case "workspace", "segment", "api_key", "lease", "rate", "bugle_schema": // small
		default:
			return p.Relation
		}
	}
	for _, sub := range p.Plans {
		if table := sub.scanned(); table != "" {
			return table
		}
	}
	return ""
}

// day does with a store what people and servers do all day.
func day(t *testing.T, db *postgres.DB) {
	t.Helper()
	following, stop := context.WithCancel(t.Context())
	defer stop()
	ready := make(chan struct{})
	go db.Follow(following, func() { close(ready) }, func([]store.Change) {})
	<-ready
	body, err := doc.Parse([]byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for n := range 2 {
		id := fmt.Sprint("c", n)
		c, sum, rev := campaign(id, `{"a":1}`)
		steps := []func(store.WorkspaceTx) error{
			func(s store.WorkspaceTx) error { return s.AddCampaign(c, sum, rev) },
			func(s store.WorkspaceTx) error { _, err := s.Campaign(id); return err },
			func(s store.WorkspaceTx) error { _, err := s.PutCampaign(c, sum, rev, false); return err },
			func(s store.WorkspaceTx) error { _, err := s.PutCampaign(c, sum, rev, true); return err },
			func(s store.WorkspaceTx) error { _, err := s.Revision(id, 1); return err },
			func(s store.WorkspaceTx) error { _, err := s.Revisions(id); return err },
			func(s store.WorkspaceTx) error {
				return s.SummariesByID([]string{id, "c0"}, func(engine.Summary) error { return nil })
			},
			func(s store.WorkspaceTx) error { return s.NewestSummaries(func(engine.Summary) error { return nil }) },
			func(s store.WorkspaceTx) error {
				return s.PutWorkingCopy(id, engine.WorkingCopy{Base: 1, Body: body, At: now})
			},
			func(s store.WorkspaceTx) error { _, err := s.WorkingCopy(id); return err },
			func(s store.WorkspaceTx) error { return s.DeleteWorkingCopy(id) },
			func(s store.WorkspaceTx) error {
				return s.PutProfiles(engine.User{ID: "u", Attributes: map[string]any{"Email (Standard)": "a@example.com"}})
			},
			func(s store.WorkspaceTx) error {
				return s.PutProfiles(engine.User{ID: "u1"}, engine.User{ID: "u2"})
			},
			func(s store.WorkspaceTx) error { _, err := s.Profile("u"); return err },
			func(s store.WorkspaceTx) error { _, err := s.FindProfiles(store.ByEmail, "a@example.com"); return err },
			func(s store.WorkspaceTx) error {
				return s.ProfilesByID([]string{"u", "u1"}, func(engine.User) error { return nil })
			},
			func(s store.WorkspaceTx) error { return s.DeleteProfile("u") },
			func(s store.WorkspaceTx) error {
				return s.PutContent(engine.ContentItem{Products: &engine.ProductSet{Name: "b"}})
			},
			func(s store.WorkspaceTx) error {
				_, err := s.ContentItem(engine.ContentRef{Kind: engine.KindProducts, Name: "b"})
				return err
			},
			func(s store.WorkspaceTx) error {
				return s.DeleteContent(engine.ContentRef{Kind: engine.KindProducts, Name: "b"})
			},
			func(s store.WorkspaceTx) error { return s.PutOutbox(engine.OutboxMessage{ID: "z" + id, At: now}) },
			func(s store.WorkspaceTx) error { _, err := s.Outbox(20); return err },
			func(s store.WorkspaceTx) error { _, err := s.TrimOutbox(1000); return err },
			func(s store.WorkspaceTx) error { return s.PutTestSend(engine.TestRecord{At: now, Body: body}) },
			func(s store.WorkspaceTx) error { return s.TestSends(20, func(engine.TestRecord) error { return nil }) },
			func(s store.WorkspaceTx) error {
				return s.PutIdempotencyRecord(store.IdempotencyRecord{Operation: "create", Key: id, At: now, ExpiresAt: now.Add(time.Hour), Lease: db.Lease(), Running: true})
			},
			func(s store.WorkspaceTx) error { _, err := s.IdempotencyRecord("create", id); return err },
			func(s store.WorkspaceTx) error { _, err := s.LeaseHeld(db.Lease()); return err },
			func(s store.WorkspaceTx) error { return s.DeleteIdempotencyRecord("create", id) },
			func(s store.WorkspaceTx) error { _, err := s.Sweep(now); return err },
			func(s store.WorkspaceTx) error { _, err := s.Settings(); return err },
			func(s store.WorkspaceTx) error { return s.PutSettings(engine.Workspace{ID: space, Name: id}) },
			func(s store.WorkspaceTx) error { return s.DeleteCampaign(id) },
		}
		for _, step := range steps {
			write(t, db, step)
		}
		if err := db.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
