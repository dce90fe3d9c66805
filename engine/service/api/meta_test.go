package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/store"
)

// Runs of periodic campaigns and what is archived come over HTTP when they are asked for.
func TestMetaIncludes(t *testing.T) {
	b := newBench(t)
	id := func(n int) string { return fmt.Sprintf("%024d", n) }
	err := b.db.Write(t.Context(), func(tx store.Tx) error {
		for i, h := range []engine.Head{
			{Status: catalog.Active, DeliveryType: catalog.Periodic},
			{Status: catalog.Sent, DeliveryType: catalog.Periodic, ParentID: id(1)},
			{Status: catalog.Archived, DeliveryType: catalog.OneTime},
		} {
			h.ID, h.CampaignID, h.Channel, h.CreatedBy = id(i+1), id(i+1), catalog.Push, "ann@example.com"
			h.CreatedAt, h.UpdatedAt = b.clock.Now(), b.clock.Now()
			c := engine.Campaign{Head: h, Body: doc.NewObject()}
			if _, err := tx.Workspace("TEST").PutCampaign(c, engine.Summarize(c), engine.Revision{At: h.UpdatedAt, Note: "stored"}, false); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b.start()
	for more, want := range map[string]string{
		``: "1", `,"include_child_campaigns":true`: "1 2", `,"include_archive_campaigns":true`: "1 3",
		`,"include_child_campaigns":true,"include_archive_campaigns":true`:                                                                  "1 2 3",
		`,"include_child_campaigns":true,"campaign_fields":{"campaign_delivery_type":["PERIODIC","EVENT_TRIGGERED"]}`:                       "1 2",
		`,"include_archive_campaigns":true,"campaign_fields":{"campaign_delivery_type":["ONE_TIME","PERIODIC"],"delivery_type":"ONE_TIME"}`: "3",
		`,"campaign_fields":{"campaign_delivery_type":["ONE_TIME"],"delivery_type":"PERIODIC"}`:                                             "",
	} {
		a := b.do("POST", campaigns+"/meta", `{"limit":15,"page":1`+more+`}`, as("TEST", keyRead)).is(200)
		var got []string
		body, err := doc.Parse([]byte(a.raw))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range body.Get("data").Get("campaigns").Elems() {
			name := strings.TrimLeft(row.Get("campaign_id").Text(), "0")
			got = append(got, name)
			if (name == "2") != (row.Get("parent_campaign_id").Text() == id(1)) {
				t.Errorf("%s: the parent of %s is %s", more, name, row.Get("parent_campaign_id").Encode())
			}
			if n, _ := row.Get("total_child_campaigns").Int(); (name == "1") != (n == 1) {
				t.Errorf("%s: %s has %d children", more, name, n)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", more, got, want)
		}
	}
}
