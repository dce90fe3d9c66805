package remote_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/remote"
)

// A service may say no in many ways.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		status             int
		kind, body         string
		code               engine.Code
		message, target, d string
	}{
		{400, "application/json", `{"response_id":"r","error":{"code":"VALIDATION_FAILED","message":"two problems","target":"a.b","details":[{"target":"a.b","message":"is required"},{"target":"c[0]","message":"no"}],"request_id":"r"}}`,
			engine.ValidationFailed, "two problems", "a.b", "[{a.b is required} {c[0] no}]"},
		{403, "application/json", `{"error":{"code":"FORBIDDEN","message":"no scope"}}`, engine.Forbidden, "no scope", "", "[]"},
		{422, "application/json", `{"error":{"code":"E_1042","message":"not now"}}`, engine.Unprocessable, "not now (E_1042)", "", "[]"},
		{404, "application/json", `{"error":"no such thing"}`, engine.NotFound, "no such thing", "", "[]"},
		{401, "application/json", `{"message":"who are you"}`, engine.Unauthorized, "who are you", "", "[]"},
		{400, "application/problem+json", `{"type":"about:blank","title":"Bad Request","detail":"the name is taken"}`, engine.BadRequest, "the name is taken", "", "[]"},
		{400, "application/json", `{"status":"fail","errors":[{"field":"x","issue":"odd"},"plain",{"n":1}]}`, engine.BadRequest, "api-01.example.com responded 400 Bad Request without a message", "", `[{x odd} { plain} { {"n":1}}]`},
		{418, "application/json", `{}`, engine.BadRequest, "api-01.example.com responded 418 I'm a teapot without a message", "", "[]"},
		{407, "text/html; charset=utf-8", `<html>proxy</html>`, engine.BadRequest, "api-01.example.com responded 407 Proxy Authentication Required with text/html instead of JSON; check the base_url, and for a proxy in between", "", "[]"},
		{507, "application/json", `{"error":{"code":"INTERNAL_ERROR","message":"the disk is full; free some space"}}`, engine.Internal, "the disk is full; free some space", "", "[]"},
		{400, "", ``, engine.BadRequest, "api-01.example.com responded 400 Bad Request without a message", "", "[]"},
		{400, "application/json", `[1]`, engine.BadRequest, "api-01.example.com responded 400 Bad Request without a message", "", "[]"},
		{400, "application/json", `{"error":{"message":5,"code":[]}}`, engine.BadRequest, "api-01.example.com responded 400 Bad Request without a message", "", "[]"},
		{200, "text/html", `<html>Sign in</html>`, engine.Internal, "api-01.example.com responded 200 with text/html instead of JSON; check the base_url, and for a proxy in between", "", "[]"},
		{200, "application/json", `"yes"`, engine.Internal, "api-01.example.com responded 200 with something other than a JSON object; check the base_url, and for a proxy in between", "", "[]"},
		{201, "application/json", `{"data":{}}`, engine.Internal, "api-01.example.com responded 201 without the id of the campaign that it created; check that the base_url is a V5 service", "", "[]"},
		{304, "", ``, engine.BadRequest, "api-01.example.com redirects to another address, and credentials are not sent there; if that is the service, set it as the base_url", "", "[]"},
	} {
		s, way := scripted(t, remote.Config{}, says(tt.status, tt.body, "Content-Type", tt.kind))
		r := draft(t)
		r.RequestID = "r"
		_, err := s.Create(t.Context(), r)
		e := engine.AsError(err)
		if e == nil {
			t.Errorf("%d %s: %v", tt.status, tt.body, err)
			continue
		}
		http := tt.status
		if http < 300 {
			http = 502
		}
		if e.Code != tt.code || e.HTTP != http || e.Message != tt.message || e.Target != tt.target || fmt.Sprint(e.Details) != tt.d || e.RequestID != "r" || len(way.got) != 1 {
			t.Errorf("%d %s:\ngot  %s %d %q %q %v %q, %d requests\nwant %s %q", tt.status, tt.body, e.Code, e.HTTP, e.Message, e.Target, e.Details, e.RequestID, len(way.got), tt.code, tt.message)
		}
	}
}

