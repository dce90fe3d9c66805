package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

const whatCampaign = "a campaign id"

// The tables of campaigns. The rows of all others refer to that of the campaign, and are deleted with it.
var (
	summaries = table[engine.Summary]{
		name: "campaign", key: []string{"id"}, ids: []string{whatCampaign}, others: []string{"revision"}, what: store.SummaryName,
		decode: func(record []byte, _ doc.Value) (engine.Summary, error) {
			var s wire.Summary
			err := wire.DecodeRow(record, &s)
			return s.Engine(), err
		},
	}
	documents = table[engine.Campaign]{
		name: "revision", key: []string{"campaign", "n"}, ids: []string{whatCampaign}, body: true, what: store.RevisionName,
		decode: func(record []byte, body doc.Value) (engine.Campaign, error) {
			var r revisionRecord
			err := wire.DecodeRow(record, &r)
			return engine.Campaign{Head: engine.Head(r.Head), Body: body}, err
		},
	}
	// revisions are documents without the documents.
	revisions = table[wire.Revision]{
		name: "revision", key: []string{"campaign", "n"}, ids: []string{whatCampaign}, what: store.RevisionName,
		decode: func(record []byte, _ doc.Value) (r wire.Revision, err error) { return r, wire.DecodeRow(record, &r) },
	}
	workingCopies = table[engine.WorkingCopy]{
		name: "working_copy", key: []string{"campaign"}, ids: []string{whatCampaign}, body: true, what: store.WorkingCopyName,
		decode: func(record []byte, body doc.Value) (engine.WorkingCopy, error) {
			var c wire.WorkingCopy
			err := wire.DecodeRow(record, &c)
			out := engine.WorkingCopy{Base: c.Base, Body: body, At: c.At}
			if err == nil && c.Origin != "" {
				out.Origin, err = doc.Parse([]byte(c.Origin))
			}
			return out, err
		},
	}
	dismissals = table[[]engine.Dismissal]{
		name: "dismissal", key: []string{"campaign"}, ids: []string{whatCampaign}, what: store.DismissalsName, decode: decode[[]engine.Dismissal],
	}
)

// revisionRecord is a revision without its document.
type revisionRecord struct {
	wire.Revision
	Head wire.Head `json:"head"`
}

// Campaign implements [store.Campaigns]: it reads the document of the present revision.
func (w workspace) Campaign(id string) (c engine.Campaign, err error) {
	if err := w.check(whatCampaign, id); err != nil {
		return c, err
	}
	if w.write {
		// In a statement of its own: one that waits for the row would see it as it is then, beside the revisions of before.
		w.queue.Queue("SELECT FROM campaign WHERE workspace = $1 AND id = $2"+w.lock(), w.id, id)
	}
	var n int64
	var damaged error
	err = w.first(`SELECT c.revision, r.record, r.body FROM campaign c
		LEFT JOIN revision r ON r.workspace = c.workspace AND r.campaign = c.id AND r.n = c.revision
		WHERE c.workspace = $1 AND c.id = $2`, []any{w.id, id}, func(rows pgx.Rows) error {
		var record, body pgtype.DriverBytes
		err := rows.Scan(&n, &record, &body)
		if c, damaged = documents.value(w, []any{id, n}, record, body); record == nil {
			damaged = store.Damaged(w.id, fmt.Sprintf(store.CampaignName, id), errors.New("its document is missing"))
		}
		return err
	})
	w.noteRevision(id, n, err)
	if err == nil {
		err = damaged
	}
	return c, err
}

// noteRevision notes the revision of a campaign that a writer has read and locked, or that there is none.
func (w workspace) noteRevision(id string, n int64, err error) {
	if w.write && (err == nil || errors.Is(err, store.ErrNotFound)) {
		w.revisions[[2]string{w.id, id}] = n
		summaries.noteMissing(w, err, []any{id})
	}
}

// revision returns the revision of a campaign, and locks its row; 0: there is none.
func (w workspace) revision(id string) (n int64, err error) {
	if err := w.check(whatCampaign, id); err != nil {
		return 0, err
	}
	if n, known := w.revisions[[2]string{w.id, id}]; known {
		return n, nil
	}
	err = w.first("SELECT revision FROM campaign WHERE workspace = $1 AND id = $2"+w.lock(), []any{w.id, id}, func(rows pgx.Rows) error { return rows.Scan(&n) })
	w.noteRevision(id, n, err)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return n, err
}

// AddCampaign implements [store.Campaigns].
func (w workspace) AddCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision) error {
	n, err := w.revision(c.ID)
	if err == nil && n > 0 {
		err = fmt.Errorf(store.CampaignName+" already exists", c.ID)
	}
	if err != nil {
		return err
	}
	return w.putRevision(c, sum, rev, 1)
}

// PutCampaign implements [store.Campaigns].
func (w workspace) PutCampaign(c engine.Campaign, sum engine.Summary, rev engine.Revision, coalesce bool) (int64, error) {
	last, err := w.revision(c.ID)
	if err != nil {
		return 0, err
	}
	n, replaced := store.NextRevision(last, coalesce)
	if replaced > 0 {
		if err := documents.delete(w, c.ID, replaced); err != nil {
			return 0, err
		}
	}
	if err := w.prune(c.ID, n); err != nil {
		return 0, err
	}
	return n, w.putRevision(c, sum, rev, n)
}

