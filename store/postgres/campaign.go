package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

const whatCampaign = "a campaign id"

// campaignKey names a campaign.
type campaignKey struct{ workspace, id string }

// documents are the campaigns of a workspace.
type documents struct{ *records }

func (d documents) key(id string) campaignKey { return campaignKey{d.id, id} }

// Campaign implements [store.Campaigns].
func (d documents) Campaign(id string) (engine.Campaign, error) {
	if err := d.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	var revision int64
	var p parts
	var sum *int64
	if d.write {
		// In a statement of its own: one that waits for the row would see it as it is then, beside the revisions of before.
		d.queue.Queue("SELECT FROM campaign WHERE workspace = $1 AND id = $2 FOR UPDATE", d.id, escape(id))
	}
	err := d.one(`SELECT c.revision, r.head, r.body, r.checksum FROM campaign c
		LEFT JOIN revision r ON r.workspace = c.workspace AND r.campaign = c.id AND r.n = c.revision
		WHERE c.workspace = $1 AND c.id = $2`, []any{d.id, escape(id)}, &revision, &p.head, &p.body, &sum)
	if err == nil || errors.Is(err, store.ErrNotFound) {
		d.see(id, revision)
	}
	if err != nil {
		return engine.Campaign{}, err
	}
	what := fmt.Sprintf("campaign %q", id)
	if sum == nil {
		return engine.Campaign{}, d.damaged(what, errors.New("its document is missing"))
	}
	return d.campaign(what, id, revision, p, *sum)
}

// see notes the revision of a campaign that a writer has read and locked; 0: there is none.
func (d documents) see(id string, revision int64) {
	if !d.write {
		return
	}
	if d.seen == nil {
		d.seen = map[campaignKey]int64{}
	}
	d.seen[d.key(id)] = revision
}

func (d documents) campaign(what, id string, n int64, p parts, sum int64) (engine.Campaign, error) {
	if sum != d.revisionSum(id, n, p) {
		return engine.Campaign{}, d.damaged(what, errChecksum)
	}
	var h wire.Head
	body, err := p.decode(&h)
	if err != nil {
		return engine.Campaign{}, d.damaged(what, err)
	}
	return engine.Campaign{Head: engine.Head(h), Body: body}, nil
}

func (d documents) revisionSum(id string, n int64, p parts) int64 {
	return d.sum("revision", []byte(id), number(n), p.head, p.body)
}

// metaSum returns the checksum of a revision's metadata: time, author, note and size.
func (r *records) metaSum(id string, n int64, meta []byte) int64 {
	return r.sum("revision meta", []byte(id), number(n), meta)
}

// Revision implements [store.History].
func (d documents) Revision(id string, n int64) (engine.Campaign, error) {
	if err := d.check(whatCampaign, id); err != nil {
		return engine.Campaign{}, err
	}
	var p parts
	var sum int64
	err := d.one("SELECT head, body, checksum FROM revision WHERE workspace = $1 AND campaign = $2 AND n = $3", []any{d.id, escape(id), n}, &p.head, &p.body, &sum)
	if err != nil {
		return engine.Campaign{}, err
	}
	return d.campaign(revisionName(id, n), id, n, p, sum)
}

func revisionName(id string, n int64) string { return fmt.Sprintf("campaign %q, revision %d", id, n) }

// AddCampaign implements [store.Campaigns].
func (d documents) AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error {
	if err := d.check(whatCampaign, c.ID); err != nil {
		return err
	}
	switch n, err := d.locked(c.ID); {
	case err != nil:
		return err
	case n > 0:
		return fmt.Errorf("campaign %q already exists", c.ID)
	}
	return d.putRevision(c, sum, rev, 1, true)
}

// locked returns the revision of a campaign, and locks its row; 0: there is none.
func (d documents) locked(id string) (revision int64, err error) {
	if n, ok := d.seen[d.key(id)]; ok {
		return n, nil
	}
	err = d.one("SELECT revision FROM campaign c WHERE workspace = $1 AND id = $2"+d.lock("c"), []any{d.id, escape(id)}, &revision)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	if err == nil {
		d.see(id, revision)
	}
	return revision, err
}

