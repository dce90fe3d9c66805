package schema_test

import (
	"errors"
	"slices"
	"testing"

	. "bugle/engine/schema"
	"bugle/engine/schema/schematest"
)

// The generator is right about a table where the validator agrees with all its cases, and
// complete where it has both kinds for each rule that is data.
func TestCases(t *testing.T) {
	s := CompiledForTest(t)
	env := Env{
		Stage:      Publish,
		Flags:      map[string]bool{"vouchers": true},
		Lists:      func(string) ([]string, bool) { return []string{"HELLO"}, true },
		Expression: func(string) error { return errors.New("no brace") },
	}
	base := ParseForTest(t, `{"channel":"SHOP","speed":"EXPRESS","hour":9,"till":"3","notes":["a","b"],"extras":{"bag":true},
		"parts":{"p1":2},"mail":"ann@example.com","box":{"weight":1,"inner":{"weight":2}},"cash":true,"card":false,"floor":2}`)
	if ps := Errors(s.Validate(base, env)); len(ps) > 0 {
		t.Fatalf("the base is refused: %v", ps)
	}
	have := map[string]bool{}
	for _, c := range schematest.Cases(s, base, env) {
		reported := slices.ContainsFunc(s.Validate(c.Doc, env), func(p Problem) bool { return p.Rule == c.Rule })
		if reported != c.Refuse {
			t.Errorf("%s at %s: refused should be %v for %s", c.Rule, c.Path, c.Refuse, c.Doc.Encode())
		}
		have[c.Rule+map[bool]string{true: "-", false: "+"}[c.Refuse]] = true
	}
	// Off to one side: a flag is env's, and gift may not stand beside this speed.
	elsewhere := []string{"order.voucher#", "order.gift#type", "order.gift#forbidden"}
	for _, n := range s.Nodes() {
		for _, rule := range n.RuleIDs() {
			if slices.ContainsFunc(elsewhere, func(e string) bool { return len(rule) >= len(e) && rule[:len(e)] == e }) {
				continue
			}
			if !have[rule+"+"] || !have[rule+"-"] {
				t.Errorf("%s: accepted %v, refused %v", rule, have[rule+"+"], have[rule+"-"])
			}
		}
	}
}
