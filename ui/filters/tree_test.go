package filters_test

import (
	"strings"
	"testing"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/themes"
	"bugle/ui/editor"
	"bugle/ui/filters"
	"bugle/ui/uitest"
	"bugle/ui/widget"

	"pgregory.net/rapid"
)

// oddJSON is an audience with everything that a filter editor does not expect.
const oddJSON = `{"segmentation_details":{"x-top":1e2,"included_filters":{"filters":[
	{"filter_type":"user_attributes","data_type":"double","name":"Age","operator":"between","value":18.50,"value1":65.0,"case_sensitive":null},
	{"filter_type":"user_attributes","data_type":"double","name":"Age","operator":"in","value":[1.0,"2",3e1]},
	{"filter_type":"user_attributes","data_type":"string","name":"A\tname","operator":"contains","value":" two\nlines"},
	{"filter_type":"user_attributes","data_type":"string","name":"Country","operator":"in","value":["a, b","say \"x\""," c "]},
	{"filter_type":"user_attributes","data_type":"datetime","name":"Birthday","operator":"between","value":["2026-01-01T00:00:00+0100","2026-02-01"]},
	{"filter_type":"user_attributes","data_type":"geo","name":"Place","operator":"near","value":{"lat":1.10}},
	{"filters":[{"filter_type":"custom_segments","name":"Staff","id":7}],"filter_operator":"or"},
	{"filter_type":"novel","x":[1,{"y":2.50}]},
	{"filter_type":"actions","action_name":"Added to Cart","execution":{"type":"sometimes","count":"2"},"executed":"no","attributes":{"filter_operator":"and","filters":[
		{"filter_type":"user_attributes","data_type":"double","name":"Price","operator":"greaterThan","value":500.00,"x-kept":true}]}}]},
	"excluded_filters":{"filter_operator":"xor","filters":[]},"is_all_user_campaign":false}}`

func parse(t testing.TB, text string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func config(t testing.TB, text string, w, h int) editor.Config {
	return editor.Config{
		Config: forms.Config{
			Schema: catalog.Campaign(catalog.Push), Root: parse(t, text), Path: doc.P(segmentation, include),
			Env: schema.Env{Stage: schema.Publish}, Theme: themes.Plain(), Width: w, Height: h,
		},
		Workspace: workspace(), Now: func() time.Time { return uitest.Now },
	}
}

// press sends keys to an editor by name.
func press(e editor.Editor, keys ...string) {
	for _, k := range keys {
		e.Update(uitest.Key(k))
	}
}

func wantUnchanged(t testing.TB, e editor.Editor, want doc.Value) {
	t.Helper()
	root, changed := e.Edited()
	if changed || string(root.Encode()) != string(want.Encode()) {
		t.Fatalf("the document has become\n%s\nfrom\n%s", root.Encode(), want.Encode())
	}
}

// Navigating changes no byte of any document, and keeps the cursor in sight, at any window size.
func TestNavigationChangesNothing(t *testing.T) {
	around := []string{"up", "down", "j", "k", "g", "G", "home", "end", "pgup", "pgdown", "enter", "a", "W", "esc"}
	inside := []string{"up", "down", "tab", "shift+tab", "ctrl+n", "ctrl+p", "home", "end", "esc"}
	for name, text := range map[string]string{"usual": audienceJSON, "odd": oddJSON, "nothing": `{}`} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				w, h := rapid.IntRange(8, 120).Draw(rt, "width"), rapid.IntRange(1, 40).Draw(rt, "height")
				cfg := config(t, text, w, h)
				e := filters.New(cfg)
				for range rapid.IntRange(1, 60).Draw(rt, "keys") {
					keys := around
					if e.Modal() {
						keys = inside
					}
					press(e, rapid.SampledFrom(keys).Draw(rt, "key"))
					if rapid.IntRange(0, 9).Draw(rt, "resize") == 0 {
						h = rapid.IntRange(1, 40).Draw(rt, "height")
						e.SetSize(w, h)
					}
					lines := strings.Split(e.View(), "\n")
					if len(lines) != h || w > 40 && h > 10 && !strings.Contains(e.View(), "▸") {
						rt.Fatalf("%d lines are drawn on %d, or the cursor is out of sight:\n%s", len(lines), h, e.View())
					}
					for _, l := range lines {
						if widget.Width(l) != w {
							rt.Fatalf("a line is %d cells wide, not %d: %q", widget.Width(l), w, l)
						}
					}
				}
				press(e, "esc", "esc")
				wantUnchanged(t, e, cfg.Root)
			})
		})
	}
}

// After a change from outside, the cursor is at the first difference.
func TestUndoGoesToChange(t *testing.T) {
	cfg := config(t, audienceJSON, 60, 30)
	for name, c := range map[string]struct{ keys, want string }{
		"a filter that comes back": {"Gx", "▸ └ or  Member is yes"},
		"a copy that goes":         {"Gc", "▸ └ or  Member is yes"},
		"a filter turned round":    {"jj!", "▸ ├ and Did Added to Cart"},
		"a condition":              {"jjj!", "▸ │ ├ with Price is above 500"},
	} {
		e := filters.New(cfg)
		press(e, strings.Split(c.keys, "")...)
		changed, _ := e.Edited()
		e.Reload(changed)
		press(e, "g")
		e.Reload(cfg.Root)
		if !strings.Contains(e.View(), c.want) {
			t.Errorf("%s: the window does not show %q:\n%s", name, c.want, e.View())
		}
	}
}

// Locked filters can be viewed; a key that would change one explains why it does not.
func TestLockedFiltersAreReadOnly(t *testing.T) {
	cfg := config(t, audienceJSON, 60, 30)
	cfg.Locked = func(doc.Path) string { return "Cannot be changed while the campaign is Active." }
	e := filters.New(cfg)
	for _, k := range []string{"a", "!", "c", "x", "K", "J", "I", " ", ">", "<", "ctrl+e"} {
		press(e, "g", "j", k)
		if !strings.Contains(e.View(), "Cannot be changed while") {
			t.Errorf("%s does not say why it does nothing:\n%s", k, e.View())
		}
	}
	press(e, "enter", "tab", "tab", "right", "esc")
	wantUnchanged(t, e, cfg.Root)
}

// A filter is edited in the user's editor as JSON.
func TestFilterIsEditedAsJSON(t *testing.T) {
	e := filters.New(config(t, audienceJSON, 60, 30))
	press(e, "j")
	m, _ := e.Update(uitest.Key("ctrl+e"))().(forms.OpenEditorMsg)
	if m.Path.Last().Index != 0 || !m.JSON || !strings.Contains(m.Text, `"India"`) {
		t.Errorf("the editor gets %+v", m)
	}
}
