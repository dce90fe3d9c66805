package engine_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
)

func TestRebase(t *testing.T) {
	parse := func(s string) doc.Value {
		v, err := doc.Parse([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct{ name, origin, mine, theirs, merged, conflicts string }{
		{"nothing changed", `{"a":1}`, `{"a":1}`, `{"a":1}`, `{"a":1}`, ""},
		{"only I", `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":1,"b":1}`, `{"a":2,"b":1}`, ""},
		{"only they", `{"a":1}`, `{"a":1}`, `{"a":3}`, `{"a":3}`, ""},
		{"each another part", `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":1,"b":3}`, `{"a":2,"b":3}`, ""},
		{"both the same way", `{"a":1}`, `{"a":2}`, `{"a":2}`, `{"a":2}`, ""},
		{"both in two ways", `{"a":1}`, `{"a":2}`, `{"a":3}`, `{"a":2}`, "a"},
		{"I add, they add", `{}`, `{"a":2}`, `{"b":3}`, `{"b":3,"a":2}`, ""},
		{"I take away", `{"a":1,"b":1}`, `{"b":1}`, `{"a":1,"b":1}`, `{"b":1}`, ""},
		{"I take away what they change", `{"a":1}`, `{}`, `{"a":3}`, `{}`, "a"},
		{"a spelling is a change", `{"a":1}`, `{"a":1.0}`, `{"a":1}`, `{"a":1.0}`, ""},
	} {
		merged, conflicts := engine.Rebase(parse(c.origin), parse(c.mine), parse(c.theirs))
		if got := string(merged.Encode()); got != c.merged || strings.Join(conflicts, ",") != c.conflicts {
			t.Errorf("%s: %s, conflicts %q; want %s, %q", c.name, got, conflicts, c.merged, c.conflicts)
		}
	}
	changed, removed := engine.ChangedComponents(parse(`{"a":1,"b":1}`), parse(`{"a":2,"c":3}`))
	if len(changed) != 2 || changed[0].Name != "a" || changed[1].Name != "c" || strings.Join(removed, ",") != "b" {
		t.Errorf("changed %v, removed %v", changed, removed)
	}
}
