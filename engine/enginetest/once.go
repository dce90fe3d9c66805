package enginetest

import (
	"fmt"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
)

// A repeat with the same key and body returns the first response and has no effect.
func testOnce(b *bench) {
	create := engine.CreateRequest{Call: engine.NewCall(), Body: b.parse(`{%s,%s}`, emailHead, emailParts)}
	first, err := b.Service.Create(b.ctx, create)
	b.ok(err)
	create.RequestID = "another"
	again, err := b.Service.Create(b.ctx, create)
	b.ok(err)
	b.equal("created again", []any{again.ID, again.Status, again.ResponseID, again.Replayed}, []any{first.ID, first.Status, first.ResponseID, true})
	b.equal("campaigns", len(b.search(engine.SearchRequest{Status: catalog.States})), 1)

	test := engine.TestRequest{Call: engine.NewCall(), Body: b.parse(`{"draft_id":"%s",%s}`, first.ID, idaMail)}
	sent, err := b.Service.Test(b.ctx, test)
	b.ok(err)
	resent, err := b.Service.Test(b.ctx, test)
	b.ok(err)
	b.equal("sent again", []any{show(resent), resent.Message, resent.Replayed}, []any{show(sent), sent.Message, true})
	b.equal("messages", len(b.outbox()), 1)

	update := engine.UpdateRequest{Call: engine.NewCall(), ID: first.ID, Body: b.parse(`{"basic_details":{"name":"Two"}}`)}
	_, err = b.Service.Update(b.ctx, update)
	b.ok(err)
	_, err = b.Service.Update(b.ctx, engine.UpdateRequest{ID: first.ID, Body: b.parse(`{"basic_details":{"name":"Three"}}`)})
	b.ok(err)
	changed, err := b.Service.Update(b.ctx, update)
	b.ok(err)
	b.equal("updated again", []any{changed.ID, changed.Replayed, engine.CampaignName(b.get(first.ID).Body)}, []any{first.ID, true, "Three"})

	id := b.create(complete(catalog.Periodic))
	publish := engine.PublishRequest{Call: engine.NewCall(), ID: id}
	_, err = b.Service.Publish(b.ctx, publish)
	b.ok(err)
	published, err := b.Service.Publish(b.ctx, publish)
	b.ok(err)
	b.equal("published again", published.Replayed, true)
	pause := engine.StatusRequest{Call: engine.NewCall(), ID: id, Action: catalog.Pause}
	_, err = b.Service.ChangeStatus(b.ctx, pause)
	b.ok(err)
	b.act(id, catalog.Resume)
	paused, err := b.Service.ChangeStatus(b.ctx, pause)
	b.ok(err)
	b.equal("paused again", []any{paused.Action, paused.Replayed, b.get(id).Status}, []any{catalog.Pause, true, catalog.Scheduled})
}

func testKeyConflict(b *bench) {
	call := engine.NewCall()
	body := b.parse(`{%s,%s}`, emailHead, emailParts)
	first, err := b.Service.Create(b.ctx, engine.CreateRequest{Call: call, Body: body})
	b.ok(err)
	_, err = b.Service.Create(b.ctx, engine.CreateRequest{Call: call, Body: b.parse(`{%s}`, pushHead)})
	b.refused(err, engine.BadRequest, 409)
	// Each operation has keys of its own.
	_, err = b.Service.Test(b.ctx, engine.TestRequest{Call: call, Body: b.parse(`{"draft_id":"%s",%s}`, first.ID, idaMail)})
	b.ok(err)
	_, err = b.Service.Test(b.ctx, engine.TestRequest{Call: call, Body: b.parse(inlineMail)})
	b.refused(err, engine.BadRequest, 409)
	b.equal("messages", len(b.outbox()), 1)
	b.equal("campaigns", len(b.search(engine.SearchRequest{Status: catalog.States})), 1)
}

// A refusal is not remembered: what was wrong is mended, and sent with the same key.
func testKeyRefused(b *bench) {
	call := engine.NewCall()
	_, err := b.Service.Create(b.ctx, engine.CreateRequest{Call: call, Body: b.parse(`{%s,"x":1}`, pushHead)})
	b.refused(err, engine.ValidationFailed, 400)
	out, err := b.Service.Create(b.ctx, engine.CreateRequest{Call: call, Body: b.parse(`{%s}`, pushHead)})
	b.ok(err)
	b.equal("replayed", out.Replayed, false)
	for _, key := range []string{"x", "2b1f0c3e-8f6a-1c1d-9b7e-5a4d3c2b1a09", "{2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09}"} {
		_, err = b.Service.Create(b.ctx, engine.CreateRequest{Call: engine.Call{IdempotencyKey: key}, Body: b.parse(`{%s}`, pushHead)})
		e := b.refused(err, engine.ValidationFailed, 400)
		b.equal("target", e.Target, "Idempotency-Key")
	}
}

func testKeyLife(b *bench) {
	r := engine.CreateRequest{Call: engine.NewCall(), Body: b.parse(`{%s}`, pushHead)}
	first, err := b.Service.Create(b.ctx, r)
	b.ok(err)
	b.Clock.Advance(24*time.Hour - time.Second)
	again, err := b.Service.Create(b.ctx, r)
	b.ok(err)
	b.equal("within a day", again.ID, first.ID)
	b.Clock.Advance(time.Second)
	other, err := b.Service.Create(b.ctx, r)
	b.ok(err)
	if other.ID == first.ID || other.Replayed {
		b.Errorf("after a day the key is still known: %+v", other)
	}
}

// However many ask the same at once, it is done once.
func testCrowd(b *bench) {
	create := engine.CreateRequest{Call: engine.NewCall(), Body: b.parse(`{%s,%s}`, emailHead, emailParts)}
	test := engine.TestRequest{Call: engine.NewCall(), Body: b.parse(inlineMail)}
	var mu sync.Mutex
	ids := map[string]int{}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			out, err := b.Service.Create(b.ctx, create)
			if e := engine.AsError(err); err != nil && (e == nil || e.HTTP != 409) {
				b.Error(err)
			}
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				ids[out.ID]++
			}
		})
		wait.Go(func() {
			_, err := b.Service.Test(b.ctx, test)
			if e := engine.AsError(err); err != nil && (e == nil || e.HTTP != 409) {
				b.Error(err)
			}
		})
	}
	wait.Wait()
	b.equal("ids", len(ids), 1)
	b.equal("campaigns", len(b.search(engine.SearchRequest{Status: catalog.States})), 1)
	b.equal("messages", fmt.Sprint(b.outbox()), "[EMAIL_default_variation_1 ida@example.com: Now]")
}
