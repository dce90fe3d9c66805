package local_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/local"
)

// audienceBench has two more users, with dates around now, and segments by filter.
func audienceBench(t *testing.T) *bench {
	b := newBench(t, local.Options{}, func(w *engine.Workspace) {
		w.Timezone = "Europe/Berlin"
		for name, group := range map[string]string{
			"Buyers": `{"filter_operator":"and","filters":[{"filter_type":"actions","action_name":"Bought"}]}`,
			"Circle": `{"filters":[{"filter_type":"custom_segments","name":"Circle"}]}`,
		} {
			s := engine.Segment{ID: name, Name: name}
			if err := s.SetGroup(parse(t, group)); err != nil {
				t.Fatal(err)
			}
			w.Segments = append(w.Segments, s)
		}
	})
	now := b.clock.Now()
	b.ok(b.PutUser(b.ctx, engine.User{ID: "USER_3", Attributes: map[string]any{
		"Orders": 12, "Goal": 10, "Seen": now.Add(-24 * time.Hour).Format(time.RFC3339),
	}, Events: []engine.Event{{Name: "Bought", At: now.Add(-time.Hour), Attributes: map[string]any{"price": 9.5}}}}))
	b.ok(b.PutUser(b.ctx, engine.User{ID: "USER_4", OptedOut: true, Attributes: map[string]any{"Orders": 3, "Goal": 10}}))
	return b
}

func (b *bench) audience(filters string, args ...any) engine.AudienceRequest {
	b.t.Helper()
	return engine.AudienceRequest{Filters: parse(b.t, filters, args...)}
}

