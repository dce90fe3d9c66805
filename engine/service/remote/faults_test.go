package remote_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/enginetest"
	"bugle/engine/message/delivery"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/remote"
	"bugle/store/mem"
)

// slow carries mail and takes its time, and counts what it carried by subject.
type slow struct {
	mu   sync.Mutex
	rnd  *rand.Rand
	sent map[string]int
}

func (s *slow) Deliver(_ context.Context, m delivery.Message) (delivery.Receipt, error) {
	s.mu.Lock()
	pause := time.Duration(s.rnd.IntN(20)) * time.Second
	s.sent[m.Email.Subject]++
	s.mu.Unlock()
	time.Sleep(pause)
	return delivery.Receipt{}, nil
}

// Whatever happens on the way, every create makes one campaign, and every test is sent once.
func TestFaults(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { underFaults(t, seed) }) })
	}
}

func underFaults(t *testing.T, seed uint64) {
	const workers, each = 25, 20
	mail := &slow{rnd: rand.New(rand.NewPCG(seed, 1)), sent: map[string]int{}}
	db := mem.New()
	defer db.Close()
	w := enginetest.Workspace()
	w.Connectors[0].Provider, w.Connectors[0].SMTP = engine.ProviderSMTP, &engine.SMTP{Host: "mail.example.com"}
	key, err := local.CreateWorkspace(t.Context(), db, w)
	if err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, workspace, local.Options{Providers: func(engine.Connector) (delivery.Sender, error) { return mail, nil }})
	if err != nil {
		t.Fatal(err)
	}
	way := &wire{handler: serving(svc, api.Options{Unlimited: true}), fault: newMishaps(seed).happen}
	s := open(t, remote.Config{BaseURL: "https://api.example.com", Key: fixedKey(key), Transport: way, Timeout: 20 * time.Second})

	var mu sync.Mutex
	ids := map[string]bool{}
	var wait sync.WaitGroup
	for n := range workers {
		wait.Go(func() {
			for i := range each {
				name := fmt.Sprintf("%d-%d", n, i)
				create := engine.CreateRequest{Call: engine.NewCall(), Body: parse(t, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com","basic_details":{"name":"`+name+`"}}`)}
				id := insist(t, func() (string, error) {
					out, err := s.Create(t.Context(), create)
					return out.ID, err
				})
				mu.Lock()
				ids[id] = true
				mu.Unlock()
				test := engine.TestRequest{Call: engine.NewCall(), Body: parse(t, inlineMail(name))}
				status := insist(t, func() (string, error) {
					out, err := s.Test(t.Context(), test)
					return out.Data["EMAIL_default_variation_1"].Status, err
				})
				if status != engine.Sent {
					t.Errorf("test %s: %q", name, status)
				}
			}
		})
	}
	wait.Wait()
	way.running.Wait()
	made, err := svc.List(t.Context(), engine.ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if len(ids) != workers*each || len(made) != workers*each {
		t.Errorf("%d creates gave %d ids and made %d campaigns", workers*each, len(ids), len(made))
	}
	for _, c := range made {
		if !ids[c.ID] {
			t.Errorf("campaign %s was made, and nobody was told", c.ID)
		}
	}
	if len(mail.sent) != workers*each {
		t.Errorf("%d tests sent %d messages", workers*each, len(mail.sent))
	}
	for subject, n := range mail.sent {
		if n != 1 {
			t.Errorf("%s was sent %d times", subject, n)
		}
	}
}

// insist does a call until it is answered, as a person would who repeats it: the same call again.
func insist(t *testing.T, do func() (string, error)) string {
	for range 50 {
		out, err := do()
		var unanswered *remote.NoResponseError
		if e := engine.AsError(err); err == nil {
			return out
		} else if !errors.As(err, &unanswered) && (e == nil || e.HTTP < 500 && e.HTTP != 409) {
			t.Errorf("an answer that says no: %v", err)
			return ""
		}
	}
	t.Error("no answer in 50 calls")
	return ""
}

func inlineMail(subject string) string {
	return `{"channel":"EMAIL","basic_details":{"name":"T","content_type":"PROMOTIONAL","subscription_category":"Newsletter","user_attribute_identifier":"Email (Standard)"},
		"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"},
		"campaign_content":{"content":{"email":{"subject":"` + subject + `","from_address":"shop@example.com","html_content":"<p>x</p>"}}},
		"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com"]}}`
}

// A client that keeps to the limits is never told to wait, however long its requests are on the way.
func TestOwnLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, key := home(t, nil)
		start := time.Now()
		var mu sync.Mutex
		rnd := rand.New(rand.NewPCG(1, 2))
		full := 0
		way := &wire{handler: serving(svc, api.Options{}), fault: func(_ *http.Request, handle func() *http.Response) (*http.Response, error) {
			mu.Lock()
			there, back := time.Duration(rnd.IntN(900))*time.Millisecond, time.Duration(rnd.IntN(900))*time.Millisecond
			mu.Unlock()
			time.Sleep(there)
			res := handle()
			if res.StatusCode == http.StatusTooManyRequests {
				mu.Lock()
				full++
				mu.Unlock()
			}
			time.Sleep(back)
			return res, nil
		}}
		s := open(t, remote.Config{BaseURL: "https://api.example.com", Key: fixedKey(key), Transport: way, Limits: true, MaxWait: 24 * time.Hour})
		var wait sync.WaitGroup
		for range 60 {
			wait.Go(func() {
				_, err := s.Create(t.Context(), engine.CreateRequest{Body: parse(t, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com"}`)})
				if err != nil {
					t.Error(err)
				}
			})
		}
		for range 8 {
			wait.Go(func() {
				for range 40 {
					if _, err := s.Search(t.Context(), engine.SearchRequest{Status: catalog.States, Limit: 1, Page: 1}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
		if full > 0 {
			t.Errorf("%d requests were over the service's limits", full)
		}
		// 60 campaigns at 25 an hour are two hours and a little; a client that waits for nothing it
		// need not wait for takes no longer.
		if took := time.Since(start); took < 2*time.Hour || took > 2*time.Hour+5*time.Minute {
			t.Errorf("it took %s", took)
		}
		for _, q := range s.Quotas() {
			if q.Operation == "" && q.Window.Per == 24*time.Hour && (q.Remaining != 40 || !q.NextAt.After(time.Now())) {
				t.Errorf("left of %s: %d, more at %s", q.Window, q.Remaining, q.NextAt)
			}
		}
	})
}