// What comes is taken as it is, and kept.
func TestLiberal(t *testing.T) {
	const record = `{"id":"65f0a1b2c3d4e5f60718293a","status":"HIBERNATING","channel":"FAX","x_new":{"n":1.0},"version_number":"two","basic_details":{"name":"n","acme":[1E2]}}`
	for _, body := range []string{`{"response_id":"r","type":"campaign","data":` + record + `}`, `{"data":` + record + `}`, record, "\xef\xbb\xbf " + record} {
		s, _ := scripted(t, remote.Config{}, says(200, body))
		c, err := s.Get(t.Context(), "65f0a1b2c3d4e5f60718293a")
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if c.Status != "HIBERNATING" || c.Channel != "FAX" || string(c.Body.Encode()) != `{"x_new":{"n":1.0},"version_number":"two","basic_details":{"name":"n","acme":[1E2]}}` {
			t.Errorf("%+v %s", c.Head, c.Body.Encode())
		}
	}
	for _, body := range []string{`{"data":{"campaigns":[` + record + `,null]}}`, `{"data":[` + record + `]}`, `{"campaigns":[` + record + `]}`} {
		s, _ := scripted(t, remote.Config{}, says(200, body))
		found, err := s.Search(t.Context(), engine.SearchRequest{Limit: 1, Page: 1})
		if err != nil || len(found) != 1 || found[0].ID != "65f0a1b2c3d4e5f60718293a" {
			t.Errorf("%s: %v, %v", body, found, err)
		}
	}
	const result = `{"data":{"WEB_b_1":{"status":"SENT"},"WEB_a_1":{"status":"FAILED","failure_reason":"no"}},"message":"m"}`
	for _, body := range []string{`{"response_id":"r","type":"campaign","data":` + result + `}`, result} {
		s, _ := scripted(t, remote.Config{}, says(200, body))
		out, err := s.Test(t.Context(), engine.TestRequest{Body: parse(t, `{}`)})
		if err != nil || fmt.Sprint(out.Keys, out.Data, out.Message) != "[WEB_b_1 WEB_a_1] map[WEB_a_1:{FAILED no  []} WEB_b_1:{SENT   []}]m" {
			t.Errorf("%s: %+v, %v", body, out, err)
		}
	}
	for _, body := range []string{`{"data":{"valid":false,"errors":[{"field":"a[0].b","issue":"no"}]}}`, `{"valid":false,"errors":[{"target":"a[0].b","message":"no"}]}`} {
		s, _ := scripted(t, remote.Config{}, says(200, body))
		res, err := s.Validate(t.Context(), "x")
		if err != nil || res.Valid || len(res.Problems) != 1 || res.Problems[0].String() != "a[0].b: no" {
			t.Errorf("%s: %+v, %v", body, res, err)
		}
	}
	for _, status := range []int{200, 202, 204} {
		s, _ := scripted(t, remote.Config{}, says(status, ""))
		out, err := s.Update(t.Context(), engine.UpdateRequest{ID: "x", Body: parse(t, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME"}`)})
		if err != nil || out.ID != "x" {
			t.Errorf("%d with no words: %+v, %v", status, out, err)
		}
		changed, err := s.ChangeStatus(t.Context(), engine.StatusRequest{ID: "x", Action: catalog.Stop})
		if err != nil || changed.ID != "x" || changed.Action != catalog.Stop || changed.Status != catalog.Stopped {
			t.Errorf("%d with no words: %+v, %v", status, changed, err)
		}
	}
}

func TestMetaRow(t *testing.T) {
	s, _ := scripted(t, remote.Config{}, says(200, `{"data":{"campaigns":[{"campaign_id":"c","version_number":3,"channel":"PUSH","platform":["IOS"],"created_by":"a@example.com",
		"campaign_delivery_type":"ONE_TIME","campaign_name":"N","campaign_team":"T","campaign_tags":["x"],"campaign_status":"SCHEDULED","campaign_start_time":"2026-12-01T09:00:00Z",
		"parent_campaign_id":"p","total_child_campaigns":4,"rejection_comment":"why","reachability_details":{"count":12,"last_updated_time":"2026-11-30T00:00:00Z"}}]}}`))
	rows, err := s.Meta(t.Context(), engine.MetaRequest{Limit: 1, Page: 1})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	want := engine.Meta{
		Summary: engine.Summary{
			Head: engine.Head{
				ID: "c", CampaignID: "c", Version: 3, Status: catalog.Scheduled, Channel: catalog.Push, DeliveryType: catalog.OneTime,
				CreatedBy: "a@example.com", ParentID: "p", RejectionComment: "why",
			},
			Name: "N", Team: "T", Tags: []string{"x"}, Platforms: []string{"IOS"}, Start: start,
		},
		ChildCampaigns: 4, Reachability: &engine.Reachability{Count: 12, LastUpdated: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)},
	}
	if got, w := asJSON(t, rows[0]), asJSON(t, want); got != w {
		t.Errorf("got  %s\nwant %s", got, w)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// library is a service with that many campaigns, every third a draft.
type library struct {
	n        int
	repeats  bool // it returns the first page whatever page is asked for
	requests int
}

func (l *library) RoundTrip(r *http.Request) (*http.Response, error) {
	l.requests++
	b, _ := io.ReadAll(r.Body)
	var ask struct {
		Fields struct {
			Status []string `json:"status"`
		} `json:"campaign_fields"`
		Limit    int  `json:"limit"`
		Page     int  `json:"page"`
		Children bool `json:"include_child_campaigns"`
	}
	if err := json.Unmarshal(b, &ask); err != nil {
		return nil, err
	}
	var rows []string
	for i := range l.n {
		status := "SENT"
		if i%3 == 0 {
			status = "DRAFT"
		}
		if (status == "DRAFT") == slices.Contains(ask.Fields.Status, "DRAFT") && ask.Children {
			rows = append(rows, fmt.Sprintf(`{"id":"%04d","status":"%s","updated_at":"2026-11-01T12:%02d:%02dZ"}`, i, status, i/60, i%60))
		}
	}
	if l.repeats {
		ask.Page = 1
	}
	from := min((ask.Page-1)*ask.Limit, len(rows))
	page := rows[from:min(from+ask.Limit, len(rows))]
	return answering(200, `{"data":{"campaigns":[`+strings.Join(page, ",")+`]}}`, nil), nil
}

func TestList(t *testing.T) {
	for _, n := range []int{0, 1, 45, 100} {
		way := &library{n: n}
		s := open(t, remote.Config{BaseURL: "https://api.example.com", Transport: way})
		got, err := s.List(t.Context(), engine.ListQuery{})
		if err != nil || len(got) != n {
			t.Fatalf("%d of %d: %v", len(got), n, err)
		}
		for i, sum := range got {
			if want := fmt.Sprintf("%04d", n-1-i); sum.ID != want {
				t.Fatalf("place %d is %s, want %s", i, sum.ID, want)
			}
		}
	}
	s := open(t, remote.Config{BaseURL: "https://api.example.com", Transport: &library{n: 100, repeats: true}})
	if got, err := s.List(t.Context(), engine.ListQuery{}); err != nil || len(got) != 2*engine.PageSize {
		t.Errorf("a service that repeats itself: %d, %v", len(got), err)
	}
}
