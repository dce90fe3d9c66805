package catalog

import (
	"fmt"
	"testing"

	"bugle/engine/doc"
)

// Filters nested in an action get their type; nothing else changes by a byte.
func TestWithFilterTypes(t *testing.T) {
	group := `{"filters":[%s],"x-kept":"\u00e9\t"}`
	action := `{"filter_type":"actions","action_name":"Bought","attributes":` + group + `}`
	for before, after := range map[string]string{
		`{"filter_type":"event_attributes","name":"a","value":1.0,"own":[1e2]}`: `{"filter_type":"user_attributes","name":"a","value":1.0,"own":[1e2]}`,
		`{"name":"a"}`:                         `{"name":"a","filter_type":"user_attributes"}`,
		`{"filter_type":null}`:                 `{"filter_type":"user_attributes"}`,
		`{"filters":[{"name":"a"}]}`:           `{"filters":[{"name":"a","filter_type":"user_attributes"}]}`,
		fmt.Sprintf(action, `{"name":"deep"}`): fmt.Sprintf(action, `{"name":"deep","filter_type":"user_attributes"}`),
		`{"filter_type":"user_attributes"}`:    "",
		`{"filter_type":"custom_segments"}`:    "",
		`{"filter_type":"novel"}`:              "",
		`7,null,"x",[{}]`:                      "",
	} {
		for _, at := range []string{
			`{"segmentation_details":{"included_filters":%s}}`, `{"segmentation_details":{"excluded_filters":%s}}`,
			`{"trigger_condition":{"included_filters":%s}}`, `{"trigger_condition":{"secondary_included_filters":%s},"other":{"filters":[{}]}}`,
		} {
			in := func(nested string) string {
				outer := fmt.Sprintf(group, `{"filter_type":"event_attributes","name":"not nested"},{"name":"none"},`+fmt.Sprintf(action, nested))
				return fmt.Sprintf(at, outer)
			}
			want := in(after)
			if after == "" {
				want = in(before)
			}
			got, changed := WithFilterTypes(mustParse(t, in(before)))
			if string(got.Encode()) != want || changed != (after != "") {
				t.Errorf("%s became %s, %v", in(before), got.Encode(), changed)
			}
			if _, changed := WithFilterTypes(got); changed {
				t.Errorf("%s changed twice", in(before))
			}
		}
	}
	for _, text := range []string{`{}`, `7`, `{"segmentation_details":7,"trigger_condition":{"included_filters":[]}}`} {
		if got, changed := WithFilterTypes(mustParse(t, text)); changed || string(got.Encode()) != text {
			t.Errorf("%s became %s", text, got.Encode())
		}
	}
	if got, changed := WithFilterTypes(doc.Value{}); changed || got.Exists() {
		t.Errorf("nothing became %s", got.Encode())
	}
}
