package remote_test

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/api"
	"bugle/engine/service/local"
	"bugle/engine/service/remote"
)

const triggered = `{"channel":"PUSH","campaign_delivery_type":"EVENT_TRIGGERED","created_by":"ann@example.com",
	"basic_details":{"name":"N","platforms":["ANDROID"]},
	"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Hi","message":"m"}}}}},
	"segmentation_details":{"is_all_user_campaign":true},
	"trigger_condition":{"included_filters":{"filter_operator":"and","filters":[
		{"filter_type":"actions","action_name":"Bought","execution":{"type":"atleast","count":1},"executed":true}]},"trigger_delay_type":"ASAP"},
	"delivery_controls":{"bypass_dnd":false},"scheduling_details":{"delivery_type":"ASAP"}}`

// life is what becomes of a campaign, one write after the other. Each of them done twice leaves a
// trace: a campaign or a revision too many, or a state that refuses the rest.
type life struct {
	id    string
	steps []step
}

type step struct {
	name string
	do   func(context.Context, *remote.Service) error
}

func newLife(t *testing.T) *life {
	l := &life{}
	update := func(name string) func(context.Context, *remote.Service) error {
		call, body := engine.NewCall(), parse(t, `{"basic_details":{"name":"`+name+`","platforms":["ANDROID"]}}`)
		return func(ctx context.Context, s *remote.Service) error {
			_, err := s.Update(ctx, engine.UpdateRequest{Call: call, ID: l.id, Body: body})
			return err
		}
	}
	status := func(a engine.Action) func(context.Context, *remote.Service) error {
		call := engine.NewCall()
		return func(ctx context.Context, s *remote.Service) error {
			_, err := s.ChangeStatus(ctx, engine.StatusRequest{Call: call, ID: l.id, Action: a})
			return err
		}
	}
	create, publish := engine.CreateRequest{Call: engine.NewCall(), Body: parse(t, triggered)}, engine.NewCall()
	l.steps = []step{
		{"create", func(ctx context.Context, s *remote.Service) error {
			out, err := s.Create(ctx, create)
			l.id = out.ID
			return err
		}},
		{"update", update("A")}, {"update", update("B")}, {"update", update("A")},
		{"publish", func(ctx context.Context, s *remote.Service) error {
			_, err := s.Publish(ctx, engine.PublishRequest{Call: publish, ID: l.id})
			return err
		}},
		{"status", status(catalog.Pause)}, {"status", status(catalog.Resume)}, {"status", status(catalog.Pause)},
	}
	return l
}

// check looks for what was done twice, or not at all.
func (l *life) check(t *testing.T, svc *local.Service) {
	t.Helper()
	c, err := svc.Get(t.Context(), l.id)
	if err != nil || c.Status != catalog.Paused || c.Body.Get("basic_details").Get("name").Text() != "A" {
		t.Errorf("%q is %s: %v", l.id, c.Status, err)
	}
	revs, err := svc.Revisions(t.Context(), l.id)
	if err != nil || len(revs) != len(l.steps) {
		t.Errorf("%d writes left %d revisions: %+v, %v", len(l.steps), len(revs), revs, err)
	}
}

// Each way to go wrong meets each write once, and the call itself gets its answer in the end.
func TestEveryFaultOnEveryWrite(t *testing.T) {
	for _, f := range faults {
		synctest.Test(t, func(t *testing.T) {
			svc, key := home(t, nil)
			var mu sync.Mutex
			seen := map[string]bool{}
			first := func(key string) bool {
				mu.Lock()
				defer mu.Unlock()
				known := seen[key]
				seen[key] = true
				return !known
			}
			random := newMishaps(7)
			way := &wire{handler: serving(svc, api.Options{Unlimited: true}), fault: func(r *http.Request, handle func() *http.Response) (*http.Response, error) {
				if r.Method != http.MethodGet && first(r.Header.Get("Idempotency-Key")) {
					return f.do(random.draw, handle)
				}
				return handle(), nil
			}}
			s := open(t, remote.Config{BaseURL: "https://api.example.com", Key: fixedKey(key), Transport: way, Timeout: 20 * time.Second})
			l := newLife(t)
			for i, step := range l.steps {
				if err := step.do(t.Context(), s); err != nil {
					t.Errorf("%s: %d, %s: %v", f.name, i, step.name, err)
				}
			}
			mail := engine.TestRequest{Call: engine.NewCall(), Body: parse(t, inlineMail(f.name))}
			if out, err := s.Test(t.Context(), mail); err != nil || out.Data["EMAIL_default_variation_1"].Status != engine.Sent {
				t.Errorf("%s: test: %+v, %v", f.name, out, err)
			}
			way.running.Wait() // also for what comes to the service long after
			l.check(t, svc)
			made, err := svc.List(t.Context(), engine.ListQuery{})
			sent, err2 := svc.Outbox(t.Context(), 0)
			if err != nil || err2 != nil || len(made) != 1 || len(sent) != 1 || len(seen) != len(l.steps)+1 {
				t.Errorf("%s: %d calls made %d campaigns and sent %d messages: %v %v", f.name, len(seen), len(made), len(sent), err, err2)
			}
		})
	}
}

// Whatever happens on the way, and however often: every write of every campaign is done once.
func TestLivesUnderFaults(t *testing.T) {
	const workers, each = 20, 10
	met := map[string]int{}
	for seed := range uint64(2) {
		synctest.Test(t, func(t *testing.T) {
			svc, key := home(t, nil)
			random := newMishaps(seed)
			way := &wire{handler: serving(svc, api.Options{Unlimited: true}), fault: random.happen}
			s := open(t, remote.Config{BaseURL: "https://api.example.com", Key: fixedKey(key), Transport: way, Timeout: 20 * time.Second})
			lives := make([]*life, workers*each)
			var wait sync.WaitGroup
			for n := range workers {
				wait.Go(func() {
					for i := n * each; i < (n+1)*each; i++ {
						lives[i] = newLife(t)
						for _, step := range lives[i].steps {
							insist(t, func() (string, error) { return "", step.do(t.Context(), s) })
						}
					}
				})
			}
			wait.Wait()
			way.running.Wait()
			for _, l := range lives {
				l.check(t, svc)
			}
			made, err := svc.List(t.Context(), engine.ListQuery{})
			if err != nil || len(made) != len(lives) {
				t.Errorf("%d creates made %d campaigns: %v", len(lives), len(made), err)
			}
			for what, n := range random.done {
				op, name, _ := strings.Cut(what, ", ")
				if strings.HasSuffix(op, "PATCH") {
					op = "update" // or publish, which is one
				}
				met[op+", "+name] += n
			}
		})
	}
	for _, op := range []string{path.Base(campaignsPath) + " POST", "update", "status POST"} {
		for _, f := range faults {
			if n := met[fmt.Sprintf("%s, %s", op, f.name)]; n < 5 {
				t.Errorf("%s met %q %d times: this tests little", op, f.name, n)
			}
		}
	}
}

const campaignsPath = "/v5/campaigns"
