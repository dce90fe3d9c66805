package remote_test

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/remote"
)

const (
	answeredID    = "65f0a1b2c3d4e5f60718293a"
	answeredDraft = `{"response_id":"r","type":"campaign","data":{"id":"` + answeredID + `","status":"DRAFT","channel":"PUSH","campaign_delivery_type":"ONE_TIME"}}`
)

// everyWrite calls each operation that is a POST or PATCH.
func everyWrite(t *testing.T, s *remote.Service) map[string]func() error {
	ctx := t.Context()
	return map[string]func() error{
		"create": func() error { _, err := s.Create(ctx, draft(t)); return err },
		"update": func() error {
			_, err := s.Update(ctx, engine.UpdateRequest{ID: answeredID, Body: parse(t, `{"utm_params":{"utm_source":"a"}}`)})
			return err
		},
		"publish":  func() error { _, err := s.Publish(ctx, engine.PublishRequest{ID: answeredID}); return err },
		"validate": func() error { _, err := s.Validate(ctx, answeredID); return err },
		"status": func() error {
			_, err := s.ChangeStatus(ctx, engine.StatusRequest{ID: answeredID, Action: catalog.Stop})
			return err
		},
		"search": func() error { _, err := s.Search(ctx, engine.SearchRequest{Limit: 1, Page: 1}); return err },
		"list":   func() error { _, err := s.List(ctx, engine.ListQuery{}); return err },
		"meta":   func() error { _, err := s.Meta(ctx, engine.MetaRequest{Limit: 1, Page: 1}); return err },
		"test":   func() error { _, err := s.Test(ctx, engine.TestRequest{Body: parse(t, `{}`)}); return err },
		"preview": func() error {
			_, err := s.Preview(ctx, engine.PreviewRequest{Body: parse(t, `{"channel":"SMS","campaign_content":{}}`)})
			return err
		},
	}
}

var uuid4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// Services require a key on every POST and PATCH except validate, and a JSON body on each. A retry
// is the same request.
func TestEveryWriteHasAKeyAndABody(t *testing.T) {
	for name := range everyWrite(t, nil) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := []func() (*http.Response, error){breaks(errReset), says(200, answeredDraft)}
				if name == "update" || name == "publish" { // which read the campaign first
					answers = append([]func() (*http.Response, error){says(200, answeredDraft)}, answers...)
				}
				s, way := scripted(t, remote.Config{}, answers...)
				_ = everyWrite(t, s)[name]() // the answer is too short for some of them
				first := len(answers) - 2
				for i, r := range way.got[first:] {
					if key := r.Header.Get("Idempotency-Key"); uuid4.MatchString(key) != (name != "validate") {
						t.Errorf("attempt %d: Idempotency-Key %q", i+1, key)
					}
					if body := parse(t, way.bodies[first+i]); body.Kind() != doc.Object || r.Header.Get("Content-Type") != "application/json" {
						t.Errorf("attempt %d: %s, %s", i+1, r.Header.Get("Content-Type"), way.bodies[first+i])
					}
				}
				if a, b := way.got[first], way.got[first+1]; way.bodies[first] != way.bodies[first+1] || a.Header.Get("Idempotency-Key") != b.Header.Get("Idempotency-Key") {
					t.Errorf("the retry is another request: %q, %q", way.bodies[first], way.bodies[first+1])
				}
			})
		})
	}
}

// Each call has a key of its own.
func TestKeysAreNotSharedByCalls(t *testing.T) {
	s, way := scripted(t, remote.Config{}, says(200, `{"data":{"campaigns":[]}}`))
	for range 2 {
		if _, err := s.Search(t.Context(), engine.SearchRequest{Limit: 1, Page: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := way.got[0].Header.Get("Idempotency-Key"), way.got[1].Header.Get("Idempotency-Key"); a == b {
		t.Errorf("both searches have the key %q", a)
	}
}

// A read that carries a key is still a read: nothing of it is done by mistake.
func TestSearchWithoutResponseIsNotAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := scripted(t, remote.Config{}, breaks(errReset))
		_, err := s.Search(t.Context(), engine.SearchRequest{Limit: 1, Page: 1})
		var e *remote.NoResponseError
		if !errors.As(err, &e) || e.Write {
			t.Errorf("%v", err)
		}
	})
}