// PutCampaign implements [store.Campaigns].
func (d documents) PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error) {
	if err := d.check(whatCampaign, c.ID); err != nil {
		return 0, err
	}
	last, err := d.locked(c.ID)
	if err != nil {
		return 0, err
	}
	n := last + 1
	if coalesce && last > 1 {
		if err := d.exec("DELETE FROM revision WHERE workspace = $1 AND campaign = $2 AND n = $3", d.id, escape(c.ID), last); err != nil {
			return 0, err
		}
	}
	if err := d.thin(c.ID, n); err != nil {
		return 0, err
	}
	return n, d.putRevision(c, sum, rev, n, last == 0)
}

// putRevision stores a campaign, its summary, and its revision n.
func (d documents) putRevision(c engine.Campaign, sum engine.Summary, rev engine.Revision, n int64, added bool) error {
	if sum.ID != c.ID {
		return fmt.Errorf("campaign %q cannot have the summary of campaign %q", c.ID, sum.ID)
	}
	c.Revision, sum.Revision = n, n
	rev.N, rev.Size = n, c.Body.Size()
	if err := errors.Join(d.putRow(c, sum, n, added), d.putPast(c.ID, rev, c)); err != nil {
		return err
	}
	d.see(c.ID, n)
	return nil
}

// putRow writes the row of a campaign.
func (d documents) putRow(c engine.Campaign, sum engine.Summary, n int64, added bool) error {
	row, err := wire.Encode(wire.ToSummary(sum))
	if err != nil {
		return fmt.Errorf("the summary of campaign %q %w", c.ID, err)
	}
	if d.watch != nil {
		d.watch.SummaryStored(d.id, sum)
	}
	d.changed(store.Change{Workspace: d.id, Kind: store.ChangedCampaign, ID: c.ID})
	values := []any{d.id, escape(c.ID), n, escape(sum.Name), escape(string(c.Status)), escape(string(c.Channel)), escape(string(c.DeliveryType)), escape(sum.Team),
		escaped(sum.Tags), escape(c.CreatedBy), escape(c.UpdatedBy), at(c.CreatedAt), at(c.UpdatedAt), at(sum.Start), at(sum.End), row, d.sum("campaign", []byte(c.ID), row)}
	if added {
		return d.exec(`INSERT INTO campaign (workspace, id, revision, name, status, channel, delivery_type, team, tags, created_by, updated_by, created_at, updated_at,
			starts_at, ends_at, summary, checksum) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`, values...)
	}
	return d.exec(`UPDATE campaign SET revision = $3, name = $4, status = $5, channel = $6, delivery_type = $7, team = $8, tags = $9,
		created_by = $10, updated_by = $11, created_at = $12, updated_at = $13, starts_at = $14, ends_at = $15, summary = $16, checksum = $17
		WHERE workspace = $1 AND id = $2`, values...)
}

