package catalog

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Whatever a document holds, every table says the same of it twice, in sentences that cite
// their section, and changes nothing.
func FuzzValidate(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*", "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, s := range []string{
		`[]`, `null`, `"x"`, `1e400`, `{}`, `{"channel":null,"campaign_delivery_type":7}`,
		`{"channel":"PUSH","campaign_delivery_type":"PERIODIC","basic_details":[],"campaign_content":{"locales":{"a":1},"content":[]}}`,
		`{"channel":"EMAIL","campaign_content":{"content":{"default":[],"email":null,"push":7}}}`,
		`{"channel":"PUSH","campaign_content":{"variation_details":{"distribution_type":"MANUAL","no_of_variations":9e18,"manual_distribution_percentage":{"variation_99999999999999999999":1e308,"x":-1}}}}`,
		`{"conversion_goal_details":{"goals":[{"goal_event_attribute":{"data_type":"OBJECT","filters":[{"filters":[{"condition":"between"}]}]}}]}}`,
		`{"segmentation_details":{"included_filters":{"filters":[{"filter_type":"user_attributes","data_type":"datetime","operator":"between","value":[null,{}]}]}}}`,
		`{"utm_params":{"\u0000":"\u001b[2J","utm_\uFFFD":""},"scheduling_details":{"timezone":"../../etc/passwd","start_time":"9999-12-31T23:59:59+23:59"}}`,
		`{"test_campaign_meta":{"identifier":["EMAIL"],"identifier_values":"ann@example.com","platform":{}},"draft_id":null}`,
	} {
		f.Add([]byte(s))
	}
	tables := All()
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := doc.Parse(in)
		if err != nil {
			return
		}
		before := string(v.Encode())
		for name, s := range tables {
			for _, stage := range []schema.Stage{schema.Draft, schema.Inline, schema.Saved, schema.Publish} {
				got := s.Validate(v, caseEnv(stage, true))
				for _, p := range got {
					if p.Message == "" || p.Rule == "" || p.Section == "" {
						t.Errorf("%s: %+v says too little", name, p)
					}
				}
				again := s.Validate(v, caseEnv(stage, true))
				if !slices.EqualFunc(got, again, func(a, b schema.Problem) bool { return a.Rule == b.Rule && a.String() == b.String() }) {
					t.Errorf("%s says one time %v, another %v", name, got, again)
				}
			}
			s.Validate(v, schema.Env{})
		}
		if string(v.Encode()) != before {
			t.Error("validating changed the document")
		}
	})
}
