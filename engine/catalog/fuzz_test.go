package catalog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Whatever a document holds, every table says the same of it twice, in sentences that cite their
// section, of places that are in it, each thing once, and changes nothing; what a draft may not be, no
// stage lets pass; and the forms show, demand and offer what the check takes.
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
		complete := true
		for _, name := range []string{"channel", "campaign_delivery_type", "campaign_content", "basic_details", "scheduling_details"} {
			complete = complete && v.Get(name).Exists()
		}
		for name, s := range tables {
			var draft []schema.Problem
			for _, stage := range []schema.Stage{schema.Draft, schema.Inline, schema.Saved, schema.Publish} {
				got := s.Validate(v, caseEnv(stage, true))
				checkProblems(t, name, v, len(in), got)
				again := s.Validate(v, caseEnv(stage, true))
				if !slices.EqualFunc(got, again, func(a, b schema.Problem) bool { return a.Rule == b.Rule && a.String() == b.String() }) {
					t.Errorf("%s says one time %v, another %v", name, got, again)
				}
				if stage == schema.Draft {
					draft = got
				} else if stage == schema.Publish {
					checkStages(t, name, draft, got)
				}
				w := walker{t, s, v, caseEnv(stage, true), map[string][]string{}, complete}
				for _, p := range got {
					w.rules[p.Path.String()] = append(w.rules[p.Path.String()], p.Rule[strings.LastIndex(p.Rule, "#")+1:])
				}
				w.object(nil)
			}
			s.Validate(v, schema.Env{})
		}
		if string(v.Encode()) != before {
			t.Error("validating changed the document")
		}
	})
}

// checkProblems checks each problem by itself.
func checkProblems(t *testing.T, table string, v doc.Value, size int, ps []schema.Problem) {
	t.Helper()
	if most := 100 + 4*size; len(ps) > most {
		t.Errorf("%s: %d problems of %d bytes", table, len(ps), size)
	}
	seen := map[string]bool{}
	for _, p := range ps {
		if p.Message == "" || p.Rule == "" || p.Section == "" {
			t.Errorf("%s: %+v says too little", table, p)
		}
		if strings.ContainsFunc(p.Message+p.FormMessage, unicode.IsControl) {
			t.Errorf("%s: %q holds a control character", table, p.Message+p.FormMessage)
		}
		if len(p.Path) > 0 && !v.Lookup(p.Path).Exists() && !v.Lookup(p.Path[:len(p.Path)-1]).Exists() {
			t.Errorf("%s: %s is nowhere in the document", table, p)
		}
		key := p.Rule + " " + p.String()
		if seen[key] {
			t.Errorf("%s says %q twice", table, key)
		}
		seen[key] = true
	}
}

// checkStages checks that what is an error in a draft is one at every stage.
func checkStages(t *testing.T, table string, draft, publish []schema.Problem) {
	t.Helper()
	for _, p := range schema.Errors(draft) {
		if !slices.ContainsFunc(publish, func(q schema.Problem) bool { return q.Path.Equal(p.Path) && q.Severity == schema.Error }) {
			t.Errorf("%s: %s is wrong in a draft, and not when it is published", table, p)
		}
	}
}

// walker compares what the forms know of a document with what was found in it.
type walker struct {
	*testing.T
	schema *schema.Schema
	root   doc.Value
	env    schema.Env
	rules  map[string][]string // the kinds of the problems by path
	// complete says that the root has what conditions ask it for; where it has not, a form shows what a
	// check cannot know.
	complete bool
}

func (w walker) has(p doc.Path, kind string) bool {
	return slices.ContainsFunc(w.rules[p.String()], func(k string) bool { return strings.HasPrefix(k, kind) })
}

func (w walker) object(p doc.Path) {
	o, ok := w.schema.Object(w.root, p, w.env)
	if !ok || o.Value.Kind() != doc.Object {
		return
	}
	for _, f := range o.Fields {
		w.field(f)
	}
	for _, f := range o.Extras {
		if f.Node == nil {
			if !w.has(f.Path, "unknown") && !w.has(f.Path, "extra_member") {
				w.Errorf("nothing is said of %s, which no table knows", f.Path)
			}
			continue
		}
		w.below(f)
	}
}

func (w walker) field(f schema.FieldState) {
	refused, unused := w.has(f.Path, "applies"), w.has(f.Path, "unused") || w.has(f.Path, "forbidden")
	if f.Value.Exists() && f.Shown == (refused || unused) && (w.complete || f.Shown) {
		w.Errorf("%s: shown %v (%s), and the check says %v", f.Path, f.Shown, f.Why, w.rules[f.Path.String()])
	}
	if demanded := w.has(f.Path, "required"); demanded && !f.Required || w.complete && f.Required && f.Shown && !f.Value.Exists() && !demanded {
		w.Errorf("%s: required %v, and the check says %v", f.Path, f.Required, w.rules[f.Path.String()])
	}
	if !refused {
		w.below(f)
	}
}

func (w walker) below(f schema.FieldState) {
	if w.has(f.Path, "type") {
		return
	}
	switch f.Node.Kind {
	case schema.Object, schema.Map:
		w.object(f.Path)
	case schema.List:
		for i := range f.Value.Elems() {
			if e, ok := w.schema.Field(w.root, f.Path.Elem(i), w.env); ok {
				w.below(e)
			}
		}
	case schema.String:
		for _, o := range f.Options {
			if o.Value == f.Value.Text() && f.Value.Kind() == doc.String && o.Offered == w.has(f.Path, "enum") {
				w.Errorf("%s: %s is offered %v, and the check says %v", f.Path, o.Value, o.Offered, w.rules[f.Path.String()])
			}
		}
	}
}
