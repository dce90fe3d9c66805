package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
)

// mostLoads is how many campaigns one statement reads.
const mostLoads = 64

// load is a call that reads the present revision of a campaign.
type load struct {
	key  campaignKey
	etag int64 // of the campaign in the cache, or unknownETag
	row  campaignRow
	err  error         // [store.ErrNotFound] if there is none
	done chan struct{} // closed when row and err are set
}

// unknownETag is the etag of no campaign.
const unknownETag = -1

// campaignRow is a campaign as the tables have it, without its document if the caller has that already.
type campaignRow struct {
	etag, revision int64
	parts
	checksum *int64 // nil: its document is missing
}

// Campaign implements [store.Getter].
func (d *DB) Campaign(ctx context.Context, workspace, id string) (engine.Campaign, error) {
	if err := ctx.Err(); err != nil {
		return engine.Campaign{}, err
	}
	of := documents{&records{&tx{ctx: ctx, db: d}, workspace}}
	if err := of.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	for attempt := 0; ; attempt++ {
		known, etag := d.cache.get(of.key(id)), int64(unknownETag)
		if known != nil {
			etag = known.etag
		}
		row, err := d.load(ctx, of.key(id), etag)
		switch {
		case err == nil && known != nil && row.etag == etag:
			return known.campaign, nil
		case err == nil:
			return of.take(id, row)
		case ctx.Err() != nil:
			return engine.Campaign{}, ctx.Err()
		case attempt == 2 || !lost(err):
			return engine.Campaign{}, d.explain(err)
		}
	}
}

// load reads a campaign with a statement that begins after the call. Concurrent calls share one. The document is not read
// if the etag is still that of the campaign.
func (d *DB) load(ctx context.Context, key campaignKey, etag int64) (campaignRow, error) {
	l := &load{key: key, etag: etag, done: make(chan struct{})}
	if err := d.loads.join(d, l); err != nil {
		return campaignRow{}, err
	}
	select {
	case <-l.done:
		return l.row, l.err
	case <-ctx.Done():
		return campaignRow{}, ctx.Err()
	}
}

// loading answers calls of load.
func (d *DB) loading(ctx context.Context, calls []*load) {
	err := d.loadAll(ctx, calls)
	for _, l := range calls {
		if err != nil {
			l.err = err
		}
		close(l.done)
	}
}

const loadCampaigns = `SELECT k.i, c.etag, c.revision, r.head, r.body, r.checksum
	FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS k (workspace, id, etag, i)
	JOIN campaign c ON c.workspace = k.workspace AND c.id = k.id
	LEFT JOIN revision r ON r.workspace = c.workspace AND r.campaign = c.id AND r.n = CASE WHEN c.etag <> k.etag THEN c.revision END`

func (d *DB) loadAll(ctx context.Context, calls []*load) error {
	if d.ctx.Err() != nil {
		return store.ErrClosed
	}
	ctx, cancel := context.WithTimeout(ctx, d.o.Patience)
	defer cancel()
	conn, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	spaces, ids, etags := make([]string, len(calls)), make([]string, len(calls)), make([]int64, len(calls))
	for i, l := range calls {
		spaces[i], ids[i], etags[i] = l.key.workspace, escape(l.key.id), l.etag
		l.err = store.ErrNotFound
	}
	rows, err := conn.Query(ctx, loadCampaigns, spaces, ids, etags)
	if err != nil {
		return err
	}
	var i int64
	var row campaignRow
	_, err = pgx.ForEachRow(rows, []any{&i, &row.etag, &row.revision, &row.head, &row.body, &row.checksum}, func() error {
		calls[i-1].row, calls[i-1].err = row, nil
		row = campaignRow{}
		return nil
	})
	return err
}
