package template_test

import (
	"strings"
	"sync"
	"testing"

	"bugle/engine/message/template"
)

// Templates are shared by renders that go on at the same time, each with its own data and place.
func TestAtOnce(t *testing.T) {
	src := "{{ user.city }}: {% for p in ProductSet.shoes %}{{ p.title|upper }} {% endfor %}{{ContentBlock['outer']}}{{ user.nope|default('-') }}{{ContentBlock['holed']}}"
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			d := data()
			d.UserAttributes["city"] = strings.Repeat("x", i)
			for range 50 {
				out, missing, err := template.Preview(t.Context(), src, d)
				if want := d.UserAttributes["city"].(string) + ": BOOT CLOG [Bye Ada]-x {{ user.nothing }} y"; err != nil || out != want {
					t.Errorf("%q, %v; want %q", out, err, want)
				}
				if len(missing) != 1 || missing[0].Block != "holed" || missing[0].Column != 6 {
					t.Errorf("missing %+v", missing)
				}
				// The same source is a block of its own at another time.
				if _, missing, _ = template.Preview(t.Context(), d.ContentBlocks["holed"], d); len(missing) != 1 || missing[0].Block != "" {
					t.Errorf("missing %+v", missing)
				}
			}
		})
	}
	all.Wait()
}

// More sources than are remembered.
func TestManyTemplates(t *testing.T) {
	for i := range 200 {
		src := strings.Repeat("x", 50<<10+i) + "{{ user.city }}"
		if out, err := template.Render(t.Context(), src, data()); err != nil || !strings.HasSuffix(out, "xOslo") || len(out) != 50<<10+i+4 {
			t.Fatalf("%d: %d bytes, %v", i, len(out), err)
		}
	}
}