func TestAudience(t *testing.T) {
	b := audienceBench(t)
	for filters, want := range map[string][]string{
		`{"is_all_user_campaign":true}`:                                       {"USER_1", "USER_2", "USER_3"},
		`{"is_all_user_campaign":true,"send_campaign_to_opt_out_users":true}`: {"USER_1", "USER_2", "USER_3", "USER_4"},
		`{"filters":[{"filter_type":"user_attributes","name":"Seen","data_type":"datetime","operator":"inTheLast","value":2}]}`:                                                {"USER_3"},
		`{"filters":[{"filter_type":"custom_segments","name":"Buyers"}]}`:                                                                                                      {"USER_1", "USER_3"},
		`{"filters":[{"filter_type":"custom_segments","id":"s1"}]}`:                                                                                                            {"USER_1"},
		`{"filters":[{"filter_type":"user_attributes","name":"Orders","data_type":"double","operator":"greaterThan","value":"{{UserAttribute['Goal']}}"}]}`:                    {"USER_3"},
		`{"filters":[{"filter_type":"user_attributes","name":"Orders","data_type":"double","operator":"lessThan","value":"user.goal","is_dynamic_value":true}]}`:               {"USER_4"},
		`{"filters":[{"filter_type":"actions","action_name":"Bought","attributes":{"filters":[{"name":"price","data_type":"double","operator":"in","value":[9.5]}]}}]}`:        {"USER_3"},
		`{"filters":[{"filter_type":"actions","action_name":"Bought","attributes":{"filters":[{"name":"Event Time (Standard)","data_type":"datetime","operator":"today"}]}}]}`: {"USER_3"},
	} {
		members, err := b.AudienceMembers(b.ctx, b.audience(filters))
		b.ok(err)
		var got []string
		for _, p := range members {
			got = append(got, p.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", filters, got, want)
		}
		n, err := b.EstimateAudience(b.ctx, b.audience(filters))
		b.ok(err)
		if n.Total != 4 || n.Matched != len(want) {
			t.Errorf("%s: estimated %+v", filters, n)
		}
	}
	n, err := b.EstimateAudience(b.ctx, b.audience(`{"is_all_user_campaign":true}`))
	b.ok(err)
	if want := (engine.AudienceReach{Email: 2, Push: 2, Android: 1, IOS: 1, Web: 1}); n.Reach != want {
		t.Errorf("reach is %+v, want %+v", n.Reach, want)
	}
	r := b.audience(`{"is_all_user_campaign":true}`)
	r.Limit = 2
	members, err := b.AudienceMembers(b.ctx, r)
	b.ok(err)
	if len(members) != 2 || members[1].ID != "USER_2" {
		t.Errorf("the first two are %+v", members)
	}
}

func TestExplainAudience(t *testing.T) {
	b := audienceBench(t)
	r := b.audience(`{"included_filters":{"filter_operator":"and","filters":[
		{"filter_type":"custom_segments","name":"Buyers"},
		{"filter_type":"user_attributes","name":"Orders","data_type":"double","operator":"greaterThan","value":20}]}}`)
	r.UserID = "USER_3"
	got, err := b.ExplainAudience(b.ctx, r)
	b.ok(err)
	why := got.Decisive()
	if got.Matched || len(why) != 1 || why[0].Path.String() != "included_filters.filters[1]" || why[0].Found != "Orders is 12" {
		t.Errorf("got %+v", got)
	}
	r.UserID = "NOBODY"
	_, err = b.ExplainAudience(b.ctx, r)
	refused(t, err, engine.NotFound, 404)
}

func TestAudienceRefusals(t *testing.T) {
	b := audienceBench(t)
	for filters, want := range map[string]string{
		`{"filters":[{"filter_type":"user_attributes","name":"x"}]}`:           "filters[0].data_type",
		`{"filters":[{"filter_type":"custom_segments","name":"Circle"}]}`:      "filters[0]",
		`{"excluded_filters":{"filters":[{"filter_type":"custom_segments"}]}}`: "excluded_filters.filters[0].name",
	} {
		_, err := b.EstimateAudience(b.ctx, b.audience(filters))
		refused(t, err, engine.ValidationFailed, 400)
		if e := engine.AsError(err); e != nil && (e.Target != want || len(e.Problems) != 1 || !strings.HasPrefix(e.Message, "the audience has")) {
			t.Errorf("%s: %+v", filters, e)
		}
	}
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	if _, err := b.EstimateAudience(ctx, b.audience(`{"is_all_user_campaign":true}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := b.AudienceMembers(ctx, b.audience(`{"is_all_user_campaign":true}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// A test for a segment goes to those whom it lists, and then to those whom its filters pick.
func TestSegmentsByFilterGetTests(t *testing.T) {
	b := newBench(t, local.Options{}, func(w *engine.Workspace) {
		for name, members := range map[string][]string{"Buyers": nil, "Both": {"USER_9", "USER_1"}} {
			s := engine.Segment{ID: name, Name: name, Members: members}
			if err := s.SetGroup(parse(t, `{"filters":[{"filter_type":"actions","action_name":"Bought"}]}`)); err != nil {
				t.Fatal(err)
			}
			w.Segments = append(w.Segments, s)
		}
		broken := engine.Segment{ID: "Broken", Name: "Broken"}
		if err := broken.SetGroup(parse(t, `{"filters":[{"filter_type":"actions"}]}`)); err != nil {
			t.Fatal(err)
		}
		w.Segments = append(w.Segments, broken)
	})
	for i := range 12 {
		b.ok(b.PutUser(b.ctx, engine.User{
			ID: fmt.Sprintf("USER_%d", 10+i), Devices: []engine.Device{{Platform: "ANDROID", Token: fmt.Sprint("tok-", i)}},
			Events: []engine.Event{{Name: "Bought"}},
		}))
	}
	const body = `{"channel":"PUSH","campaign_content":{"content":{"push":{"android":{"basic_details":{"title":"t","message":"m"}}}}},
		"test_campaign_meta":{"identifier":"CUSTOM_SEGMENT","identifier_values":["%s"]}}`
	for segment, want := range map[string]string{
		"Buyers": "USER_1 USER_10 USER_11 USER_12 USER_13 USER_14 USER_15 USER_16 USER_17 USER_18",
		"Both":   "USER_1 USER_10 USER_11 USER_12 USER_13 USER_14 USER_15 USER_16 USER_17",
	} {
		before, err := b.Outbox(b.ctx, 0)
		b.ok(err)
		b.test(parse(t, body, segment))
		after, err := b.Outbox(b.ctx, 0)
		b.ok(err)
		var got []string
		for _, m := range after[:len(after)-len(before)] {
			got = append(got, m.Recipient)
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: sent to %s, want %s", segment, s, want)
		}
	}
	_, err := b.Test(b.ctx, engine.TestRequest{Body: parse(t, body, "Broken")})
	refused(t, err, engine.ValidationFailed, 400)
}

// Reachability counts whom the audience picks and the channel reaches.
func TestReachabilityFollowsTheAudience(t *testing.T) {
	b := audienceBench(t)
	const soon = `"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2027-01-01T00:00:00Z"}`
	for i, c := range []struct {
		channel engine.Channel
		body    string
		want    int
	}{
		{catalog.Push, `{"segmentation_details":{"is_all_user_campaign":true},` + soon + `}`, 2},
		{catalog.Push, `{"basic_details":{"platforms":["IOS"]},"segmentation_details":{"is_all_user_campaign":true},` + soon + `}`, 1},
		{catalog.Email, `{"segmentation_details":{"is_all_user_campaign":true},` + soon + `}`, 2},
		{catalog.Email, `{"segmentation_details":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"custom_segments","name":"Buyers"}]}},` + soon + `}`, 1},
		{catalog.Email, `{"segmentation_details":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"custom_segments","name":"Gone"}]}},` + soon + `}`, -1},
	} {
		id := b.state(i+1, c.channel, catalog.OneTime, catalog.Scheduled, c.body)
		rows, err := b.Meta(b.ctx, engine.MetaRequest{ID: id, Limit: 1, Page: 1})
		b.ok(err)
		got := -1
		if r := rows[0].Reachability; r != nil {
			got = r.Count
		}
		if got != c.want {
			t.Errorf("%s %s: reaches %d, want %d", c.channel, c.body, got, c.want)
		}
	}
}
