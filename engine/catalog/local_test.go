package catalog

import "bugle/engine/schema"

func testSchemas() map[string]*schema.Schema {
	out := map[string]*schema.Schema{}
	for _, ch := range []string{"PUSH", "EMAIL"} {
		f := schema.Field{Kind: schema.Object, Ref: "x", ID: "campaign", Open: true, Fields: []schema.Field{
			{Name: "channel", Kind: schema.String, Help: "x", Options: []schema.Option{{Value: ch}}},
			{Name: "campaign_delivery_type", Kind: schema.String, Help: "x"},
		}}
		if ch == "PUSH" {
			f.Fields = append(f.Fields, pushBasicDetails(), pushCampaignContent())
			out["push"] = schema.MustCompile(f)
		} else {
			f.Fields = append(f.Fields, emailBasicDetails(), connectorTable(), emailCampaignContent())
			out["email"] = schema.MustCompile(f)
		}
	}
	return out
}
