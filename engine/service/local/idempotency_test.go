package local_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/delivery"
	"bugle/engine/service/local"
)

func TestRepeatedCreate(t *testing.T) {
	b := newBench(t, local.Options{})
	k := key()
	r := engine.CreateRequest{Call: engine.Call{IdempotencyKey: k, RequestID: "first"}, Body: parse(t, `{%s}`, pushHead)}
	first, err := b.Create(b.ctx, r)
	b.ok(err)
	b.clock.Add(23 * time.Hour)
	r.RequestID = "second"
	again, err := b.Create(b.ctx, r)
	b.ok(err)
	if !again.Replayed || first.Replayed {
		t.Errorf("replayed: first %v, again %v", first.Replayed, again.Replayed)
	}
	again.Replayed = false
	if again != first {
		t.Errorf("got %+v, want %+v", again, first)
	}
	rows, err := b.List(b.ctx, engine.ListQuery{})
	b.ok(err)
	if len(rows) != 1 {
		t.Errorf("%d campaigns", len(rows))
	}
	other := r
	other.Body = parse(t, `{%s,"request_id":"second"}`, pushHead)
	_, err = b.Create(b.ctx, other)
	refused(t, err, engine.BadRequest, 409)

	b.clock.Add(2 * time.Hour) // the key is forgotten after 24 hours
	later, err := b.Create(b.ctx, other)
	b.ok(err)
	if later.ID == first.ID {
		t.Error("an old key was remembered")
	}
}

func TestKeysAreSeparateByOperation(t *testing.T) {
	b := newBench(t, local.Options{})
	k := engine.Call{IdempotencyKey: key()}
	out, err := b.Create(b.ctx, engine.CreateRequest{Call: k, Body: parse(t, `{%s}`, pushHead)})
	b.ok(err)
	up := engine.UpdateRequest{Call: k, ID: out.ID, Body: parse(t, `{"basic_details":{"name":"x"}}`)}
	_, err = b.Update(b.ctx, up)
	b.ok(err)
	again, err := b.Update(b.ctx, up)
	b.ok(err)
	if !again.Replayed || b.get(out.ID).Revision != 2 {
		t.Errorf("the update ran twice: %+v", b.get(out.ID).Head)
	}
	up.ID = b.create(`{%s}`, pushHead)
	_, err = b.Update(b.ctx, up) // the same body for another campaign is another request
	refused(t, err, engine.BadRequest, 409)
}

func TestFailedAttemptsAreNotRemembered(t *testing.T) {
	b := newBench(t, local.Options{})
	call := engine.Call{IdempotencyKey: key()}
	_, err := b.Create(b.ctx, engine.CreateRequest{Call: call, Body: parse(t, `{}`)})
	refused(t, err, engine.ValidationFailed, 400)
	out, err := b.Create(b.ctx, engine.CreateRequest{Call: call, Body: parse(t, `{%s}`, pushHead)})
	b.ok(err)
	if out.Replayed {
		t.Error("replayed a failure")
	}
	for _, bad := range []string{"x", "00000000-0000-1000-8000-000000000000"} {
		_, err = b.Create(b.ctx, engine.CreateRequest{Call: engine.Call{IdempotencyKey: bad}, Body: parse(t, `{%s}`, pushHead)})
		if e := refused(t, err, engine.ValidationFailed, 400); e.Target != "Idempotency-Key" {
			t.Errorf("target %q", e.Target)
		}
	}
}

// The contract excepts 409 from the failures that are forgotten.
func TestConflictIsRemembered(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.state(1, catalog.Push, catalog.EventTriggered, catalog.Active, `{"segmentation_details":{"is_all_user_campaign":true}}`)
	r := engine.UpdateRequest{Call: engine.Call{IdempotencyKey: key(), RequestID: "r1"}, ID: id, Body: parse(t, `{"segmentation_details":{"is_all_user_campaign":false}}`)}
	_, err := b.Update(b.ctx, r)
	first := refused(t, err, engine.BadRequest, 409)
	r.RequestID = "r2"
	_, err = b.Update(b.ctx, r)
	again := refused(t, err, engine.BadRequest, 409)
	if again.Error() != first.Error() || again.RequestID != "r1" {
		t.Errorf("got %v (%s), want %v", again, again.RequestID, first)
	}
	r.Body = parse(t, `{"basic_details":{"name":"x"}}`)
	_, err = b.Update(b.ctx, r)
	contains(t, refused(t, err, engine.BadRequest, 409).Message, "different body")
}

