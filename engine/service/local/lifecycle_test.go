package local_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/local"
)

// kinds are campaigns that can be published, one of each delivery type that is sent to somebody. %s is where
// the schedule has its start.
var kinds = []struct {
	channel, typ, parts, schedule string
	asap                          bool
	lasts                         time.Duration // from its start to its end; 0 where it has none
}{
	{"EMAIL", "ONE_TIME", emailParts, `{"delivery_type":"ASAP"}`, true, 0},
	{"EMAIL", "ONE_TIME", emailParts, `{"delivery_type":"AT_FIXED_TIME","start_time":"%s"}`, false, 0},
	{"EMAIL", "EVENT_TRIGGERED", emailParts + `,` + onEvent, `{"delivery_type":"AT_FIXED_TIME","start_time":"%s","expiry_time":"2026-12-24T00:00:00Z"}`, false, 0},
	{"PUSH", "PERIODIC", webPush, `{"delivery_type":"AT_FIXED_TIME","start_time":"%s","periodic_details":{"sending_frequency":"DAILY","repeat_frequency":1,"no_of_occurences":4}}`, false, 72 * time.Hour},
	{"PUSH", "EVENT_TRIGGERED", webPush + `,"delivery_controls":{"bypass_dnd":false},` + onEvent, `{"delivery_type":"ASAP"}`, true, 0},
	{"PUSH", "DEVICE_TRIGGERED", webPush + `,` + onEvent, `{"delivery_type":"ASAP","expiry_time":"2026-11-20T00:00:00Z"}`, true, 0},
	{"PUSH", "BUSINESS_EVENT_TRIGGERED", `"basic_details":{"name":"x","platforms":["WEB"],"business_event":"Season"},` + webContent + `,"segmentation_details":{"is_all_user_campaign":true}`, `{"delivery_type":"ASAP"}`, true, 0},
}

const (
	webContent = `"campaign_content":{"content":{"push":{"web":{"template_type":"BASIC","basic_details":{"title":"t","message":"m","redirect_url":"https://example.com"}}}}}`
	webPush    = `"basic_details":{"name":"x","platforms":["WEB"]},` + webContent + `,"segmentation_details":{"is_all_user_campaign":true}`
	onEvent    = `"trigger_condition":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"actions","action_name":"Bought","executed":true,"execution":{"type":"atleast","count":1}}]},"trigger_delay_type":"ASAP"}`
)

// lifeOf is a campaign as the table of CONTRACT.md, States, has it. It
// knows nothing of the program's own tables.
type lifeOf struct {
	typ        string
	state      string
	before     string // it was archived
	start, end time.Time
	asap, wide bool // it is for everybody, and those who opted out
	published  time.Time
}

func in(s string, all ...string) bool { return slices.Contains(all, s) }

func (l *lifeOf) repeats() bool {
	return in(l.typ, "PERIODIC", "EVENT_TRIGGERED", "DEVICE_TRIGGERED", "LOCATION_TRIGGERED")
}

// pass lets the time come. What the texts leave open is when a one-time campaign has gone out, so that what
// is seen decides that; it is never taken back, and done within a week.
func (l *lifeOf) pass(now time.Time, seen string) {
	if l.state == "SCHEDULED" && !now.Before(l.start) {
		if l.state = "ACTIVE"; l.typ == "ONE_TIME" {
			l.state = "SENDING"
		}
	}
	live := in(l.state, "SCHEDULED", "ACTIVE", "SENDING", "PAUSED")
	switch {
	case !live:
	case l.typ == "ONE_TIME":
		began := l.start
		if l.asap {
			began = l.published
		}
		if in(l.state, "ACTIVE", "SENDING") && (seen == "SENT" || now.Sub(began) > 7*24*time.Hour) {
			l.state = "SENT"
		}
	case !l.end.IsZero() && !now.Before(l.end):
		l.state = "SENT"
	}
}

// do does an action, and gives the HTTP status of its refusal; 0 where it is allowed.
func (l *lifeOf) do(action string, now time.Time) int {
	ahead := !l.asap && l.start.After(now)
	to := ""
	switch {
	case action == "PUBLISH" && l.state == "DRAFT", action == "RESUME" && l.state == "PAUSED" && l.repeats():
		if to = "ACTIVE"; ahead {
			to = "SCHEDULED"
		}
		if action == "PUBLISH" {
			l.published = now
		}
	case action == "STOP" && l.typ == "ONE_TIME" && in(l.state, "ACTIVE", "SCHEDULED", "PAUSED", "SENDING"):
		to = "STOPPED"
	case action == "PAUSE" && l.repeats() && in(l.state, "ACTIVE", "SCHEDULED", "SENDING"):
		to = "PAUSED"
	case action == "ARCHIVE" && in(l.state, "SENT", "STOPPED"):
		l.before, to = l.state, "ARCHIVED"
	case action == "RESTORE" && l.state == "ARCHIVED":
		to = l.before
	case action == "DELETE" && l.state == "DRAFT":
		to = "" // it is gone
	case action == "edit the tags" && in(l.state, "DRAFT", "SCHEDULED", "ACTIVE", "PAUSED", "SENDING"):
		return 0
	case action == "edit the audience" && in(l.state, "DRAFT", "SCHEDULED"):
		l.wide = !l.wide
		return 0
	case in(action, "PUBLISH", "edit the tags", "edit the audience"):
		return 409
	default:
		return 422
	}
	l.state = to
	return 0
}

