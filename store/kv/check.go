package kv

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"bugle/store/internal/wire"
)

// Finding is one problem of a store.
type Finding struct {
	Workspace string `json:"workspace,omitempty"`
	// Campaign is the id of the affected campaign, or empty if the finding is about something else.
	Campaign string `json:"campaign,omitempty"`
	What     string `json:"what"`             // the problem, a sentence without its period
	Repair   string `json:"mend,omitempty"`   // what [Repair] does about it; empty if it cannot do anything
	Advice   string `json:"advice,omitempty"` // what a person can do if Repair cannot repair it or cannot restore lost data
	Loss     bool   `json:"loss,omitempty"`   // records were lost that the finding does not name
	Repaired bool   `json:"mended"`           // Repair succeeded
	Failed   string `json:"failed,omitempty"` // why Repair failed

	repair func(Tx) error
}

// CheckResult is the result of [Check].
type CheckResult struct {
	Format    int       `json:"format"` // of the store
	Records   int       `json:"records"`
	Campaigns int       `json:"campaigns"`
	Findings  []Finding `json:"findings"` // never nil
	// Quarantined lists the records that repairs replaced or removed, oldest first, limited to the newest of them.
	Quarantined []QuarantinedRecord `json:"kept,omitempty"`
	KeptRecords int                 `json:"kept_records,omitempty"`
}

// Healthy reports whether there are no findings, or all of them are repaired.
func (c CheckResult) Healthy() bool {
	for _, f := range c.Findings {
		if !f.Repaired {
			return false
		}
	}
	return true
}

// Repairable returns the number of findings that [Repair] can repair.
func (c CheckResult) Repairable() int {
	n := 0
	for _, f := range c.Findings {
		if f.Repair != "" && !f.Repaired {
			n++
		}
	}
	return n
}

// HasLoss reports whether the store has lost records that no finding may name.
func (c CheckResult) HasLoss() bool {
	return slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Loss })
}

// ConcernsCampaign reports whether a finding is about the campaign.
func (c CheckResult) ConcernsCampaign(workspace, campaign string) bool {
	return slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Campaign == campaign && f.Workspace == workspace })
}

// lossReporter is a [DB] that records which parts of it were lost.
type lossReporter interface {
	Lost() []string
	AcknowledgeLoss() error
}

const (
	adviceBackup = "restore the store from a backup; `bugle restore` lists them"
	adviceOne    = "restore it from a backup with `bugle restore FILE --campaign ID`; `bugle restore` lists them"
	adviceLost   = "compare with a backup; `bugle restore` lists them"
)

// Check reads every record of the store and checks it: checksums, summaries against documents, revisions against
// campaigns and their order, the index of users, and expiry times. It calls progress, which may be nil, with the number
// of records read so far. Check reads one snapshot, so others may write meanwhile.
func Check(ctx context.Context, db DB, progress func(records int)) (CheckResult, error) {
	out := CheckResult{Findings: []Finding{}}
	err := db.View(ctx, func(tx Tx) error {
		c := &checker{tx: confirmingTx{tx}, raw: tx, out: &out, spaces: map[string]bool{}}
		counts := Counts{}
		err := c.tx.Scan(nil, ScanOptions{Proved: true}, func(key, value []byte) error {
			if counts.Add(key, 1); len(value) > 0 {
				c.checkStale(key)
			}
			if out.Records++; out.Records%256 == 0 && progress != nil {
				progress(out.Records)
			}
			return c.record(bytes.Clone(key), value)
		})
		if err != nil {
			return err
		}
		l, ok := db.(lossReporter)
		return c.checkCounts(counts, ok && len(l.Lost()) > 0)
	})
	if err != nil {
		return out, fmt.Errorf("checking the store: %w", err)
	}
	if l, ok := db.(lossReporter); ok {
		for _, text := range l.Lost() { // last, so that they are acknowledged last
			out.Findings = append(out.Findings, Finding{What: text, Advice: adviceLost, Loss: true,
				Repair: "acknowledge it, after all other repairs; what was lost then counts as deleted"})
		}
	}
	if progress != nil {
		progress(out.Records)
	}
	return out, nil
}

// checkCounts compares the number of records read with the store's own counts. lossy reports that the store has a known
// loss, which may be newer than the counts.
func (c *checker) checkCounts(have Counts, lossy bool) error {
	var want Counts
	if counter, ok := c.raw.(Counter); ok {
		var err error
		if want, err = counter.Counts(); err != nil {
			return err
		}
	}
	for _, workspace := range slices.Sorted(maps.Keys(have)) {
		if !lossy && want[workspace][kindCampaign] <= have[workspace][kindCampaign] {
			continue
		}
		if err := c.reportReferenced(workspace); err != nil {
			return err
		}
	}
	if want == nil {
		return nil
	}
	for _, text := range have.Differences(want) {
		c.found(Finding{What: text, Advice: adviceLost, Loss: true, Repair: "update the number of records, after all other repairs"})
	}
	return nil
}

// maxRepairPasses limits how often [Repair] checks the store again, because one repair may make another possible.
const maxRepairPasses = 4