// gate is a provider that waits until it is opened.
type gate struct{ entered, open chan struct{} }

func (g gate) Deliver(ctx context.Context, _ delivery.Message) (delivery.Receipt, error) {
	g.entered <- struct{}{}
	select {
	case <-g.open:
		return delivery.Receipt{}, nil
	case <-ctx.Done():
		return delivery.Receipt{}, ctx.Err()
	}
}

func gated(g gate) (local.Options, func(*engine.Workspace)) {
	return local.Options{Providers: func(engine.Connector) (delivery.Sender, error) { return g, nil }},
		func(w *engine.Workspace) {
			w.Connectors[0].Provider, w.Connectors[0].SMTP = engine.ProviderSMTP, &engine.SMTP{Host: "mail.example.com"}
		}
}

func TestRunningTestHoldsItsKey(t *testing.T) {
	g := gate{entered: make(chan struct{}, 1), open: make(chan struct{})}
	o, smtp := gated(g)
	b := newBench(t, o, smtp)
	r := engine.TestRequest{Call: engine.Call{IdempotencyKey: key()}, Body: inlineEmail(t, `"ida@example.com"`, "")}
	var first engine.TestResult
	var err error
	var wait sync.WaitGroup
	wait.Go(func() { first, err = b.Test(b.ctx, r) })
	<-g.entered
	_, busy := b.Test(b.ctx, r)
	contains(t, refused(t, busy, engine.BadRequest, 409).Message, "in progress")
	close(g.open)
	wait.Wait()
	b.ok(err)
	again, err := b.Test(b.ctx, r)
	b.ok(err)
	if !again.Replayed || asJSON(t, again.Data) != asJSON(t, first.Data) || again.Message != first.Message || again.ResponseID != first.ResponseID {
		t.Errorf("got %+v, want %+v", again, first)
	}
	other := r
	other.Body = inlineEmail(t, `"bo@example.com"`, "")
	_, err = b.Test(b.ctx, other)
	contains(t, refused(t, err, engine.BadRequest, 409).Message, "different body")
}

// postman is a provider that notes whose messages it takes. For all but the first it waits, where it is to.
type postman struct {
	gate  *gate
	err   error // of r0
	mu    sync.Mutex
	taken []string
	ids   map[string][]string // Message-IDs by recipient
}

func (p *postman) Deliver(ctx context.Context, m delivery.Message) (delivery.Receipt, error) {
	p.mu.Lock()
	p.taken = append(p.taken, m.Recipient)
	if p.ids == nil {
		p.ids = map[string][]string{}
	}
	to := delivery.Mailbox(m.Recipient)
	p.ids[to] = append(p.ids[to], m.Email.ID)
	p.mu.Unlock()
	if p.gate == nil || m.Recipient == "r0@example.com" {
		return delivery.Receipt{}, p.err
	}
	return p.gate.Deliver(ctx, m)
}

// After an error that does not prove the contrary a message may have been delivered, so a repeat with the same key
// does not send it, not even after a crash.
func TestUnknownOutcomeIsNotRepeated(t *testing.T) {
	dead := &postman{gate: &gate{entered: make(chan struct{}, 8), open: make(chan struct{})}, err: errors.New("no response")}
	o, smtp := gated(*dead.gate)
	o.Providers = func(engine.Connector) (delivery.Sender, error) { return dead, nil }
	b := newBench(t, o, smtp)
	r := engine.TestRequest{Call: engine.Call{IdempotencyKey: key()}, Body: inlineEmail(t, `"r0@example.com","r1@example.com"`, `"personalization_details":{"user_attributes":{"First Name":"Ida"}},`)}
	reported := make(chan string, 4)
	r.Progress = func(p engine.TestProgress) { reported <- p.Err }
	ended := make(chan struct{})
	go func() { defer close(ended); _, _ = b.Test(b.ctx, r) }()
	<-dead.gate.entered // r1 is being sent
	for <-reported == "" {
	}
	next := &postman{}
	o.Clock = b.clock.Now
	o.Providers = func(engine.Connector) (delivery.Sender, error) { return next, nil }
	second, err := local.Open(anotherHandle(b.db), "TEST", o)
	b.ok(err)
	r.Progress = nil
	out, err := second.Test(b.ctx, r)
	b.ok(err)
	if len(next.taken) != 0 {
		t.Errorf("%q left again", next.taken)
	}
	const k = "EMAIL_default_variation_1"
	contains(t, out.Data[k].FailureReason, "it may have been delivered; look before you repeat")
	contains(t, string(out.Document().Encode()), `"status":"FAILED"`, `"unknown":["r0@example.com","r1@example.com"]`)
	tests, err := second.Tests(b.ctx, "", 1)
	b.ok(err)
	contains(t, string(tests[0].Result.Document().Encode()), `"unknown":["r0@`)
	close(dead.gate.open)
	<-ended
}