// prune keeps the history of a campaign, whose next revision is n, bounded.
func (w workspace) prune(id string, n int64) error {
	if !store.ShouldPruneHistory(n) {
		return nil
	}
	var all []int64
	states := map[int64]engine.State{}
	err := revisions.each(w, scanOptions{prefix: []any{id}}, func(r wire.Revision) error {
		all, states[r.N] = append(all, r.N), r.Status
		return nil
	})
	if err != nil && !errors.As(err, new(*store.CorruptError)) { // those that are damaged stay
		return err
	}
	pruned, err := store.PrunedRevisions(all, func(before, n int64) (bool, error) { return states[before] == states[n], nil })
	if err != nil || len(pruned) == 0 {
		return err
	}
	return w.exec("DELETE FROM revision WHERE workspace = $1 AND campaign = $2 AND n = ANY ($3)", w.id, id, pruned)
}

// putRevision stores a campaign, its summary, and its revision n.
func (w workspace) putRevision(c engine.Campaign, sum engine.Summary, rev engine.Revision, n int64) error {
	if err := store.SetRevision(&c, &sum, &rev, n); err != nil {
		return err
	}
	if err := errors.Join(w.putSummary(c, sum), w.ImportRevision(c.ID, rev, c)); err != nil {
		return err
	}
	w.revisions[[2]string{w.id, c.ID}] = n
	return nil
}

// putSummary stores the row of a campaign.
func (w workspace) putSummary(c engine.Campaign, sum engine.Summary) error {
	if w.watch != nil {
		w.watch.SummaryStored(w.id, sum)
	}
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedCampaign, ID: c.ID})
	return summaries.put(w, []any{c.ID}, wire.ToSummary(sum), doc.Value{}, c.Revision)
}

// ImportCampaign implements [wire.Source].
func (w workspace) ImportCampaign(c engine.Campaign, sum engine.Summary) error {
	summaries.noteMissing(w, store.ErrNotFound, []any{c.ID})
	return w.putSummary(c, sum)
}

// ImportRevision implements [wire.Source].
func (w workspace) ImportRevision(id string, rev engine.Revision, c engine.Campaign) error {
	return documents.put(w, []any{id, rev.N}, revisionRecord{wire.Revision{Revision: rev, Status: c.Status}, wire.Head(c.Head)}, c.Body)
}

// DeleteCampaign implements [store.Campaigns]. Foreign keys delete what belongs to the campaign.
func (w workspace) DeleteCampaign(id string) error {
	if err := summaries.remove(w, id); err != nil {
		return err
	}
	w.revisions[[2]string{w.id, id}] = 0
	if w.watch != nil {
		w.watch.CampaignRemoved(w.id, id)
	}
	w.changed(store.Change{Workspace: w.id, Kind: store.ChangedCampaign, ID: id})
	return nil
}

// ClearCampaign implements [store.Campaigns].
func (w workspace) ClearCampaign(id string) error {
	err := w.DeleteCampaign(id)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return err
}

// FinishDeletes implements [store.Campaigns]: nothing is left of a campaign whose row is gone.
func (w workspace) FinishDeletes() (more bool, err error) { return false, w.check() }

// Summary implements [store.Summaries].
func (w workspace) Summary(id string) (engine.Summary, error) { return summaries.get(w, id) }

// SummariesByID implements [store.Summaries].
func (w workspace) SummariesByID(ids []string, fn func(engine.Summary) error) error {
	return summaries.getAll(w, ids, fn)
}

// Summaries implements [store.Summaries]. fn may use the transaction.
func (w workspace) Summaries(fn func(engine.Summary) error) error {
	return summaries.each(w, scanOptions{}, fn)
}

// NewestSummaries implements [store.Summaries]. fn may use the transaction.
func (w workspace) NewestSummaries(fn func(engine.Summary) error) error {
	return summaries.each(w, scanOptions{descending: true}, fn)
}

// Revision implements [store.History].
func (w workspace) Revision(id string, n int64) (engine.Campaign, error) {
	return documents.get(w, id, n)
}

// Revisions implements [store.History].
func (w workspace) Revisions(id string) ([]engine.Revision, error) {
	if err := w.check(whatCampaign, id); err != nil {
		return nil, err
	}
	var all []engine.Revision
	err := revisions.each(w, scanOptions{prefix: []any{id}, descending: true}, func(r wire.Revision) error { all = append(all, r.Revision); return nil })
	return all, err
}

// WorkingCopy implements [store.WorkingCopies].
func (w workspace) WorkingCopy(id string) (engine.WorkingCopy, error) {
	return workingCopies.get(w, id)
}

// PutWorkingCopy implements [store.WorkingCopies].
func (w workspace) PutWorkingCopy(id string, c engine.WorkingCopy) error {
	return workingCopies.put(w, []any{id}, wire.WorkingCopy{Base: c.Base, At: c.At, Origin: string(c.Origin.Encode())}, c.Body)
}

// DeleteWorkingCopy implements [store.WorkingCopies].
func (w workspace) DeleteWorkingCopy(id string) error { return workingCopies.delete(w, id) }

// Dismissals implements [store.Dismissals].
func (w workspace) Dismissals(id string) ([]engine.Dismissal, error) {
	list, err := dismissals.get(w, id)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return list, err
}

// PutDismissals implements [store.Dismissals].
func (w workspace) PutDismissals(id string, list []engine.Dismissal) error {
	if len(list) == 0 {
		return dismissals.delete(w, id)
	}
	return dismissals.put(w, []any{id}, list, doc.Value{})
}
