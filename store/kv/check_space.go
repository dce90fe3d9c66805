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

// spaceCheck looks at one record of a workspace.
type spaceCheck struct {
	*checker
	s       Space
	key     []byte
	rest    []byte // the key after its kind
	payload []byte // nil where the record is damaged
}

// check looks at the record; damage is what is wrong with its checksum.
func (c spaceCheck) check(kind byte, damage error) error {
	switch kind {
	case kindCampaign:
		return c.campaign(damage)
	case kindDeleted:
		return c.deletion(damage)
	case kindLook:
		return c.alone(damage, "the time of the last removal of expired records", "remove it", func() error {
			var w look
			return wire.DecodeRow(c.payload, &w)
		})
	case kindSummary, kindRevision, kindVersion, kindCopy, kindDismissed:
		return c.ofCampaign(kind, damage)
	case kindIdempotent, kindRequest:
		return c.once(kind, damage)
	case kindExpiry:
		return c.expiry(damage)
	case kindProfile:
		return c.profile(damage)
	case kindIdentifier:
		return c.identifier(damage)
	case kindOutbox:
		return c.alone(damage, "the outbox message "+label(c.rest), "remove it", func() error {
			var w wire.Delivered
			_, err := wire.DecodeWith(c.payload, &w)
			return err
		})
	case kindTest:
		at, _, err := cutTime(c.rest)
		what := fmt.Sprintf("the record of a test send at %s UTC", at.Format("2006-01-02 15:04:05.000000"))
		return c.alone(firstOf(damage, err), what, "remove it", func() error {
			var w wire.TestRecord
			_, err := wire.DecodeWith(c.payload, &w)
			return err
		})
	case kindContent:
		name, rest, err := cutName(c.rest)
		k := engine.ContentKind(name)
		return c.alone(firstOf(damage, err), "the "+k.Label()+" "+label(rest), "", func() error {
			_, err := c.s.contentItem(k, "it", c.payload)
			return err
		})
	}
	c.report(Finding{What: fmt.Sprintf("there is a record of an unknown kind (%q)", kind), Advice: "leave it; a newer version of bugle may have written it"})
	return nil
}

func (c spaceCheck) report(f Finding) {
	f.Workspace = c.s.id
	f.What = fmt.Sprintf("%s in workspace %q", f.What, c.s.id)
	c.found(f)
}

// alone looks at a record that nothing else leads to.
func (c spaceCheck) alone(damage error, what, mend string, read func() error) error {
	if damage == nil {
		damage = firstOf(read())
	}
	if damage == nil {
		return nil
	}
	f := Finding{What: fmt.Sprintf("%s is damaged (%v)", what, damage), Mend: mend, Advice: adviceBackup}
	switch {
	case c.payload != nil: // its checksum holds
		f.Mend, f.Advice = "", "leave it; a newer version of bugle may have written it"
	case mend != "":
		f.Advice, f.mend = "", c.drop()
	}
	c.report(f)
	return nil
}

// errUnknown says that a record is what was written, and cannot be understood.
var errUnknown = errors.New("its checksum holds: a later bugle may have written it")

// intact reports whether the record under key is there and its checksum holds.
func intact(tx Tx, key []byte) bool {
	value, err := tx.Get(key)
	return err == nil && Sealed(key, value) == nil
}

// in returns what repairs the workspace of the record within another transaction.
func (c spaceCheck) in(repair func(Space) error) func(Tx) error {
	ws := c.s.id // c has the transaction of the check
	return func(tx Tx) error { return repair(In(tx, ws)) }
}

// drop returns what removes the record, where its checksum still does not hold.
func (c spaceCheck) drop() func(Tx) error {
	key := c.key
	return func(tx Tx) error {
		bad, err := damaged(tx, key)
		if err != nil || !bad {
			return err
		}
		return tx.Delete(key)
	}
}

// isDamage reports whether err says that a record is damaged or not there, which are findings and no
// failures of the check. An error that will be over when it is tried again is none, whatever else it says.
func isDamage(err error) bool {
	for _, passing := range []error{store.ErrClosed, context.Canceled, context.DeadlineExceeded, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, passing) {
			return false
		}
	}
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrLost) || errors.As(err, new(*store.CorruptError))
}

