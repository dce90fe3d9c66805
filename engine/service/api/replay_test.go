package api_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/message/delivery"
	"bugle/engine/service/local"
)

// same checks that a repeat got what the first request got, byte for byte.
func same(t *testing.T, first, again answer) {
	t.Helper()
	if again.status != first.status || again.raw != first.raw {
		t.Errorf("the repeat got %d %s\nthe first  %d %s", again.status, again.raw, first.status, first.raw)
	}
	for name := range first.header {
		if got, want := again.header.Get(name), first.header.Get(name); got != want {
			t.Errorf("%s of the repeat is %q, of the first %q", name, got, want)
		}
	}
	if first.header.Get("Idempotent-Replayed") != "" {
		t.Error("the first answer says that it is a repeat")
	}
	if first.status < 300 && again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the repeat does not say that it is one")
	}
}

// A repeat answers with the stored status and body, with another request id, after a restart, and
// forgets after 24 hours. Another body is refused.
func TestRepeats(t *testing.T) {
	b := newBench(t)
	published := b.create(whole)
	b.publish(published)
	draft, locked := b.create(whole), b.create(whole)
	for name, op := range map[string]struct{ method, path, body, other string }{
		"create":  {"POST", campaigns, `{` + emailHead + `}`, `{` + pushHead + `}`},
		"update":  {"PATCH", campaigns + "/" + draft, `{"basic_details":{"name":"x"}}`, `{"basic_details":{"name":"y"}}`},
		"publish": {"PATCH", campaigns + "/" + locked, `{"status":"PUBLISH"}`, `{"basic_details":{"name":"y"}}`},
		"status":  {"POST", campaigns + "/" + published + "/status", `{"action":"STOP"}`, `{"action":"PAUSE"}`},
		"test":    {"POST", campaigns + "/test", `{"draft_id":"` + draft + `",` + idaTo + `}`, `{"draft_id":"` + draft + `","test_campaign_meta":{"identifier":"ID","identifier_values":["USER_1"]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			key := uuid.NewString()
			first := b.do(op.method, op.path, op.body, idemKey(key), requestID("first-"+name))
			if first.status >= 300 {
				t.Fatal(first.raw)
			}
			same(t, first, b.do(op.method, op.path, op.body, idemKey(key), requestID("again-"+name)))
			same(t, first, b.do(op.method, op.path, " "+op.body+"\n", idemKey(strings.ToUpper(key))))
			b.start()
			same(t, first, b.do(op.method, op.path, op.body, idemKey(key)))
			b.do(op.method, op.path, op.other, idemKey(key)).refused(409, engine.BadRequest, "Idempotency-Key")
			if name == "create" {
				b.clock.Add(24*time.Hour - 1)
				same(t, first, b.do(op.method, op.path, op.body, idemKey(key)))
				b.clock.Add(1)
				if later := b.do(op.method, op.path, op.body, idemKey(key)).is(201); later.at("data.id") == first.at("data.id") {
					t.Error("the key is still remembered after 24 hours")
				}
			}
		})
	}
}

// A refusal is not remembered, but for a 409.
func TestRepeatsOfRefusals(t *testing.T) {
	b := newBench(t)
	key := uuid.NewString()
	b.do("POST", campaigns, `{"channel":"PUSH"}`, idemKey(key)).is(400)
	b.do("POST", campaigns, `{`+pushHead+`}`, idemKey(key)).is(201)

	id, key := b.create(strings.Replace(whole, fixed, `"scheduling_details":{"delivery_type":"ASAP"}`, 1)), uuid.NewString()
	b.publish(id)
	body := `{"segmentation_details":{"is_all_user_campaign":false}}`
	first := b.do("PATCH", campaigns+"/"+id, body, idemKey(key), requestID("first"))
	first.is(409)
	same(t, first, b.do("PATCH", campaigns+"/"+id, body, idemKey(key), requestID("again")))
}

// heldMail is a provider that keeps mails until it is let go.
type heldMail struct {
	started chan struct{}
	release chan struct{}
}

func (m heldMail) Deliver(ctx context.Context, _ delivery.Message) (delivery.Receipt, error) {
	m.started <- struct{}{}
	select {
	case <-m.release:
		return delivery.Receipt{ID: "1"}, nil
	case <-ctx.Done():
		return delivery.Receipt{}, ctx.Err()
	}
}

func heldBench(t *testing.T) (*bench, heldMail, string) {
	t.Helper()
	mail := heldMail{started: make(chan struct{}, 10), release: make(chan struct{})}
	b := newBench(t, func(b *bench, _ *engine.Workspace) {
		b.local = local.Options{Providers: func(engine.Connector) (delivery.Sender, error) { return mail, nil }}
	})
	return b, mail, b.create(strings.Replace(whole, "Main SMTP", "Slow SMTP", 1))
}

func TestAKeyInProgress(t *testing.T) {
	b, mail, id := heldBench(t)
	key, body := uuid.NewString(), `{"draft_id":"`+id+`",`+idaTo+`}`
	answers := make(chan answer)
	r := request(t.Context(), "POST", campaigns+"/test", body, idemKey(key))
	go func() { answers <- send(t, b, r) }()
	<-mail.started
	b.do("POST", campaigns+"/test", body, idemKey(key)).refused(409, engine.BadRequest, "Idempotency-Key")
	close(mail.release)
	first := <-answers
	first.is(200, "data.data.EMAIL_default_variation_1.status", "SENT")
	same(t, first, b.do("POST", campaigns+"/test", body, idemKey(key)))
}

// A test send that was accepted goes on when its client leaves, and the repeat gets its result.
func TestClientDisconnects(t *testing.T) {
	b, mail, id := heldBench(t)
	key, body := uuid.NewString(), `{"draft_id":"`+id+`",`+idaTo+`}`
	ctx, leave := context.WithCancel(t.Context())
	answers := make(chan answer)
	r := request(ctx, "POST", campaigns+"/test", body, idemKey(key))
	go func() { answers <- send(t, b, r) }()
	<-mail.started
	leave()
	close(mail.release)
	first := <-answers
	same(t, first, b.do("POST", campaigns+"/test", body, idemKey(key)).is(200, "data.data.EMAIL_default_variation_1.status", "SENT"))
}

// A test send that takes for ever is given up, and says so.
func TestASendThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _, id := heldBench(t)
		a := b.do("POST", campaigns+"/test", `{"draft_id":"`+id+`",`+idaTo+`}`)
		a.is(200, "data.data.EMAIL_default_variation_1.status", "FAILED")
	})
}

// Of many requests with one key at once, one does the work; all that succeed get the same bytes.
func TestOneKeyAtOnce(t *testing.T) {
	b := newBench(t)
	key := uuid.NewString()
	requests := make([]*http.Request, 20)
	for i := range requests {
		requests[i] = request(t.Context(), "POST", campaigns, `{`+pushHead+`}`, idemKey(key))
	}
	var wg sync.WaitGroup
	answers := make([]answer, len(requests))
	for i, r := range requests {
		wg.Go(func() { answers[i] = send(t, b, r) })
	}
	wg.Wait()
	for _, a := range answers {
		if a.status != 201 || a.raw != answers[0].raw {
			t.Errorf("%d %s, another got %s", a.status, a.raw, answers[0].raw)
		}
	}
	b.do("POST", campaigns+"/search", `{"limit":15,"page":1,"campaign_fields":{"status":["DRAFT"]}}`).is(200, "data.campaigns[1]", "")
}
