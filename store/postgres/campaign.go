package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/record"
)

// summaries are the rows of campaigns, to which those of all other tables of a campaign refer, and with which they are
// deleted.
var summaries = record.Table[engine.Summary]{
	Kind: &record.SummaryKind,
	Encode: func(sum engine.Summary) (record.Row, error) {
		b, err := record.Encode(sum)
		return record.Row{Record: b, Other: sum.Revision}, err
	},
	Decode: func(r record.Row) (sum engine.Summary, err error) { return sum, record.DecodeRow(r.Record, &sum) },
}

// Campaign implements [store.Campaigns]: it reads the document of the present revision.
func (w workspace) Campaign(id string) (c engine.Campaign, err error) {
	if err := store.CheckIDs(w.id, record.CampaignIDs[0], id); err != nil {
		return c, err
	}
	if w.write {
		// In a statement of its own: one that waits for the row would see it as it is then, beside the revisions of before.
		w.queue.Queue("SELECT FROM campaign WHERE workspace = $1 AND id = $2"+w.lock(), w.id, id)
	}
	var n int64
	var r record.Row
	err = w.first(`SELECT c.revision, d.record, d.body FROM campaign c
		LEFT JOIN document d ON d.workspace = c.workspace AND d.campaign = c.id AND d.n = c.revision
		WHERE c.workspace = $1 AND c.id = $2`, []any{w.id, id}, func(found pgx.Rows) error { return found.Scan(&n, &r.Record, &r.Body) })
	w.noteRevision(id, n, err)
	if err != nil {
		return c, err
	}
	if r.Record == nil {
		err = errors.New("its document is missing")
	} else {
		c, err = record.Documents.Decode(r)
	}
	if err != nil {
		return engine.Campaign{}, w.Damaged(record.Documents.Kind, []any{id, n}, err)
	}
	return c, nil
}

// noteRevision notes the revision of a campaign that a writer has read and locked, or that there is none.
func (w rows) noteRevision(id string, n int64, err error) {
	if w.write && (err == nil || errors.Is(err, store.ErrNotFound)) {
		w.revisions[[2]string{w.id, id}] = n
		w.noteMissing(summaries.Kind, err, []any{id})
	}
}

// LastRevision implements [record.Backend]. It locks the campaign's row.
func (w rows) LastRevision(id string) (n int64, err error) {
	if err := store.CheckIDs(w.id, record.CampaignIDs[0], id); err != nil {
		return 0, err
	}
	if n, known := w.revisions[[2]string{w.id, id}]; known {
		return n, nil
	}
	err = w.first("SELECT revision FROM campaign WHERE workspace = $1 AND id = $2"+w.lock(), []any{w.id, id},
		func(found pgx.Rows) error { return found.Scan(&n) })
	w.noteRevision(id, n, err)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return n, err
}

// AddCampaign implements [store.Campaigns]. The first attempt expects that the id is new.
func (w workspace) AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error {
	w.expectNone(summaries.Kind, c.ID)
	w.expectNone(record.Revisions.Kind, c.ID, int64(1))
	w.expectNone(record.Documents.Kind, c.ID, int64(1))
	return w.Workspace.AddCampaign(c, sum, rev)
}

// PutCurrent implements [record.Backend].
func (w rows) PutCurrent(c engine.Campaign, sum engine.Summary) error {
	if w.watch != nil {
		w.watch.SummaryStored(w.id, sum)
	}
	w.revisions[[2]string{w.id, c.ID}] = sum.Revision
	return summaries.Put(w, sum, c.ID)
}

// DeleteCampaign implements [store.Campaigns]. Foreign keys delete what belongs to the campaign.
func (w workspace) DeleteCampaign(id string) error {
	if err := summaries.Remove(w.rows, id); err != nil {
		return err
	}
	w.revisions[[2]string{w.id, id}] = 0
	if w.watch != nil {
		w.watch.CampaignRemoved(w.id, id)
	}
	return nil
}