// A test that a run of the program left in the middle does not hold its key. What had left does not leave
// again, what may have left is said to, and the rest is sent.
func TestTestInterruptedByACrash(t *testing.T) {
	const together = 8 // sends under way at once
	dead := &postman{gate: &gate{entered: make(chan struct{}, together), open: make(chan struct{})}}
	o, smtp := gated(*dead.gate)
	o.Providers = func(engine.Connector) (delivery.Sender, error) { return dead, nil }
	b := newBench(t, o, smtp)
	var to []string
	for i := range 10 {
		to = append(to, fmt.Sprintf(`"r%d@example.com"`, i))
	}
	r := engine.TestRequest{Call: engine.Call{IdempotencyKey: key()}, Body: inlineEmail(t, strings.Join(to, ","), `"personalization_details":{"user_attributes":{"First Name":"Ida"}},`)}
	ended := make(chan struct{})
	var failed error
	go func() {
		defer close(ended)
		_, failed = b.Test(b.ctx, r)
	}()
	for range together {
		select {
		case <-dead.gate.entered:
		case <-ended:
			t.Fatalf("the test was over: %v", failed)
		}
	}
	next := &postman{}
	o.Clock = b.clock.Now
	o.Providers = func(engine.Connector) (delivery.Sender, error) { return next, nil }
	second, err := local.Open(anotherHandle(b.db), "TEST", o)
	b.ok(err)
	out, err := second.Test(b.ctx, r)
	b.ok(err)
	const k = "EMAIL_default_variation_1"
	if len(next.taken) != 1 || next.taken[0] != "r9@example.com" || out.Message != "Sent 2 of 10 messages; 8 may have been delivered." {
		t.Errorf("%q left again: %+v", next.taken, out)
	}
	contains(t, out.Data[k].FailureReason, "r1@example.com", "it may have been delivered; look before you repeat")
	again, err := second.Test(b.ctx, r)
	b.ok(err)
	if !again.Replayed || asJSON(t, again.Data) != asJSON(t, out.Data) || len(next.taken) != 1 {
		t.Errorf("repeated: %+v", again)
	}
	close(dead.gate.open)
	<-ended
}

// What may have been delivered is the same message when it is sent again, so that servers and readers can see that; what
// was delivered, or was not, is another message.
func TestMessageIDOfARepeat(t *testing.T) {
	unknown, refused := fmt.Errorf("lost: %w", delivery.ErrUnknown), &delivery.Error{Reason: delivery.Refused, Message: "no"}
	p := &postman{}
	o, smtp := gated(gate{})
	o.Providers = func(engine.Connector) (delivery.Sender, error) { return p, nil }
	b := newBench(t, o, smtp)
	attributes := `"personalization_details":{"user_attributes":{"First Name":"Ida"}},`
	sends := []struct {
		as   string // how r0 is written; empty: like that
		to   string // in addition to r0
		err  error
		same bool // as the one before
	}{
		{err: refused}, {err: unknown}, {err: refused, same: true}, {to: `,"r1@example.com"`, err: unknown, same: true}, {as: "R0@Example.com", same: true}, {}, {err: refused}, {},
	}
	for i, send := range sends {
		p.err = send.err
		to := cmp.Or(send.as, "r0@example.com")
		r := engine.TestRequest{Body: inlineEmail(t, `"`+to+`"`+send.to, attributes)}
		if i%2 == 0 {
			r.IdempotencyKey = key()
		}
		var last engine.TestProgress
		r.Progress = func(p engine.TestProgress) {
			if p.Recipient == to {
				last = p
			}
		}
		out, err := b.Test(b.ctx, r)
		b.ok(err)
		got := out.Data["EMAIL_default_variation_1"]
		if unknown := slices.Contains(got.Unknown, to); unknown != errors.Is(send.err, delivery.ErrUnknown) || last.Unknown != unknown {
			t.Errorf("%d: %+v, %+v", i, got, last)
		}
	}
	ids := p.ids["r0@example.com"]
	for i := 1; i < len(sends); i++ {
		if same := ids[i] == ids[i-1]; same != sends[i].same || ids[i] == "" {
			t.Errorf("%d: %q after %q", i, ids[i], ids[i-1])
		}
	}
}
