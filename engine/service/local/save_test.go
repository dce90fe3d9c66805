package local_test

import (
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
)

func notes(t *testing.T, b *bench, id string) string {
	t.Helper()
	revs, err := b.Revisions(b.ctx, id)
	b.ok(err)
	var out []string
	for _, r := range revs {
		out = append(out, r.Note)
	}
	return strings.Join(out, "; ")
}

func TestSave(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s}`, pushHead)
	save := func(rev int64, body, note string, coalesce bool) (engine.Head, error) {
		return b.Save(b.ctx, engine.SaveRequest{ID: id, Revision: rev, Body: parse(t, body), By: "bo@example.com", Note: note, Coalesce: coalesce})
	}
	// What is no valid campaign yet is kept to the byte.
	const odd = `{"basic_details":{"name":5.0,"x":"\u0041\t"},"mystery":[1e2]}`
	h, err := save(1, odd, "name", false)
	b.ok(err)
	if c := b.get(id); h.Revision != 2 || c.Revision != 2 || string(c.Body.Encode()) != odd || c.UpdatedBy != "bo@example.com" {
		t.Errorf("%+v %s", c.Head, c.Body.Encode())
	}
	h, err = save(2, `{"basic_details":{"name":"a"}}`, "typing", false)
	b.ok(err)
	h, err = save(h.Revision, `{"basic_details":{"name":"ab"}}`, "typing", true)
	b.ok(err)
	if got := notes(t, b, id); got != "typing; name; created" {
		t.Errorf("history %q", got)
	}
	old, err := b.Revision(b.ctx, id, 2)
	b.ok(err)
	if string(old.Body.Encode()) != odd {
		t.Errorf("revision 2 is %s", old.Body.Encode())
	}
	_, err = b.Revision(b.ctx, id, 99)
	refused(t, err, engine.NotFound, 404)

	_, err = save(h.Revision-1, `{}`, "", false)
	contains(t, refused(t, err, engine.BadRequest, 409).Message, "changed by bo@example.com on ")
	for _, body := range []string{`[]`, `"x"`, `{"status":"ACTIVE"}`} {
		_, err = save(h.Revision, body, "", false)
		refused(t, err, engine.BadRequest, 400)
	}
	_, err = b.Save(b.ctx, engine.SaveRequest{ID: id, Revision: h.Revision})
	refused(t, err, engine.BadRequest, 400)
	deep := parse(t, `{}`)
	for range doc.MaxDepth {
		deep = doc.NewObject(doc.M("a", deep))
	}
	_, err = b.Save(b.ctx, engine.SaveRequest{ID: id, Revision: h.Revision, Body: deep})
	contains(t, refused(t, err, engine.BadRequest, 400).Message, "nested deeper")

	live := b.state(5, catalog.Push, catalog.OneTime, catalog.Active, `{}`)
	_, err = b.Save(b.ctx, engine.SaveRequest{ID: live, Revision: 1, Body: parse(t, `{}`)})
	contains(t, refused(t, err, engine.BadRequest, 409).Message, "ACTIVE")
}

func TestWorkingCopies(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.state(5, catalog.Push, catalog.OneTime, catalog.Active, `{}`)
	if _, ok, err := b.WorkingCopy(b.ctx, id); ok || err != nil {
		t.Errorf("a copy before there is one: %v, %v", ok, err)
	}
	b.ok(b.PutWorkingCopy(b.ctx, id, engine.WorkingCopy{Base: 1, Body: parse(t, `{"x":1.0}`)}))
	w, ok, err := b.WorkingCopy(b.ctx, id)
	b.ok(err)
	if !ok || w.Base != 1 || string(w.Body.Encode()) != `{"x":1.0}` || !w.At.Equal(b.clock.Now()) {
		t.Errorf("%+v", w)
	}
	b.ok(b.DeleteWorkingCopy(b.ctx, id))
	b.ok(b.DeleteWorkingCopy(b.ctx, id))
	if _, ok, _ := b.WorkingCopy(b.ctx, id); ok {
		t.Error("the copy is still there")
	}
	refused(t, b.PutWorkingCopy(b.ctx, "nope", engine.WorkingCopy{Body: parse(t, `{}`)}), engine.NotFound, 404)
	refused(t, b.PutWorkingCopy(b.ctx, id, engine.WorkingCopy{}), engine.BadRequest, 400)
}

func TestArchiveAndRestore(t *testing.T) {
	b := newBench(t, local.Options{})
	stopped := b.state(1, catalog.Push, catalog.OneTime, catalog.Stopped, `{}`)
	sent := b.state(2, catalog.Email, catalog.OneTime, catalog.Scheduled, `{`+fixed+`}`) // the clock will have sent it
	b.clock.Add(60 * 24 * time.Hour)
	for id, was := range map[string]engine.State{stopped: catalog.Stopped, sent: catalog.Sent} {
		b.ok(b.Archive(b.ctx, id, author))
		if st := b.get(id).Status; st != catalog.Archived {
			t.Errorf("archived: %s", st)
		}
		refused(t, b.Archive(b.ctx, id, author), engine.Unprocessable, 422)
		b.ok(b.Restore(b.ctx, id, author))
		if st := b.get(id).Status; st != was {
			t.Errorf("restored to %s, was %s", st, was)
		}
		refused(t, b.Restore(b.ctx, id, author), engine.Unprocessable, 422)
	}
	if got := notes(t, b, stopped); got != "restored; archived; stored" {
		t.Errorf("history %q", got)
	}
	halted := engine.Campaign{Head: engine.Head{ID: strings.Repeat("f", 24), Status: catalog.Stopped, Channel: catalog.Push, DeliveryType: catalog.OneTime, SentTime: b.clock.Now()}}
	b.store(halted)
	b.ok(b.Archive(b.ctx, halted.ID, author))
	b.ok(b.Restore(b.ctx, halted.ID, author))
	if st := b.get(halted.ID).Status; st != catalog.Stopped {
		t.Errorf("one that was stopped while it was being sent is restored to %s", st)
	}
	old := engine.Campaign{Head: engine.Head{ID: strings.Repeat("e", 24), Status: catalog.Archived, Channel: catalog.Push, DeliveryType: catalog.OneTime, SentTime: b.clock.Now()}}
	b.store(old)
	b.ok(b.Restore(b.ctx, old.ID, author))
	if st := b.get(old.ID).Status; st != catalog.Sent {
		t.Errorf("one that came archived was sent, and is restored to %s", st)
	}
}

func TestDeleteAndClone(t *testing.T) {
	b := newBench(t, local.Options{})
	live := b.state(1, catalog.Email, catalog.EventTriggered, catalog.Active, `{"basic_details":{"name":"Hello"},"utm_params":{"utm_source":1.0}}`)
	refused(t, b.Delete(b.ctx, live), engine.Unprocessable, 422)
	out, err := b.Clone(b.ctx, live, "bo@example.com")
	b.ok(err)
	c := b.get(out.ID)
	if c.Status != catalog.Draft || c.CreatedBy != "bo@example.com" || c.CampaignID != out.ID || c.DeliveryType != catalog.EventTriggered || c.Channel != catalog.Email {
		t.Errorf("%+v", c.Head)
	}
	if got := string(c.Body.Encode()); got != `{"basic_details":{"name":"Hello (copy)"},"utm_params":{"utm_source":1.0}}` {
		t.Error(got)
	}
	b.ok(b.Delete(b.ctx, out.ID))
	_, err = b.Get(b.ctx, out.ID)
	refused(t, err, engine.NotFound, 404)
	refused(t, b.Delete(b.ctx, out.ID), engine.NotFound, 404)
	sms := b.state(2, catalog.SMS, catalog.OneTime, catalog.Sent, `{}`)
	_, err = b.Clone(b.ctx, sms, author)
	refused(t, err, engine.ValidationFailed, 400)
}
