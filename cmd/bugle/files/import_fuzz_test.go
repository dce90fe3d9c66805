package files

import (
	"context"
	"testing"
	"time"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/edit"
	"bugle/engine/files"
	"bugle/engine/service/local"
	"bugle/store/mem"
)

// Whatever a campaign file holds: it is read or refused with its place; what the check before an import
// lets pass is created, and what it refuses is not; and what was created is exported, as JSON and as YAML, so
// that the same is read again.
func FuzzImport(f *testing.F) {
	names := []string{"c.json", "c.yaml", "-", "c.YML", "c"}
	head := `"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"`
	for i := range names {
		for _, s := range []string{
			"{" + head + "}", "{" + head + `,"basic_details":{"name":"a\tb: #x","tags":["1","true","~"]}}` + "\n\n{" + head + "}\n", "channel: PUSH\ncampaign_delivery_type: PERIODIC\ncreated_by: ann@example.com\nbasic_details:\n  name: |\n    two\n    lines\n",
			"---\nchannel: EMAIL\n---\n---\n[]\n", "\ufeff{}", "[]", "", "{\"a\":1,\"a\":2}\n{}", "a: &x 1\nb: *x\n", `{"id":"0123456789abcdef01234567","campaign_id":"x","status":"ACTIVE","version_number":2,` + head + `,"utm_params":{"utm_source":"s","utm_medium":"m","utm_x":""}}`,
			"channel: PUSH\ncampaign_delivery_type: ONE_TIME\ncreated_by: ann@example.com\ndelivery_controls:\n  campaign_throttle_rpm: 1e3\n  bypass_dnd: yes\n",
			`{"channel": "SMS", "campaign_delivery_type": "ONE_TIME", "created_by": "a@example.com"}`, `{"channel": 5}`,
			`{"channel": "PUSH", "campaign_delivery_type": "BROADCAST_LIVE_ACTIVITY"}`, `{"channel": "EMAIL", "campaign_delivery_type": "DEVICE_TRIGGERED"}`,
			`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "unknown": 1}`, `{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "created_by": "nobody"}`,
			`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "campaign_audience_limit": {"is_campaign_audience_limit_enabled": false}}`,
		} {
			f.Add(uint8(i), []byte(s))
		}
	}
	db := mem.New()
	if _, err := local.CreateWorkspace(f.Context(), db, engine.Workspace{ID: "TEST"}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, kind uint8, in []byte) {
		name := names[int(kind)%len(names)]
		h := campaignfile.Parse(name, in)
		if h.Where == "" || (h.Err == nil) != (h.Body.Kind() == doc.Object) {
			t.Fatalf("%q holds %+v", in, h)
		}
		if h.Err != nil {
			return
		}
		ctx := context.Background()
		svc, err := local.Open(db.Clone(), "TEST", local.Options{Clock: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		env, err := edit.CheckEnv(ctx, svc)
		if err != nil {
			t.Fatal(err)
		}
		body := newBody(h.Body, "", "ann@example.com")
		refused := checkNew(body, env)
		made, err := svc.Create(ctx, engine.CreateRequest{Body: body})
		if (refused == nil) != (err == nil) {
			t.Fatalf("%s: before it is %v, then %v", body.Encode(), refused, err)
		}
		if err == nil {
			exported(t, svc, made.ID)
		}
	})
}

// exported writes a campaign as both kinds of files, and reads them.
func exported(t *testing.T, svc engine.Service, id string) {
	t.Helper()
	c, err := svc.Get(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	want := files.Document(c)
	yaml, err := yamldoc.Encode(want)
	if err != nil {
		t.Fatalf("%s cannot be written as YAML: %v", want.Encode(), err)
	}
	for name, text := range map[string][]byte{"c.json": files.JSON(c), "c.yaml": yaml} {
		back := campaignfile.Parse(name, text)
		if back.Err != nil || !yamldoc.Same(back.Body, want) {
			t.Fatalf("%s reads as %+v, and was %s", text, back, want.Encode())
		}
		if !campaignfile.IsExport(back.Body) {
			t.Fatalf("%s is not known as an export", text)
		}
	}
}