// firstOf returns the first error that is one, without the name of the record.
func firstOf(errs ...error) error {
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

// campaign looks at a document, and at what is kept beside it.
func (c spaceCheck) campaign(damage error) error {
	c.out.Campaigns++
	id, _, err := cutName(c.rest)
	if err != nil {
		return c.alone(err, "a campaign", "", nil)
	}
	have, err := c.s.Campaign(id)
	if err != nil && !isDamage(err) {
		return err
	}
	if damage == nil && err == nil && have.ID != id {
		err = fmt.Errorf("it is of the campaign %q", have.ID)
	}
	if damage = firstOf(damage, err); damage != nil {
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
			Mend: fmt.Sprintf("restore revision %d", readable)}
		f.mend = c.bringBack(id)
		c.report(f)
		return nil
	case last < have.Revision:
		c.report(Finding{Campaign: id, What: fmt.Sprintf("campaign %q is at revision %d, but its history ends with %d", id, have.Revision, last),
			Mend: "add the revision to its history", mend: c.addRevision(id)})
	}
	row, err := c.s.Summary(id)
	if err != nil && !isDamage(err) {
		return err
	}
	// A summary is compared as it is stored: a member that is not is no difference.
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
	c.report(Finding{Campaign: id, What: fmt.Sprintf("the summary of campaign %q %s", id, why), Mend: "create it from the document", mend: c.addSummary(id)})
	return nil
}

// brokenCampaign reports what can be done about a document that cannot be read.
func (c spaceCheck) brokenCampaign(id string, damage error) error {
	f := Finding{Campaign: id, What: fmt.Sprintf("campaign %q is damaged (%v)", id, damage), Advice: adviceOne}
	n, err := newestReadable(c.s, id)
	if err != nil {
		return err
	}
	if n > 0 {
		f.Mend, f.Advice, f.mend = fmt.Sprintf("restore revision %d, the newest that can be read", n), "", c.bringBack(id)
	}
	c.report(f)
	return nil
}

