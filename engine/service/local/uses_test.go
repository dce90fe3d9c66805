package local_test

import (
	"slices"
	"testing"

	"bugle/engine"
	"bugle/engine/service/local"
)

// What refers to a name is found where the tables offer its list, in filters, in segments and in
// expressions; campaigns that cannot be sent any more do not count.
func TestNameUses(t *testing.T) {
	b := newBench(t, local.Options{})
	b.ok(b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error {
		w.Teams, w.Locales = []string{"Growth"}, []string{"de"}
		s := engine.Segment{ID: "65f0a1b2c3d4e5f607182901", Name: "VIP"}
		if err := s.SetGroup(parse(t, `{"filters":[{"filter_type":"actions","action_name":"Bought"},{"filter_type":"custom_segments","name":"Inner"}]}`)); err != nil {
			return err
		}
		w.Segments = []engine.Segment{s, {ID: "65f0a1b2c3d4e5f607182902", Name: "Inner"}}
		w.ContentBlocks = []engine.ContentBlock{{Name: "greeting", Source: "Hi {{ user.first_name }}"}}
		return nil
	}))
	id := b.create(`{` + pushHead + `,
		"basic_details":{"name":"Spring","team":"Growth"},
		"segmentation_details":{"included_filters":{"filters":[
			{"filter_type":"custom_segments","name":"VIP"},
			{"filter_type":"user_attributes","data_type":"string","name":"City","operator":"is","value":"Oslo"}]}},
		"conversion_goal_details":{"goals":[{"goal_name":"g","goal_event_name":"Bought","is_primary_goal":true}]}}`)
	for _, c := range []struct {
		list, name string
		want       []string
	}{
		{"teams", "Growth", []string{"Spring"}},
		{"teams", "Spring", nil},
		{"locales", "de", nil},
		{"segments", "VIP", []string{"Spring"}},
		{"segments", "Inner", []string{"VIP"}},
		{"segments", "City", nil},
		{"events", "Bought", []string{"VIP", "Spring"}},
		{"user_attributes", "City", []string{"Spring"}},
		{"user_attributes", "First Name", []string{"greeting"}},
		{"user_attributes", "VIP", nil},
	} {
		uses, err := b.NameUses(b.ctx, engine.NameRef{List: c.list, Name: c.name})
		b.ok(err)
		var got []string
		for _, u := range uses {
			got = append(got, u.Name)
			if (u.Campaign == id) != (u.Name == "Spring") {
				t.Errorf("%s %s: %+v", c.list, c.name, u)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %q is used by %q, not %q", c.list, c.name, got, c.want)
		}
	}
	_, err := b.NameUses(b.ctx, engine.NameRef{List: "shoes", Name: "x"})
	refused(t, err, engine.ValidationFailed, 400)
}
