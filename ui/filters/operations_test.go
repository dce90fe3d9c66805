package filters_test

import (
	"strings"
	"testing"

	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/ui/filters"
)

// outline returns the tree as text, one node per line, to compare documents in tests.
func outline(root doc.Value) string {
	var out []string
	for _, n := range audience.Nodes(root, doc.P(segmentation), audience.Env{}, nil) {
		words := n.Text
		if n.Depth == 0 {
			words = n.Title + " " + n.Join
		}
		out = append(out, strings.Repeat("  ", n.Depth)+words)
	}
	return strings.Join(out, "\n")
}

// Each operation is one key in the tree: check the document and the cursor.
func TestKeyOfEachOperation(t *testing.T) {
	const (
		country = "  Country is India or Nepal\n"
		action  = "  Did Added to Cart at least 2 times\n"
		price   = "    Price is above 500\n"
		when    = "    Restocked is in the last 30 days\n"
		age     = "  Age is not between 18 and 65.0\n"
		staff   = "  In the segment Staff\n"
		member  = "  Member is yes"
		first   = "Include and\n"
		second  = "Exclude or\n"
	)
	for name, c := range map[string]struct{ keys, want, cursor string }{
		"negate":                     {"j!", first + "  Country is not India or Nepal\n" + action + price + when + age + second + staff + member, "! Country"},
		"negate an action":           {"jj!", first + country + "  Did not do Added to Cart at least 2 times\n" + price + when + age + second + staff + member, "! Did not do"},
		"negate back":                {"jjjjj!", first + country + action + price + when + "  Age is between 18 and 65.0\n" + second + staff + member, "and Age is between"},
		"duplicate":                  {"jc", first + country + country + action + price + when + age + second + staff + member, "▸ ├ and Country"},
		"duplicate with conditions":  {"jjc", first + country + action + price + when + action + price + when + age + second + staff + member, "▸ ├ and Did"},
		"remove":                     {"jx", first + action + price + when + age + second + staff + member, "▸ ├     Did"},
		"remove with conditions":     {"jjx", first + country + age + second + staff + member, "▸ └ and ! Age"},
		"remove the last of a group": {"Gx", first + country + action + price + when + age + second + strings.TrimSpace(staff), "▸ └     In the segment"},
		"move down":                  {"jJ", first + action + price + when + country + age + second + staff + member, "▸ ├ and Country"},
		"move up":                    {"jjK", first + action + price + when + country + age + second + staff + member, "▸ ├     Did"},
		"move a condition":           {"jjjJ", first + country + action + when + price + age + second + staff + member, "▸ │ └ and  Price"},
		"into the action":            {"jjjjj>", first + country + action + price + when + "  " + age + second + staff + member, "▸   └ and  ! Age"},
		"out of the action":          {"jjj<", first + country + action + when + "  Price is above 500\n" + age + second + staff + member, "▸ ├ and Price"},
		"any of all":                 {" ", "Include or\n" + country + action + price + when + age + second + staff + member, "▸ Include · ANY"},
		"any of a filter's":          {"j ", "Include or\n" + country + action + price + when + age + second + staff + member, "▸ ├     Country"},
		"all of any":                 {"G ", first + country + action + price + when + age + "Exclude and\n" + staff + member, "▸ └ and Member"},
		"any of the conditions":      {"jjj ", first + country + action + price + when + age + second + staff + member, "▸ │ ├ with Price"},
	} {
		t.Run(name, func(t *testing.T) {
			e := filters.New(config(t, audienceJSON, 70, 30))
			press(e, strings.Split(c.keys, "")...)
			root, changed := e.Edited()
			want := strings.ReplaceAll(c.want, second+strings.TrimSpace(staff), second+strings.TrimSuffix(staff, "\n"))
			if got := outline(root); got != want || !changed {
				t.Errorf("the filters are\n%s\nwant\n%s", got, want)
			}
			if !strings.Contains(e.View(), c.cursor) {
				t.Errorf("the window does not show %q:\n%s", c.cursor, e.View())
			}
		})
	}
}

// An operation that is not possible explains why and what to do instead, and changes nothing.
func TestDisabledOperationsExplain(t *testing.T) {
	for keys, want := range map[string]string{
		"j>":   "no event above",
		"jj>":  "only an attribute filter can become a condition of an event",
		"jjj>": "already part of its event",
		"j<":   "already at the top level",
		"Gk!":  "a segment can't be inverted",
		"!":    "works on a single filter",
		"c":    "works on a single filter",
	} {
		cfg := config(t, audienceJSON, 70, 30)
		e := filters.New(cfg)
		press(e, strings.Split(keys, "")...)
		if got := strings.ToLower(strings.Join(strings.Fields(e.View()), " ")); !strings.Contains(got, strings.ToLower(want)) {
			t.Errorf("%q does not say %q:\n%s", keys, want, e.View())
		}
		wantUnchanged(t, e, cfg.Root)
	}
}
