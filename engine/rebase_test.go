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

func TestPatch(t *testing.T) {
	parse := func(s string) (v doc.Value) {
		if s != "" {
			var err error
			if v, err = doc.Parse([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		return v
	}
	for _, c := range []struct{ name, from, to, now, out, conflicts string }{
		{"nobody else changed it", `{"a":1,"b":2}`, `{"a":2}`, `{"a":1,"b":2}`, `{"a":2}`, ""},
		{"others changed another field of the object", `{"o":{"a":1,"b":1}}`, `{"o":{"a":2,"b":1}}`, `{"o":{"a":1,"b":3},"c":1}`, `{"o":{"a":2,"b":3},"c":1}`, ""},
		{"others changed the same field", `{"o":{"a":1,"b":1}}`, `{"o":{"a":2,"b":2}}`, `{"o":{"a":7,"b":1}}`, `{"o":{"a":7,"b":2}}`, "o.a"},
		{"others did the same", `{"a":1}`, `{"a":2}`, `{"a":2}`, `{"a":2}`, ""},
		{"others removed it", `{"a":1}`, `{"a":2}`, `{}`, `{}`, "a"},
		{"a part of a document", `{"o":{"t":[1,2]}}`, `{"o":{"t":[1]}}`, `{"o":{"n":1,"t":[1,2]},"p":1}`, `{"o":{"n":1,"t":[1]},"p":1}`, ""},
		{"what was added, with something of others in it", `{"o":{"a":1}}`, `{}`, `{"o":{"a":1,"b":1}}`, `{"o":{"b":1}}`, ""},
		{"what was removed, and others began anew", `{}`, `{"o":{"a":1}}`, `{"o":{"b":1}}`, `{"o":{"b":1,"a":1}}`, ""},
		{"an entry that others moved", `{"l":[1,2]}`, `{"l":[1,3]}`, `{"l":[2,1]}`, `{"l":[2,1]}`, "l"},
		{"another kind", `{"o":{"a":1}}`, `{"o":{"a":2}}`, `{"o":"text"}`, `{"o":"text"}`, "o"},
		{"everything", ``, `{"a":1}`, `{}`, `{"a":1}`, ""},
	} {
		out, conflicts := engine.Patch(parse(c.from), parse(c.to), parse(c.now))
		var at []string
		for _, p := range conflicts {
			at = append(at, p.String())
		}
		if got := string(out.Encode()); got != c.out || strings.Join(at, ",") != c.conflicts {
			t.Errorf("%s: %s, conflicts %q; want %s, %q", c.name, got, at, c.out, c.conflicts)
		}
	}
}
