package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// recordCheck checks one record of a workspace.
type recordCheck struct {
	*checker
	s       WorkspaceTx
	key     []byte
	rest    []byte // the key after its kind
	payload []byte // nil if the record is damaged
}

// check checks the record; damage is the error of its checksum.
func (c recordCheck) check(kind byte, damage error) error {
	switch kind {
	case kindCampaign:
		return c.campaign(damage)
	case kindDeleted:
		return c.deletion(damage)
	case kindSweep:
		return c.standalone(damage, "the time of the last removal of expired records", "remove it", func() error {
			var w sweepTime
			return wire.DecodeRow(c.payload, &w)
		})
	case kindSummary, kindRevision, kindRevisionDocument, kindCopy, kindDismissed:
		return c.campaignRecord(kind, damage)
	case kindIdempotency, kindRequest:
		return c.idempotency(kind, damage)
	case kindExpiry:
		return c.expiry(damage)
	case kindProfile:
		return c.profile(damage)
	case kindIdentifier:
		return c.identifier(damage)
	case kindOutbox:
		return c.standalone(damage, "the outbox message "+label(c.rest), "remove it", func() error {
			var w wire.Delivered
			_, err := wire.DecodeWith(c.payload, &w)
			return err
		})
	case kindTest:
		at, _, err := cutTime(c.rest)
		what := fmt.Sprintf("the record of a test send at %s UTC", at.Format("2006-01-02 15:04:05.000000"))
		return c.standalone(firstCause(damage, err), what, "remove it", func() error {
			var w wire.TestRecord
			_, err := wire.DecodeWith(c.payload, &w)
			return err
		})
	case kindContent:
		name, rest, err := cutName(c.rest)
		k := engine.ContentKind(name)
		return c.standalone(firstCause(damage, err), "the "+k.Label()+" "+label(rest), "", func() error {
			_, err := c.s.contentItem(k, "it", c.payload)
			return err
		})
	}
	c.report(Finding{What: fmt.Sprintf("there is a record of an unknown kind (%q)", kind), Advice: "leave it; a newer version of bugle may have written it"})
	return nil
}

func (c recordCheck) report(f Finding) {
	f.Workspace = c.s.id
	f.What = fmt.Sprintf("%s in workspace %q", f.What, c.s.id)
	c.found(f)
}

// standalone checks a record that no other record refers to.
func (c recordCheck) standalone(damage error, what, mend string, read func() error) error {
	if damage == nil {
		damage = firstCause(read())
	}
	if damage == nil {
		return nil
	}
	f := Finding{What: fmt.Sprintf("%s is damaged (%v)", what, damage), Repair: mend, Advice: adviceBackup}
	switch {
	case c.payload != nil: // its checksum matches
		f.Repair, f.Advice = "", "leave it; a newer version of bugle may have written it"
	case mend != "":
		f.Advice, f.repair = "", c.remove()
	}
	c.report(f)
	return nil
}

// errUnknown reports that a record's checksum matches but its contents cannot be decoded.
var errUnknown = errors.New("its checksum holds: a later bugle may have written it")

// intact reports whether the record under key exists and its checksum matches.
func intact(tx Tx, key []byte) bool {
	value, err := tx.Get(key)
	return err == nil && VerifyValue(key, value) == nil
}

// in returns a repair of the record's workspace that runs in another transaction.
func (c recordCheck) in(repair func(WorkspaceTx) error) func(Tx) error {
	ws := c.s.id // c has the transaction of the check
	return func(tx Tx) error { return repair(NewWorkspaceTx(tx, ws)) }
}

// remove returns a repair that removes the record if its checksum still does not match.
func (c recordCheck) remove() func(Tx) error {
	key := c.key
	return func(tx Tx) error {
		bad, err := damaged(tx, key)
		if err != nil || !bad {
			return err
		}
		return tx.Delete(key)
	}
}

