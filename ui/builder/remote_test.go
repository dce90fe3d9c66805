package builder_test

import (
	"context"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/ui/builder"
	"bugle/ui/uitest"
)

// remoteService is a third-party service with one campaign.
type remoteService struct {
	engine.Service
	record doc.Value
	sent   []string
}

func (s *remoteService) Get(context.Context, string) (engine.Campaign, error) {
	return engine.ParseRecord(s.record), nil
}

func (s *remoteService) Update(_ context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	s.sent = append(s.sent, string(r.Body.Encode()))
	return engine.Updated{ID: r.ID}, nil
}

// Fields that only responses have are shown, cannot be changed, and are not sent with an update.
func TestResponseOnlyFields(t *testing.T) {
	b := newTestbed(t, catalog.Push, `{}`)
	svc := &remoteService{Service: plainService{b.svc}, record: tree(t, `{"id":"`+b.id+`","campaign_id":"`+b.id+`","status":"IN_REVIEW","channel":"PUSH",`+
		`"campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","created_at":"2024-07-04 08:00:54.847000","version_number":"3",`+
		`"updated_at":"2024-07-05T20:32:00","updated_by":"bo@example.com","sent_time":1720080054,"flow_id":"f","flow_name":"Flow","parent_id":"p","rejection_comment":["no"],`+
		`"basic_details":{"name":"Theirs","x_color":"red"},`+
		`"scheduling_details":{"delivery_type":"SCHEDULED","schedule_time":"2030-12-01 08:00:00.000000","time_zone":"Europe/Berlin"}}`)}
	deps := uitest.Deps(svc)
	deps.LocalCopies = edit.NewFileStore(t.TempDir())
	play := func(field string, script ...string) {
		t.Helper()
		uitest.New(t, builder.New(deps, b.at("scheduling_details."+field)), 140, 40).Script(script...)
	}
	play("start_time", "?Read-only", "?Resolved start", "?2030-12-01 08:00:00.000000", "?Resolved time zone", "!not a member", "!is only in responses;")
	play("schedule_time", "x ctrl+x 5 e ctrl+s")
	play("expiry_time", ">2030-12-31T00:00:00Z", "enter ctrl+s y", "?Applied.", "!stays: an update")
	want := `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","updated_by":"ann@example.com",` +
		`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","expiry_time":"2030-12-31T00:00:00Z","start_time":"2030-12-01T08:00:00Z","timezone":"Europe/Berlin"}}`
	if got := strings.Join(svc.sent, "\n"); got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
}