// putPast writes the row of a revision.
func (d documents) putPast(id string, rev engine.Revision, c engine.Campaign) error {
	p, err1 := split(wire.Head(c.Head), c.Body)
	meta, err2 := wire.Encode(wire.Revision{Revision: rev, Status: c.Status})
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("%s %w", revisionName(id, rev.N), err)
	}
	return d.exec(`INSERT INTO revision (workspace, campaign, n, at, author, status, meta, meta_sum, head, body, checksum)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		d.id, escape(id), rev.N, at(rev.At), escape(rev.By), escape(string(c.Status)), meta, d.metaSum(id, rev.N, meta), p.head, p.body, d.revisionSum(id, rev.N, p))
}

func escaped(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = escape(s)
	}
	return out
}

// DeleteCampaign implements [store.Campaigns]. Foreign keys delete what belongs to the campaign.
func (d documents) DeleteCampaign(id string) error {
	if err := d.check(whatCampaign, id); err != nil {
		return err
	}
	n, err := d.locked(id)
	if err != nil {
		return err
	}
	if n == 0 {
		return store.ErrNotFound
	}
	return d.ClearCampaign(id)
}

// ClearCampaign implements [store.Campaigns].
func (d documents) ClearCampaign(id string) error {
	if err := d.check(whatCampaign, id); err != nil {
		return err
	}
	if err := d.exec("DELETE FROM campaign WHERE workspace = $1 AND id = $2", d.id, escape(id)); err != nil {
		return err
	}
	d.see(id, 0)
	if d.watch != nil {
		d.watch.CampaignRemoved(d.id, id)
	}
	d.changed(store.Change{Workspace: d.id, Kind: store.ChangedCampaign, ID: id})
	return nil
}

// FinishDeletes implements [store.Campaigns]: nothing is left of a campaign whose row is gone.
func (d documents) FinishDeletes() (more bool, err error) { return false, d.check() }

// rows are the summaries of campaigns.
type rows struct{ *records }

// Summary implements [store.Summaries].
func (r rows) Summary(id string) (engine.Summary, error) {
	if err := r.check(whatCampaign, id); err != nil {
		return engine.Summary{}, err
	}
	var b []byte
	var sum int64
	if err := r.one("SELECT summary, checksum FROM campaign WHERE workspace = $1 AND id = $2", []any{r.id, escape(id)}, &b, &sum); err != nil {
		return engine.Summary{}, err
	}
	return r.summary(id, b, sum)
}

func (r rows) summary(id string, b []byte, sum int64) (engine.Summary, error) {
	what := fmt.Sprintf("the summary of campaign %q", id)
	if sum != r.sum("campaign", []byte(id), b) {
		return engine.Summary{}, r.damaged(what, errChecksum)
	}
	var w wire.Summary
	if err := wire.DecodeSummary(b, &w); err != nil {
		return engine.Summary{}, r.damaged(what, err)
	}
	return w.Engine(), nil
}

// each calls fn with the summaries that a question finds. It returns those that are damaged at the end.
func (r rows) each(sql string, args []any, fn func(engine.Summary) error) error {
	if err := r.check(); err != nil {
		return err
	}
	var bad []error
	r.long = true
	err := r.query(sql, args, func(rows pgx.Rows) error {
		raw := rows.RawValues() // id, summary, checksum; valid until the next row
		var sum int64
		if err := rows.Scan(nil, nil, &sum); err != nil {
			return err
		}
		row, err := r.summary(unescape(string(raw[0])), raw[1], sum)
		if err != nil {
			bad = append(bad, err)
			return nil
		}
		return fn(row)
	})
	if err != nil {
		return err
	}
	return errors.Join(bad...)
}

// SummariesByID implements [store.Summaries].
func (r rows) SummariesByID(ids []string, fn func(engine.Summary) error) error {
	return r.each("SELECT id, summary, checksum FROM campaign WHERE workspace = $1 AND id = ANY ($2)", []any{r.id, escaped(ids)}, fn)
}

// Summaries implements [store.Summaries]. fn may use the transaction.
func (r rows) Summaries(fn func(engine.Summary) error) error {
	return byID(r.records, "SELECT id, summary, checksum FROM campaign WHERE workspace = $1 AND id > $2 ORDER BY id LIMIT $3", "", r.summary, fn)
}

// byID calls fn with the records that a question for a page of ids, documents and checksums finds, page by page, so that
// fn may use the transaction. It returns at the end what is damaged.
func byID[T any](r *records, sql, after string, decode func(id string, b []byte, sum int64) (T, error), fn func(T) error) error {
	if err := r.check(); err != nil {
		return err
	}
	var bad []error
	after = escape(after)
	err := pages(func(n int) (int, error) {
		var some []T
		got := 0
		err := r.query(sql, []any{r.id, after, n}, func(rows pgx.Rows) error {
			var b []byte
			var sum int64
			if err := rows.Scan(&after, &b, &sum); err != nil {
				return err
			}
			got++
			v, err := decode(unescape(after), b, sum)
			if err != nil {
				bad = append(bad, err)
				return nil
			}
			some = append(some, v)
			return nil
		})
		if err != nil {
			return got, err
		}
		return got, give(some, fn)
	})
	if err != nil {
		return err
	}
	return errors.Join(bad...)
}

// NewestSummaries implements [store.Summaries].
func (r rows) NewestSummaries(fn func(engine.Summary) error) error {
	// With a LIMIT the database takes the rows from the index one by one; otherwise it sorts all before it sends the first.
	return r.each("SELECT id, summary, checksum FROM campaign WHERE workspace = $1 ORDER BY id DESC LIMIT $2", []any{r.id, limited(0)}, fn)
}

// pages calls page with how many rows to read, more each time, until it reads fewer or [store.Stop] ends it.
func pages(page func(n int) (int, error)) error {
	for n := 64; ; n = min(8*n, 4096) {
		got, err := page(n)
		if errors.Is(err, store.Stop) {
			return nil
		}
		if err != nil || got < n {
			return err
		}
	}
}

func give[T any](list []T, fn func(T) error) error {
	for _, v := range list {
		if err := fn(v); err != nil {
			return err
		}
	}
	return nil
}

// history is the revisions of campaigns.
type history struct{ *records }

// Revisions implements [store.History].
func (h history) Revisions(id string) ([]engine.Revision, error) {
	if err := h.check(whatCampaign, id); err != nil {
		return nil, err
	}
	var out []engine.Revision
	var bad []error
	err := h.query("SELECT n, meta, meta_sum FROM revision WHERE workspace = $1 AND campaign = $2 ORDER BY n DESC", []any{h.id, escape(id)}, func(rows pgx.Rows) error {
		var n int64
		var b []byte
		var sum int64
		if err := rows.Scan(&n, &b, &sum); err != nil {
			return err
		}
		var rev engine.Revision
		err := errChecksum
		if sum == h.metaSum(id, n, b) {
			err = wire.Decode(b, &rev)
		}
		if err != nil {
			bad = append(bad, h.damaged(revisionName(id, n), err))
			return nil
		}
		out = append(out, rev)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, errors.Join(bad...)
}

// thin keeps the history of a campaign, whose next revision is n, bounded.
func (d documents) thin(id string, n int64) error {
	if !store.ShouldPruneHistory(n) {
		return nil
	}
	return d.exec(`DELETE FROM revision r USING (
			SELECT n, status, row_number() OVER w AS place, lag(status) OVER w AS before, count(*) OVER () AS total
			FROM revision WHERE workspace = $1 AND campaign = $2 WINDOW w AS (ORDER BY n)) AS h
		WHERE r.workspace = $1 AND r.campaign = $2 AND r.n = h.n AND h.total > $3::int + $4::int AND h.place <= h.total - $3::int
			AND h.place % 2 = 0 AND h.status = h.before`, d.id, escape(id), store.NewestRevisions, store.OlderRevisions)
}

// copies are the working copies of campaigns.
type copies struct{ *records }

func copyName(id string) string { return fmt.Sprintf("the working copy of campaign %q", id) }

// WorkingCopy implements [store.WorkingCopies].
func (c copies) WorkingCopy(id string) (engine.WorkingCopy, error) {
	if err := c.check(whatCampaign, id); err != nil {
		return engine.WorkingCopy{}, err
	}
	var p parts
	var sum int64
	if err := c.one("SELECT head, body, checksum FROM working_copy WHERE workspace = $1 AND campaign = $2", []any{c.id, escape(id)}, &p.head, &p.body, &sum); err != nil {
		return engine.WorkingCopy{}, err
	}
	if sum != c.sum("working_copy", []byte(id), p.head, p.body) {
		return engine.WorkingCopy{}, c.damaged(copyName(id), errChecksum)
	}
	var w wire.WorkingCopy
	body, err := p.decode(&w)
	out := engine.WorkingCopy{Base: w.Base, Body: body, At: w.At}
	if err == nil && w.Origin != "" {
		out.Origin, err = doc.Parse([]byte(w.Origin))
	}
	if err != nil {
		return engine.WorkingCopy{}, c.damaged(copyName(id), err)
	}
	return out, nil
}

// PutWorkingCopy implements [store.WorkingCopies].
func (c copies) PutWorkingCopy(id string, w engine.WorkingCopy) error {
	if err := c.check(whatCampaign, id); err != nil {
		return err
	}
	p, err := split(wire.WorkingCopy{Base: w.Base, At: w.At, Origin: string(w.Origin.Encode())}, w.Body)
	if err != nil {
		return fmt.Errorf("%s %w", copyName(id), err)
	}
	return c.exec(`INSERT INTO working_copy (workspace, campaign, at, head, body, checksum) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (workspace, campaign) DO UPDATE SET at = excluded.at, head = excluded.head, body = excluded.body, checksum = excluded.checksum`,
		c.id, escape(id), at(w.At), p.head, p.body, c.sum("working_copy", []byte(id), p.head, p.body))
}

// DeleteWorkingCopy implements [store.WorkingCopies].
func (c copies) DeleteWorkingCopy(id string) error {
	if err := c.check(whatCampaign, id); err != nil {
		return err
	}
	return c.exec("DELETE FROM working_copy WHERE workspace = $1 AND campaign = $2", c.id, escape(id))
}
