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
		"to the other group":         {"jI", first + action + price + when + age + second + staff + member + "\n" + strings.TrimSuffix(country, "\n"), "▸ └ or  Country"},
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
		"jjjI": "can't share a group",
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

// Both ends of a range are typed one after the other.
func TestRangeIsTypedEndByEnd(t *testing.T) {
	e := filters.New(config(t, `{}`, 70, 30))
	press(e, "a", "1")
	press(e, strings.Split("age", "")...)
	press(e, "enter", "b", "enter", "1", "8", "enter", "3", "5", "enter")
	root, _ := e.Edited()
	if got := string(root.Lookup(doc.P(segmentation, include, "filters", 0, "value")).Encode()); got != `[18,35]` {
		t.Errorf("the range is %s:\n%s", got, e.View())
	}
}

// A boolean attribute only needs its name.
func TestBooleanDefaultsToYes(t *testing.T) {
	for keys, want := range map[string]string{"": "true", "enter n enter": "false", "enter y enter": "true", "enter space": "false"} {
		e := filters.New(config(t, `{}`, 70, 30))
		press(e, "a", "1", "m", "e", "m", "enter")
		for _, k := range strings.Fields(keys) {
			press(e, strings.ReplaceAll(k, "space", " "))
		}
		press(e, "esc")
		root, _ := e.Edited()
		if got := root.Lookup(doc.P(segmentation, include, "filters", 0, "value")).Literal(); got != want {
			t.Errorf("%q makes it %s, want %s:\n%s", keys, got, want, e.View())
		}
	}
}

// Frequency and period of an event are one row of text, which replaces the previous value and is shown in the
// filter's line.
func TestFrequencyInWords(t *testing.T) {
	for text, want := range map[string]string{
		"at least 3 times in the last 7 days":    "Did Added to Cart at least 3 times in the last 7 days",
		"at least 2 times in last 7 days":        "Did Added to Cart at least 2 times in the last 7 days",
		"twice in the last 2 weeks":              "Did Added to Cart at least 2 times in the last 14 days",
		"exactly once":                           "Did Added to Cart exactly once",
		"up to 3x, soon":                         "",
		"at most 3 times today":                  "Did Added to Cart at most 3 times today",
		"never in the last 30 days":              "Did not do Added to Cart in the last 30 days",
		"not at least 2 times after 2026-01-01":  "Did not do Added to Cart at least 2 times after 1 Jan 2026",
		"once between 2026-01-01 and 2026-02-01": "Did Added to Cart at least once between 1 Jan 2026 and 1 Feb 2026",
		"sometimes":                              "",
	} {
		e := filters.New(config(t, audienceJSON, 110, 30))
		press(e, "j", "j", "enter", "tab")
		before, _ := e.Edited()
		press(e, strings.Split(text, "")...)
		root, _ := e.Edited()
		if want == "" {
			press(e, "enter")
			if root.Same(before) || !strings.Contains(e.View(), "▸ How often") || !strings.Contains(e.View(), text) || !strings.Contains(e.View(), "cannot be read") {
				t.Errorf("%q is lost, or not marked:\n%s", text, e.View())
			}
			continue
		}
		if !strings.Contains(e.View(), "= "+want) {
			t.Errorf("%q is not read as %q:\n%s", text, want, e.View())
		}
		press(e, "enter")
		if !strings.Contains(e.View(), "and "+want) && !strings.Contains(e.View(), "and ! "+want) {
			t.Errorf("%q is not read back:\n%s", text, e.View())
		}
		press(e, "enter", "tab", "x", "esc", "esc", "esc") // discarded
		if again, _ := e.Edited(); !again.Same(root) {
			t.Errorf("%q is gone", text)
		}
	}
}