// isDamage reports whether err means that a record is damaged or missing, which is a finding and not a failure of the
// check. A temporary error is never damage, whatever else it wraps.
func isDamage(err error) bool {
	for _, passing := range []error{store.ErrClosed, context.Canceled, context.DeadlineExceeded, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, passing) {
			return false
		}
	}
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDataLost) || errors.As(err, new(*store.CorruptError))
}

// firstCause returns the first non-nil error, without the name of the record.
func firstCause(errs ...error) error {
	for _, err := range errs {
		if corrupt := (*store.CorruptError)(nil); errors.As(err, &corrupt) {
			return corrupt.Err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// campaign checks a document and the records that belong to it.
func (c recordCheck) campaign(damage error) error {
	c.out.Campaigns++
	id, _, err := cutName(c.rest)
	if err != nil {
		return c.standalone(err, "a campaign", "", nil)
	}
	have, err := c.s.Campaign(id)
	if err != nil && !isDamage(err) {
		return err
	}
	if damage == nil && err == nil && have.ID != id {
		err = fmt.Errorf("it is of the campaign %q", have.ID)
	}
	if damage = firstCause(damage, err); damage != nil {
		return c.brokenCampaign(id, damage)
	}
	last, err := c.s.last(kindRevision, id)
	if err != nil && !isDamage(err) {
		return err
	}
	readable := have.Revision
	if last > have.Revision {
		if readable, err = newestReadable(c.s, id); err != nil {
			return err
		}
	}
	switch {
	case readable > have.Revision:
		f := Finding{Campaign: id, What: fmt.Sprintf("campaign %q is at revision %d, but its newest is %d", id, have.Revision, readable),
			Repair: fmt.Sprintf("restore revision %d", readable)}
		f.repair = c.restoreRevision(id)
		c.report(f)
		return nil
	case last < have.Revision:
		c.report(Finding{Campaign: id, What: fmt.Sprintf("campaign %q is at revision %d, but its history ends with %d", id, have.Revision, last),
			Repair: "add the revision to its history", repair: c.addRevision(id)})
	}
	row, err := c.s.Summary(id)
	if err != nil && !isDamage(err) {
		return err
	}
	// Compare the stored form of the summary: a field that is not stored is not a difference.
	want, err1 := wire.Encode(wire.ToSummary(engine.Summarize(have)))
	got, err2 := wire.Encode(wire.ToSummary(row))
	if err == nil && err1 == nil && err2 == nil && bytes.Equal(want, got) {
		return nil
	}
	why := "does not match its document"
	switch {
	case errors.Is(err, store.ErrNotFound):
		why = "is missing, so no list shows it"
	case err != nil:
		why = "is damaged"
	}
	c.report(Finding{Campaign: id, What: fmt.Sprintf("the summary of campaign %q %s", id, why), Repair: "create it from the document", repair: c.addSummary(id)})
	return nil
}

// brokenCampaign reports a document that cannot be read, and its repair.
func (c recordCheck) brokenCampaign(id string, damage error) error {
	f := Finding{Campaign: id, What: fmt.Sprintf("campaign %q is damaged (%v)", id, damage), Advice: adviceOne}
	n, err := newestReadable(c.s, id)
	if err != nil {
		return err
	}
	if n > 0 {
		f.Repair, f.Advice, f.repair = fmt.Sprintf("restore revision %d, the newest that can be read", n), "", c.restoreRevision(id)
	}
	c.report(f)
	return nil
}

// newestReadable returns the newest revision of a campaign whose document can be read, or 0.
func newestReadable(s WorkspaceTx, id string) (found int64, err error) {
	prefix := s.key(kindRevisionDocument, id)
	err = s.tx.Scan(prefix, ScanOptions{Reverse: true}, func(key, value []byte) error {
		n, _, err := cutNumber(key[len(prefix):])
		if err != nil {
			return nil
		}
		if _, err := s.Revision(id, n); isDamage(err) {
			return nil
		} else if err != nil {
			return err
		}
		found = n
		return store.Stop
	})
	return found, err
}

// restoreRevision returns a repair that restores the newest readable revision of a campaign, unless the campaign is
// readable and as new by then. Later revisions that cannot be read stay in the history.
func (c recordCheck) restoreRevision(id string) func(Tx) error {
	return c.in(func(s WorkspaceTx) error {
		if gone, err := s.deleted(id); err != nil || gone {
			return err
		}
		n, err := newestReadable(s, id)
		if err != nil || n == 0 {
			return err
		}
		switch now, err := s.Campaign(id); {
		case err == nil && now.Revision >= n:
			return s.putRow(now)
		case err != nil && !isDamage(err):
			return err
		case err != nil && intact(s.tx, s.key(kindCampaign, id)):
			return errUnknown
		}
		old, err := s.Revision(id, n)
		if err != nil {
			return err
		}
		// Write it with its own number: the history already has that revision.
		old.Revision = n
		document, err := wire.EncodeWith(wire.Head(old.Head), old.Body)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("campaign %q", id)
		return errors.Join(s.put(what, s.key(kindCampaign, id), document), s.putHistory(old), s.putRow(old))
	})
}

func (c recordCheck) addSummary(id string) func(Tx) error {
	return c.in(func(s WorkspaceTx) error {
		now, err := s.Campaign(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		return s.putRow(now)
	})
}

// addRevision returns a repair that rebuilds the campaign's current revision if its document cannot be read.
func (c recordCheck) addRevision(id string) func(Tx) error {
	return c.in(func(s WorkspaceTx) error {
		now, err := s.Campaign(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		switch _, err := s.Revision(id, now.Revision); {
		case err == nil:
			return s.putHistory(now)
		case !isDamage(err):
			return err
		}
		document, err := wire.EncodeWith(wire.Head(now.Head), now.Body)
		if err != nil {
			return err
		}
		what := revisionName(id, now.Revision)
		return errors.Join(s.put(what, s.revisionKey(kindRevisionDocument, id, now.Revision), document), s.putHistory(now))
	})
}

// campaignRecord checks a record that belongs to a campaign: its summary, its history, or its working copy.
func (c recordCheck) campaignRecord(kind byte, damage error) error {
	id, rest, err := cutName(c.rest)
	if err != nil {
		return c.standalone(err, "a record of a campaign", "remove it", nil)
	}
	_, err = c.tx.Get(c.s.key(kindCampaign, id))
	gone := errors.Is(err, store.ErrNotFound)
	if err != nil && !gone && !errors.Is(err, store.ErrDataLost) {
		return err
	}
	if gone {
		if deleted, err := c.s.deleted(id); err != nil || deleted {
			return err // the deletion marker is reported
		}
	}
	if gone || errors.Is(err, store.ErrDataLost) {
		return c.missingCampaign(kind, id, gone)
	}
	switch kind {
	case kindCopy:
		_, err := c.s.WorkingCopy(id)
		if err != nil && !isDamage(err) {
			return err
		}
		return c.standalone(firstCause(damage, err), fmt.Sprintf("the record of the working copy of campaign %q", id), "remove it; saved changes stay", func() error { return nil })
	case kindDismissed:
		_, err := c.s.Dismissals(id)
		if err != nil && !isDamage(err) {
			return err
		}
		return c.standalone(firstCause(damage, err), fmt.Sprintf("the record of the dismissed warnings of campaign %q", id), "remove it; the warnings are shown again", func() error { return nil })
	case kindRevision, kindRevisionDocument:
		n, _, err := cutNumber(rest)
		if err != nil {
			return c.standalone(err, "a revision of campaign "+label(c.rest), "remove it", nil)
		}
		return c.revision(kind, id, n)
	}
	return nil // a summary is checked with its campaign
}

// missingCampaign reports, once per campaign, that other records of a missing campaign exist. deleted means that the
// campaign was certainly not just lost.
func (c recordCheck) missingCampaign(kind byte, id string, deleted bool) error {
	if c.out.ConcernsCampaign(c.s.id, id) {
		return nil
	}
	n, err := newestReadable(c.s, id)
	if err != nil {
		return err
	}
	f := Finding{Campaign: id, What: fmt.Sprintf("campaign %q is missing, but its summary or history is still there", id), Advice: adviceOne}
	switch {
	case n > 0:
		f.Repair, f.Advice, f.repair = fmt.Sprintf("restore revision %d, the newest that can be read", n), "", c.restoreRevision(id)
	case kind == kindCopy && deleted:
		f.What = fmt.Sprintf("there is a working copy of campaign %q, which is missing", id)
		f.Repair, f.Advice, f.repair = "remove them", "", c.removeOrphan(id)
	case kind == kindDismissed && deleted:
		f.What = fmt.Sprintf("there are dismissed warnings of campaign %q, which is missing", id)
		f.Repair, f.Advice, f.repair = "remove them", "", c.removeOrphan(id)
	}
	c.report(f)
	return nil
}

// removeOrphan returns a repair that removes a record of a missing campaign.
func (c recordCheck) removeOrphan(id string) func(Tx) error {
	ws, key := c.s.id, c.key
	return func(tx Tx) error {
		switch _, err := tx.Get(NewWorkspaceTx(tx, ws).key(kindCampaign, id)); {
		case errors.Is(err, store.ErrNotFound):
			return tx.Delete(key)
		case err != nil:
			return err
		}
		return nil
	}
}

// revision checks one revision: its metadata or its document.
func (c recordCheck) revision(kind byte, id string, n int64) error {
	what := revisionName(id, n)
	var rev engine.Revision
	cached := c.s.getJSON(what, c.s.revisionKey(kindRevision, id, n), &rev)
	if cached == nil && rev.N != n {
		cached = &store.CorruptError{What: what, Err: fmt.Errorf("it has the number of revision %d", rev.N)}
	}
	_, document := c.s.Revision(id, n)
	for _, err := range []error{cached, document} {
		if err != nil && !isDamage(err) {
			return err
		}
	}
	switch {
	case kind == kindRevision && cached != nil && document == nil:
		c.report(Finding{Campaign: id, What: fmt.Sprintf("the summary of %s is damaged", what), Repair: "create it from its document", repair: c.knowRevision(id, n)})
	case kind == kindRevisionDocument && errors.Is(cached, store.ErrNotFound) && document == nil:
		c.report(Finding{Campaign: id, What: fmt.Sprintf("%s is missing from the history", what), Repair: "add it", repair: c.knowRevision(id, n)})
	case kind == kindRevision && document != nil, kind == kindRevisionDocument && document != nil && errors.Is(cached, store.ErrNotFound):
		c.report(c.lostRevision(id, n))
	}
	return nil
}

func (c recordCheck) knowRevision(id string, n int64) func(Tx) error {
	return c.in(func(s WorkspaceTx) error {
		old, err := s.Revision(id, n)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		old.Revision = n
		return s.putHistory(old)
	})
}

// lostRevision returns the finding for a revision without a document. The campaign's current revision is rebuilt from
// the campaign; an earlier one is removed from the history.
func (c recordCheck) lostRevision(id string, n int64) Finding {
	f := Finding{Campaign: id, What: fmt.Sprintf("the document of %s cannot be read", revisionName(id, n)), Repair: "remove the revision from the history; the campaign itself stays"}
	f.repair = c.in(func(s WorkspaceTx) error {
		switch _, err := s.Revision(id, n); {
		case err == nil:
			return nil // readable by now
		case !isDamage(err):
			return err
		}
		if intact(s.tx, s.revisionKey(kindRevisionDocument, id, n)) {
			return errUnknown
		}
		return s.dropRevision(id, n)
	})
	if now, err := c.s.Campaign(id); err == nil && now.Revision == n {
		f.Repair, f.repair = "create it from the campaign", c.addRevision(id)
	}
	return f
}
