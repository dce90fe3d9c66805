package builder_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store/mem"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// drafts are the campaigns that key streams edit; the last one is published first, so that its edits stay
// pending.
var drafts = []struct {
	channel catalog.Channel
	typ     catalog.DeliveryType
	doc     string
}{
	{catalog.Email, catalog.OneTime, `{"basic_details":{"name":"News","content_type":"PROMOTIONAL","tags":["a","b,c"]},"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
		"campaign_content":{"locales":["de"],"variation_details":{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{"variation_1":50,"variation_2":50}},
		"content":{"default":{"variation_1":{"email":{"subject":"a\tb","html_content":"<p>x</p>"}},"variation_2":{}},"de":{}}},"utm_params":{"utm_source":"s","utm_own":"o"}}`},
	{catalog.Push, catalog.OneTime, `{"basic_details":{"name":"a\tb","platforms":["WEB","ANDROID"]},"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC",
		"basic_details":{"title":"t","message":"m\r\nn","key_value_pairs":[{"key":"k","value":"v"},{"key":"k2"}]},"buttons":[{"btn_name":"x"}],"advanced":{"future":1.0,"use_large_icon":true}},"web":{}}}},
		"segmentation_details":{"included_filters":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","name":"City","data_type":"string","operator":"is","value":"Oslo"},{"filter_type":"custom_segments","name":"VIP","id":"1"}]}},
		"delivery_controls":{"campaign_throttle_rpm":1e3}}`},
	{catalog.Push, catalog.Periodic, `{"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T09:00:00Z","timezone":"Europe/Berlin","periodic_details":{"sending_frequency":"WEEKLY","repeat_on_days_of_week":["MONDAY"]}}}`},
	{catalog.Push, catalog.EventTriggered, `{"trigger_condition":{"included_filters":{"filter_operator":"or","filters":[{"filter_type":"actions","action_name":"Bought","executed":true,"execution":{"type":"atleast","count":1},"attributes":{"filter_operator":"and","filters":[]}}]},"trigger_delay_type":"DELAY"},
		"conversion_goal_details":{"attribution_window_in_hours":36,"goals":[{"goal_name":"g","goal_event_attribute":{"name":"a","condition":"between"}}]}}`},
	{catalog.Push, catalog.LocationTriggered, `{"basic_details":{"geofences":{"name":"Shop","latitude":"1.0","triggered_at":"dwell"}},"advanced":{"expiration_settings":{"expire_notification_after_value":1}}}`},
	{catalog.Email, catalog.OneTime, liveMail},
}

// places are where the builder is opened.
var places = []doc.Path{
	nil, doc.P("basic_details"), doc.P("basic_details", "name"), doc.P("campaign_content"), doc.P("campaign_content", "content"), doc.P("segmentation_details"), doc.P("trigger_condition"),
	doc.P("scheduling_details"), doc.P("utm_params"), doc.P("conversion_goal_details", "goals"), doc.P("campaign_content", "content", "push", "android"), doc.P("delivery_controls"),
	doc.P("campaign_content", "content", "push", "android", "basic_details", "key_value_pairs"), doc.P("campaign_content", "variation_details"),
}

// After any key stream: what the builder shows is stored in the campaign or a working copy; undoing everything
// restores the original bytes and redoing everything the final ones; and later edits are saved too.
func FuzzEdits(f *testing.F) {
	stores, ids := make([]*mem.DB, len(drafts)), make([]string, len(drafts))
	for i, d := range drafts {
		b := newWorkspace(f).create(d.channel, d.typ, d.doc)
		if i == len(drafts)-1 {
			b.publish(false)
		}
		stores[i], ids[i] = b.svc.DB, b.id
	}
	for i, keys := range []string{
		"", "abc\x1b", "\x1a\x19xyz\x7f\x7f", "\r\tq\r\x1b", "\x81\rx\x1bu\x12", "n\rabc\r\x1b", "\xd0\x1b\x81\x81\rd\xf6\x05u", "ax\ty\tz\x1b\x1b", "\xf1\x03a\tb\xf6\x03q\x1a\x1a\x19",
		"\x13y", " \x81 \x80 ", "dd\x1bd", "\xf8abc", "a\xf8b\x1b\xf9\x1a\xf8\x1ax", "\xf5\x00\x00\xf2\x20\x08zz",
		"AAde\r=40\x7f+\x81\x81xy%7", "ade,fr\r\x82xy\x83\x83xy\x1bd\r", "\xf0y\r\x81\xf0y\r\xf0l\xf0m\xf0m", // in the grid
	} {
		for n := range 5 { // about five sequences begin at each place; fuzzing tries the others
			at := (5*i + n) % len(places)
			f.Add(append([]byte{byte(i + at), byte(at), byte(i * 30)}, keys...))
		}
	}
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) < 3 {
			return
		}
		i := int(in[0]) % len(drafts)
		now := uitest.Now
		clock := func() time.Time { return now }
		svc, err := local.Open(stores[i].Clone(), "DEMO", local.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		deps := uitest.Deps(svc)
		deps.Now = clock
		open := func(at doc.Path) (*uitest.Harness, *builder.Screen) {
			s := builder.New(deps, screen.Route{Name: screen.Builder, ID: ids[i], Path: at}, builder.WithBrowser(func(context.Context, string) error { return nil }))
			return uitest.New(t, s, 60+int(in[2])%141, 20+int(in[2])/7), s
		}
		h, s := open(places[int(in[1])%len(places)])
		first := string(engine.DocumentBody(s.Root()).Encode())
		h.Play(in[3:], func(d time.Duration) { now = now.Add(d) })
		last := s.Root()
		h.Press("ctrl+c", "ctrl+c") // quits and answers every question
		kept := func(when string) {
			_, again := open(nil)
			if got, want := string(engine.DocumentBody(again.Root()).Encode()), string(engine.DocumentBody(last).Encode()); last.Exists() && got != want {
				t.Fatalf("what was typed is lost: %s it is\n%s\nand was\n%s", when, got, want)
			}
		}
		kept("after coming back")
		h.FinishHeld() // run what was slower than the program
		kept("after a save that came late")
		undoAndRedoAll(t, s, first)
		if long := len(engine.CampaignName(engine.DocumentBody(last))) > 1500; !long && i < len(drafts)-1 { // a long text needs an external editor
			h, _ = open(places[2])
			h.Script("end", ">Zq7", "ctrl+c ctrl+c")
			c, err := svc.Get(ctx, ids[i])
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(engine.CampaignName(c.Body), "Zq7") {
				t.Fatalf("what was typed is lost: the name is %q", engine.CampaignName(c.Body))
			}
		}
	})
}

// undoAndRedoAll undoes all steps of a screen and redoes them.
func undoAndRedoAll(t *testing.T, s *builder.Screen, first string) {
	t.Helper()
	last, n := string(s.Root().Encode()), s.Depth()
	for range n {
		s.Undo()
	}
	if got := string(engine.DocumentBody(s.Root()).Encode()); got != first && n > 0 {
		t.Fatalf("with %d steps undone it is\n%s\nand was\n%s", n, got, first)
	}
	for range n {
		s.Redo()
	}
	if got := string(s.Root().Encode()); got != last {
		t.Fatalf("with %d steps done again it is\n%s\nand was\n%s", n, got, last)
	}
}