// newestReadable returns the newest revision of a campaign whose document can be read, 0 where none can.
func newestReadable(s Space, id string) (found int64, err error) {
	prefix := s.key(kindVersion, id)
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

// bringBack returns what puts the newest readable revision of a campaign in its place, unless that is
// readable, and as new, by then. Later revisions, which cannot be read, stay in the history.
func (c spaceCheck) bringBack(id string) func(Tx) error {
	return c.in(func(s Space) error {
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
		// Written as it is: its revision is in the history already.
		old.Revision = n
		document, err := wire.EncodeWith(wire.Head(old.Head), old.Body)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("campaign %q", id)
		return errors.Join(s.put(what, s.key(kindCampaign, id), document), s.putHistory(old), s.putRow(old))
	})
}

func (c spaceCheck) addSummary(id string) func(Tx) error {
	return c.in(func(s Space) error {
		now, err := s.Campaign(id)
		if errors.Is(err, store.ErrNotFound) {
			return nil // it was deleted meanwhile
		}
		if err != nil {
			return err
		}
		return s.putRow(now)
	})
}

// addRevision returns what makes a campaign's own revision anew where its document cannot be read.
func (c spaceCheck) addRevision(id string) func(Tx) error {
	return c.in(func(s Space) error {
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
		return errors.Join(s.put(what, s.revisionKey(kindVersion, id, now.Revision), document), s.putHistory(now))
	})
}

// ofCampaign looks at what belongs to a campaign: its summary, its history, its working copy.
func (c spaceCheck) ofCampaign(kind byte, damage error) error {
	id, rest, err := cutName(c.rest)
	if err != nil {
		return c.alone(err, "a record of a campaign", "remove it", nil)
	}
	_, err = c.tx.Get(c.s.key(kindCampaign, id))
	gone := errors.Is(err, store.ErrNotFound)
	if err != nil && !gone && !errors.Is(err, store.ErrLost) {
		return err
	}
	if gone {
		if deleted, err := c.s.deleted(id); err != nil || deleted {
			return err // the mark of its deletion is reported
		}
	}
	if gone || errors.Is(err, store.ErrLost) {
		return c.goneCampaign(kind, id, gone)
	}
	switch kind {
	case kindCopy:
		_, err := c.s.Copy(id)
		if err != nil && !isDamage(err) {
			return err
		}
		return c.alone(firstOf(damage, err), fmt.Sprintf("the record of the working copy of campaign %q", id), "remove it; saved changes stay", func() error { return nil })
	case kindDismissed:
		_, err := c.s.Dismissals(id)
		if err != nil && !isDamage(err) {
			return err
		}
		return c.alone(firstOf(damage, err), fmt.Sprintf("the record of the dismissed warnings of campaign %q", id), "remove it; the warnings are shown again", func() error { return nil })
	case kindRevision, kindVersion:
		n, _, err := cutNumber(rest)
		if err != nil {
			return c.alone(err, "a revision of campaign "+label(c.rest), "remove it", nil)
		}
		return c.revision(kind, id, n)
	}
	return nil // a summary is looked at with its campaign
}

// goneCampaign reports once that a campaign is gone of which other records are left; surely says that it is
// not only lost.
func (c spaceCheck) goneCampaign(kind byte, id string, surely bool) error {
	if c.out.Names(c.s.id, id) {
		return nil
	}
	n, err := newestReadable(c.s, id)
	if err != nil {
		return err
	}
	f := Finding{Campaign: id, What: fmt.Sprintf("campaign %q is missing, but its summary or history is still there", id), Advice: adviceOne}
	switch {
	case n > 0:
		f.Mend, f.Advice, f.mend = fmt.Sprintf("restore revision %d, the newest that can be read", n), "", c.bringBack(id)
	case kind == kindCopy && surely:
		f.What = fmt.Sprintf("there is a working copy of campaign %q, which is missing", id)
		f.Mend, f.Advice, f.mend = "remove them", "", c.dropOrphan(id)
	case kind == kindDismissed && surely:
		f.What = fmt.Sprintf("there are dismissed warnings of campaign %q, which is missing", id)
		f.Mend, f.Advice, f.mend = "remove them", "", c.dropOrphan(id)
	}
	c.report(f)
	return nil
}

// dropOrphan returns what removes the record of a campaign that is not there.
func (c spaceCheck) dropOrphan(id string) func(Tx) error {
	ws, key := c.s.id, c.key
	return func(tx Tx) error {
		switch _, err := tx.Get(In(tx, ws).key(kindCampaign, id)); {
		case errors.Is(err, store.ErrNotFound):
			return tx.Delete(key)
		case err != nil:
			return err
		}
		return nil
	}
}

// revision looks at one revision: what is known of it, or its document.
func (c spaceCheck) revision(kind byte, id string, n int64) error {
	what := revisionName(id, n)
	var rev engine.Revision
	known := c.s.getJSON(what, c.s.revisionKey(kindRevision, id, n), &rev)
	if known == nil && rev.N != n {
		known = &store.CorruptError{What: what, Err: fmt.Errorf("it has the number of revision %d", rev.N)}
	}
	_, document := c.s.Revision(id, n)
	for _, err := range []error{known, document} {
		if err != nil && !isDamage(err) {
			return err
		}
	}
	switch {
	case kind == kindRevision && known != nil && document == nil:
		c.report(Finding{Campaign: id, What: fmt.Sprintf("the summary of %s is damaged", what), Mend: "create it from its document", mend: c.knowRevision(id, n)})
	case kind == kindVersion && errors.Is(known, store.ErrNotFound) && document == nil:
		c.report(Finding{Campaign: id, What: fmt.Sprintf("%s is missing from the history", what), Mend: "add it", mend: c.knowRevision(id, n)})
	case kind == kindRevision && document != nil, kind == kindVersion && document != nil && errors.Is(known, store.ErrNotFound):
		c.report(c.lostRevision(id, n))
	}
	return nil
}

func (c spaceCheck) knowRevision(id string, n int64) func(Tx) error {
	return c.in(func(s Space) error {
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

// lostRevision is about a revision without a document. The campaign's own is made again from the
// campaign; an earlier one is taken out of the history.
func (c spaceCheck) lostRevision(id string, n int64) Finding {
	f := Finding{Campaign: id, What: fmt.Sprintf("the document of %s cannot be read", revisionName(id, n)), Mend: "remove the revision from the history; the campaign itself stays"}
	f.mend = c.in(func(s Space) error {
		switch _, err := s.Revision(id, n); {
		case err == nil:
			return nil // it can be read by now
		case !isDamage(err):
			return err
		}
		if intact(s.tx, s.revisionKey(kindVersion, id, n)) {
			return errUnknown
		}
		return s.dropRevision(id, n)
	})
	if now, err := c.s.Campaign(id); err == nil && now.Revision == n {
		f.Mend, f.mend = "create it from the campaign", c.addRevision(id)
	}
	return f
}
