package builder_test

import (
	"testing"

	"bugle/engine"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// emptyProgram is the program at its empty list of campaigns.
func emptyProgram(t *testing.T) *uitest.Harness {
	b := newWorkspace(t)
	b.svc.OK(b.svc.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error {
		w.Attributes = []engine.Attribute{{Name: "City", DataType: "string"}}
		w.Events = []engine.EventType{{Name: "Purchase", Attributes: []engine.Attribute{{Name: "Amount", DataType: "double"}}}}
		return nil
	}))
	for _, id := range []string{"ann", "bob"} {
		b.svc.PutUsers(engine.User{
			ID: id, Attributes: map[string]any{engine.AttrEmail: id + "@example.com", "City": "Berlin"},
			Devices: []engine.Device{{Platform: "ANDROID", Token: "a-" + id}, {Platform: "IOS", Token: "i-" + id}},
		})
	}
	h := b.program(screen.Route{Name: screen.Campaigns})
	h.Resize(80, 24)
	return h
}

// The ways that a marketer goes each day need few keys.
func TestKeysOfCommonCampaigns(t *testing.T) {
	platform := "alt+n enter space enter"
	for _, c := range []struct {
		name   string
		script []string
		most   int
		want   string
	}{
		{"one-time email, published", []string{
			"n down enter enter", ">Spring", "enter",
			"alt+n down enter",                                                                    // the connector
			"alt+n", ">Hello", "alt+n", ">news@example.com", "tab enter", "><p>Spring</p>", "esc", // the message
			"alt+n enter down enter", // to all users
			"alt+n enter down enter", // as soon as possible
			"alt+s enter y",
		}, 45, "“Spring” is now active"},
		{"periodic push, tested", []string{
			"n enter down enter", ">Spring", "enter alt+n enter space down space enter",
			"alt+n", ">Hello", "tab", ">There", "f7 alt+y", // Android, then iOS from it
			"alt+m A a", ">de", "enter", // a variation and a locale
			"alt+n enter down enter",                               // to all users
			"alt+n", ">2026-04-01 09:00", "alt+n enter down enter", // daily
			"alt+t", ">ann", "enter", ">bob", "enter ctrl+s",
		}, 70, "Sent 16 messages."},
		{"event push with a filter", []string{
			"n enter down down enter", ">Spring", "enter", platform,
			"alt+n", ">Hello", "tab", ">There",
			"alt+n enter enter", ">Purchase", "enter enter", // the event
			"alt+n enter down down enter tab enter a enter", ">City", "enter enter", ">Berlin", "enter",
		}, 30, "no problems · saved"},
		{"geofence with dwell", []string{
			"n enter down down down down down enter", ">Spring", "enter", platform,
			"alt+n", ">Office", "tab", ">52.52", "tab", ">13.40", "tab", ">200", "tab", ">0 minutes", "tab", ">Dwell", "enter alt+n", ">5 minutes",
			"alt+n", ">Hello", "tab", ">There",
		}, 25, "no problems · saved"},
	} {
		h := emptyProgram(t)
		keys := h.Script(c.script...)
		h.Want(c.want)
		if keys > c.most {
			t.Errorf("%s needs %d keys, more than %d", c.name, keys, c.most)
		}
		t.Logf("%s: %d keys", c.name, keys)
	}
}