// Repair checks the store and repairs each finding in a transaction of its own. It returns all findings, including
// those that appeared during the repair. A record that can be read and whose checksum matches is healthy, and a record
// that exists but cannot be read at the moment may be. Repair replaces or removes neither, unless another record proves
// that it is outdated. Before it replaces or removes a record, it saves the record in the same transaction; see
// [CheckResult.Quarantined].
func Repair(ctx context.Context, db DB, progress func(records int)) (CheckResult, error) {
	out, err := Check(ctx, db, progress)
	if err != nil {
		return out, err
	}
	last := out
	last.Findings = slices.Clone(out.Findings)
	for range maxRepairPasses {
		mended, err := repairAll(ctx, db, out.Findings)
		if err != nil {
			return out, err
		}
		if mended == 0 {
			break
		}
		if last, err = Check(ctx, db, progress); err != nil {
			return out, err
		}
		out.Records, out.Campaigns, out.Format, out.Quarantined = last.Records, last.Campaigns, last.Format, last.Quarantined
		out.KeptRecords = last.KeptRecords
		places := map[string]int{}
		for i, f := range out.Findings {
			places[f.What] = i
		}
		for _, f := range last.Findings {
			at, cached := places[f.What]
			switch {
			case !cached:
				out.Findings = append(out.Findings, f)
			case !out.Findings[at].Repaired: // a repair made meanwhile may have been required first
				f.Failed = out.Findings[at].Failed
				out.Findings[at] = f
			}
		}
	}
	left := map[string]bool{}
	for _, f := range last.Findings {
		left[f.What] = true
	}
	out.Findings = slices.DeleteFunc(out.Findings, func(f Finding) bool { return !f.Repaired && !left[f.What] }) // not a problem after all
	for i, f := range out.Findings {
		if f.Repaired && left[f.What] {
			out.Findings[i].Repaired, out.Findings[i].Failed = false, "the problem is still there after the repair"
		}
	}
	return out, nil
}

// repairAll repairs the findings and records the outcome in them.
func repairAll(ctx context.Context, db DB, findings []Finding) (mended int, err error) {
	for i := range findings {
		f := &findings[i]
		do := f.repair
		switch {
		case f.Repaired || f.Repair == "":
			continue
		case do != nil:
			at := time.Now()
			err = db.Update(ctx, func(tx Tx) error { return do(repairTx{confirmingTx{tx}, at}) })
		default: // of the store as a whole
			err = db.(lossReporter).AcknowledgeLoss()
		}
		if ctx.Err() != nil {
			return mended, ctx.Err()
		}
		if err != nil {
			f.Failed = err.Error()
			continue
		}
		f.Repaired, f.Failed = true, ""
		mended++
	}
	return mended, nil
}

// checker checks the records one by one.
type checker struct {
	tx     Tx
	raw    Tx // reads without [confirmingTx]
	out    *CheckResult
	spaces map[string]bool // the workspaces whose settings were checked
	bytes  int             // total size of the quarantined records in out
}

func (c *checker) found(f Finding) { c.out.Findings = append(c.out.Findings, f) }

func (c *checker) record(key, value []byte) error {
	payload, err := decodeValue(key, value)
	switch key[0] {
	case rootMeta:
		if err != nil {
			c.found(Finding{What: fmt.Sprintf("the store's format number is damaged (%v)", err), Repair: "write it again", repair: rewriteFormat})
			return nil
		}
		var f storeFormat
		if wire.Decode(payload, &f) == nil {
			c.out.Format = f.Format
		}
		return nil
	case rootWorkspace:
		id, _, err := cutName(key[1:])
		if err != nil {
			c.unknownKey(key)
			return nil
		}
		return c.settings(id)
	case rootRecord:
		id, rest, cut := cutName(key[1:])
		if cut == nil && len(rest) > 0 {
			if err := c.settings(id); err != nil {
				return err
			}
			return recordCheck{c, NewWorkspaceTx(c.tx, id), key, rest[1:], payload}.check(rest[0], err)
		}
	case rootCopy:
		return c.checkCopy(key)
	case rootQuarantine:
		return c.checkQuarantined(key, value, err)
	}
	c.unknownKey(key)
	return nil
}

// unknownKey reports a record that no part of the program writes.
func (c *checker) unknownKey(key []byte) {
	c.found(Finding{What: fmt.Sprintf("there is a record of an unknown kind (%.40q)", key), Advice: "leave it; another program may have written it"})
}

// writeFormat stores the format number.
func writeFormat(tx Tx, n int) error {
	payload, err := wire.Encode(storeFormat{n})
	if err != nil {
		return err
	}
	return tx.Set(formatKey(), EncodeValue(formatKey(), payload))
}

// rewriteFormat stores the format number if it cannot be read.
func rewriteFormat(tx Tx) error {
	value, err := tx.Get(formatKey())
	switch {
	case err == nil && VerifyValue(formatKey(), value) == nil:
		return nil
	case err != nil && !isDamage(err):
		return err
	}
	return writeFormat(tx, Format)
}

func formatKey() []byte { return appendName([]byte{rootMeta}, "format") }