// The id of the request is in the bodies of validate and preview.
func TestBodiesCarryTheRequestID(t *testing.T) {
	for _, name := range []string{"validate", "preview"} {
		s, way := scripted(t, remote.Config{}, says(200, answeredDraft))
		_ = everyWrite(t, s)[name]()
		id := way.got[0].Header.Get("X-SVC-Request-Id")
		if got := parse(t, way.bodies[0]).Get("request_id").Text(); id == "" || got != id {
			t.Errorf("%s: the header has %q, the body %s", name, id, way.bodies[0])
		}
	}
	s, way := scripted(t, remote.Config{}, says(200, answeredDraft))
	if _, err := s.Validate(t.Context(), answeredID); err != nil {
		t.Fatal(err)
	}
	if body := parse(t, way.bodies[0]); body.Len() != 1 {
		t.Errorf("validate sends %s", way.bodies[0])
	}
	_, _ = s.Preview(t.Context(), engine.PreviewRequest{Body: parse(t, `{"request_id":"mine","channel":"SMS"}`)})
	if got := way.got[1].Header.Get("X-SVC-Request-Id"); got != "mine" || parse(t, way.bodies[1]).Get("request_id").Text() != "mine" {
		t.Errorf("preview sends %q and %s", got, way.bodies[1])
	}
}

// Update and publish say the campaign's channel and delivery type; where the caller does not know
// them, the service is asked.
func TestUpdateAndPublishSendChannelAndType(t *testing.T) {
	for name, tt := range map[string]struct {
		call  func(*remote.Service) error
		calls []string
		want  string
	}{
		"update": {
			everyWriteCall(t, "update"), []string{"GET", "PATCH"},
			`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","utm_params":{"utm_source":"a"}}`,
		},
		"update that says it": {
			func(s *remote.Service) error {
				_, err := s.Update(t.Context(), engine.UpdateRequest{ID: answeredID, Body: parse(t, `{"campaign_delivery_type":"PERIODIC","channel":"EMAIL","utm_params":{}}`)})
				return err
			}, []string{"PATCH"}, `{"campaign_delivery_type":"PERIODIC","channel":"EMAIL","utm_params":{}}`,
		},
		"update that says half of it": {
			func(s *remote.Service) error {
				_, err := s.Update(t.Context(), engine.UpdateRequest{ID: answeredID, Body: parse(t, `{"channel":"PUSH","utm_params":{}}`)})
				return err
			}, []string{"GET", "PATCH"}, `{"campaign_delivery_type":"ONE_TIME","channel":"PUSH","utm_params":{}}`,
		},
		"publish": {everyWriteCall(t, "publish"), []string{"GET", "PATCH"}, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","status":"PUBLISH"}`},
		"publish by its body": {
			func(s *remote.Service) error {
				_, err := s.Update(t.Context(), engine.UpdateRequest{ID: answeredID, Body: parse(t, `{"status":"PUBLISH"}`)})
				return err
			}, []string{"GET", "PATCH"}, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","status":"PUBLISH"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, way := scripted(t, remote.Config{}, says(200, answeredDraft))
			if err := tt.call(s); err != nil {
				t.Fatal(err)
			}
			var methods []string
			for _, r := range way.got {
				methods = append(methods, r.Method)
			}
			if got := way.bodies[len(way.bodies)-1]; !slices.Equal(methods, tt.calls) || got != tt.want {
				t.Errorf("%v\ngot  %s\nwant %s", methods, got, tt.want)
			}
		})
	}
}

// Whoever calls, what only responses have does not leave.
func TestResponseOnlyFieldsAreNotSent(t *testing.T) {
	record := parse(t, `{"id":"`+answeredID+`","campaign_id":"c","version_number":3,"status":"ACTIVE","channel":"PUSH","campaign_delivery_type":"ONE_TIME",
		"created_at":"2024-07-04 08:00:54.847000","updated_at":"2024-07-05T20:32:00","sent_time":"2024-07-05T20:32:00Z","flow_id":"f","flow_name":"F","parent_id":"p","rejection_comment":"no",
		"scheduling_details":{"delivery_type":"SCHEDULED","schedule_time":"2026-12-01 08:00:00.5","time_zone":"Europe/Berlin"},"x_own":1.0}`)
	const want = `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME",` +
		`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T08:00:00.5Z","timezone":"Europe/Berlin"},"x_own":1.0}`
	for name, call := range map[string]func(*remote.Service) error{
		"create": func(s *remote.Service) error {
			_, err := s.Create(t.Context(), engine.CreateRequest{Body: record})
			return err
		},
		"update": func(s *remote.Service) error {
			_, err := s.Update(t.Context(), engine.UpdateRequest{ID: answeredID, Body: record})
			return err
		},
	} {
		s, way := scripted(t, remote.Config{}, says(200, answeredDraft))
		if err := call(s); err != nil || len(way.bodies) != 1 || way.bodies[0] != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, way.bodies, want)
		}
	}
}

func everyWriteCall(t *testing.T, name string) func(*remote.Service) error {
	return func(s *remote.Service) error { return everyWrite(t, s)[name]() }
}