// Whatever is done to a campaign, in whichever order, while time goes on: each action is allowed, refused and
// leads to where the specification says, what is refused changes nothing, and every way to read the campaign
// says the same state.
func TestLifeCycleAgainstTheSpecification(t *testing.T) {
	origin := newBench(t, local.Options{})
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
		svc, err := local.Open(origin.db.Clone(), "TEST", local.Options{Clock: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		k := kinds[rapid.SampledFrom([]int{0, 1, 1, 1, 2, 3, 4, 5, 6}).Draw(t, "kind")]
		l := &lifeOf{typ: k.typ, state: "DRAFT", asap: k.asap, start: now.Add(time.Duration(rapid.IntRange(1, 240).Draw(t, "start")) * time.Hour)}
		schedule := k.schedule
		if !k.asap {
			schedule = fmt.Sprintf(k.schedule, l.start.Format(time.RFC3339))
		}
		switch {
		case k.lasts > 0:
			l.end = l.start.Add(k.lasts)
		case k.typ == "DEVICE_TRIGGERED":
			l.end = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		case k.typ == "EVENT_TRIGGERED" && k.channel == "EMAIL":
			l.end = time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)
		}
		body := `{"channel":"` + k.channel + `","campaign_delivery_type":"` + k.typ + `","created_by":"ann@example.com",` + k.parts + `,"scheduling_details":` + schedule + `}`
		made, err := svc.Create(ctx, engine.CreateRequest{Body: drawn(t, body)})
		if err != nil {
			t.Fatal(err)
		}
		for n := range rapid.IntRange(5, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "later") {
				hours := rapid.SampledFrom([]int{0, 0, 1, 5, 24, 100, 500}).Draw(t, "hours")
				if now = now.Add(time.Duration(hours) * time.Hour); hours == 0 && l.start.After(now) {
					now = l.start
				}
			}
			sameState(t, svc, made.ID, l, now)
			if l.state == "" {
				return
			}
			action := rapid.SampledFrom([]string{"PUBLISH", "PUBLISH", "PUBLISH", "STOP", "STOP", "PAUSE", "RESUME", "ARCHIVE", "RESTORE", "DELETE", "edit the tags", "edit the audience"}).Draw(t, "action")
			if action == "DELETE" && n < 5 || action == "PUBLISH" && l.state == "DRAFT" && !k.asap && !l.start.After(now) {
				continue // a start that has passed is not published
			}
			was := *l
			want := l.do(action, now)
			err := act(svc, made.ID, action, n, !was.wide)
			got := 0
			if e := engine.AsError(err); e != nil {
				got = e.HTTP
			} else if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Fatalf("%s of a %s campaign that is %s: %d (%v), want %d", action, k.typ, was.state, got, err, want)
			}
		}
		sameState(t, svc, made.ID, l, now)
	})
}

func drawn(t *rapid.T, body string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// act does an action on the service.
func act(svc *local.Service, id, action string, n int, wide bool) error {
	ctx := context.Background()
	update := func(format string, args ...any) error {
		body, err := doc.Parse(fmt.Appendf(nil, format, args...))
		if err != nil {
			return err
		}
		_, err = svc.Update(ctx, engine.UpdateRequest{ID: id, Body: body})
		return err
	}
	switch action {
	case "PUBLISH":
		_, err := svc.Publish(ctx, engine.PublishRequest{ID: id, By: author, Console: true})
		return err
	case "ARCHIVE":
		return svc.Archive(ctx, id, author)
	case "RESTORE":
		return svc.Restore(ctx, id, author)
	case "DELETE":
		return svc.Delete(ctx, id)
	case "edit the tags":
		return update(`{"utm_params":{"utm_source":"s%d","utm_medium":"m"}}`, n)
	case "edit the audience":
		return update(`{"segmentation_details":{"is_all_user_campaign":true,"send_campaign_to_opt_out_users":%t}}`, wide)
	}
	_, err := svc.ChangeStatus(ctx, engine.StatusRequest{ID: id, Action: engine.Action(action)})
	return err
}

// sameState compares what every way to read the campaign says with the model.
func sameState(t *rapid.T, svc *local.Service, id string, l *lifeOf, now time.Time) {
	t.Helper()
	ctx := context.Background()
	c, err := svc.Get(ctx, id)
	if l.state == "" {
		if e := engine.AsError(err); e == nil || e.HTTP != 404 {
			t.Fatalf("a deleted draft reads %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	l.pass(now, string(c.Status))
	if string(c.Status) != l.state {
		t.Fatalf("a %s campaign from %s to %s is %s at %s, want %s", l.typ, l.start, l.end, c.Status, now, l.state)
	}
	if wide := c.Body.Get("segmentation_details").Get("send_campaign_to_opt_out_users").True(); wide != l.wide {
		t.Fatalf("an edit that was refused was made, or one that was allowed was not: %s", c.Body.Encode())
	}
	rows, err := svc.List(ctx, engine.ListQuery{Archived: true})
	if err != nil || len(rows) != 1 || string(rows[0].Status) != l.state {
		t.Fatalf("the list says %+v (%v), want %s", rows, err, l.state)
	}
	metas, err := svc.Meta(ctx, engine.MetaRequest{Limit: 15, Page: 1, Status: []engine.State{engine.State(l.state)}})
	if err != nil || len(metas) != 1 && l.state != "ARCHIVED" {
		t.Fatalf("%d campaigns are %s (%v)", len(metas), l.state, err)
	}
	found, err := svc.Search(ctx, engine.SearchRequest{Limit: 15, Page: 1, Status: []engine.State{engine.State(l.state)}, Archived: true})
	if err != nil || len(found) != 1 || string(found[0].Status) != l.state {
		t.Fatalf("%d campaigns are found that are %s (%v)", len(found), l.state, err)
	}
}
