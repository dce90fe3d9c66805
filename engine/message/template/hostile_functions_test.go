package template

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bugle/engine/enginetest/race"
)

// Whatever a template calls with a megabyte of text ends soon, with a result or an error.
func TestFunctionsAreLinear(t *testing.T) {
	if race.Enabled {
		t.Skip("everything is slower")
	}
	shapes := []string{
		"a", "ß", "Σ", "é ", "a ", " ", "\n", "a\n", "<", "<b>", "<!--", "&lt;", "&", "'\"", "%", "{}", "1", "1_", "a@b.c ", "http://a.de/(", "0.",
	}
	arguments := map[string]string{
		"batch": "(2)", "format": "('%s')", "groupby": "(0)", "replace": "('a', 'bb')", "round": "(2)", "map": "('upper')", "reject": "('odd')",
		"rejectattr": "('0')", "select": "('string')", "selectattr": "('0')", "strftime": "('%Y')", "count": "('a')",
		"find": "('b')", "index": "('a')", "join": "('ab')",
		"removeprefix": "('a')", "removesuffix": "('a')", "endswith": "('b')", "startswith": "('b')", "in": "('b')", "date": "('%Y %m')",
		"split": "('a')", "strip": "('a')", "trim": "('a ')", "lstrip": "('a')", "rstrip": "('a')", "sameas": "('a')", "divisibleby": "(3)",
		"==": "", "!=": "", "<": "", "<=": "", ">": "", ">=": "",
	}
	// late reports a duration that is too long, also for a busy machine, on which everything takes longer.
	late := func(took time.Duration) bool {
		if took < 100*time.Millisecond {
			return false
		}
		start := time.Now()
		for range 20 {
			_ = strings.ToUpper(strings.Repeat("ß", MaxOutput/2))
		}
		return took > time.Since(start)
	}
	for _, f := range Functions() {
		var src string
		args := arguments[f.Name]
		switch {
		case f.Kind == FilterKind:
			src = "{{ user.x|" + f.Name + args + " }}"
		case f.Kind == MethodKind && f.On == "text":
			src = "{{ user.x." + f.Name + strings.TrimSuffix("("+strings.TrimPrefix(args, "("), ")") + ") }}"
		case f.Kind == TestKind && args != "":
			src = "{{ user.x is " + f.Name + args + " }}"
		default:
			continue
		}
		if _, err := Parse(src); err != nil {
			t.Errorf("%s: %v", src, err)
		}
		for _, shape := range shapes {
			data := Data{UserAttributes: map[string]any{"x": strings.Repeat(shape, MaxOutput/len(shape))}}
			for try := range 3 {
				start := time.Now()
				_, err := Render(context.Background(), src, data)
				took := time.Since(start)
				var located *Error
				var none *MissingError
				if err != nil && !errors.As(err, &located) && !errors.As(err, &none) {
					t.Errorf("%s on %q: %v", src, shape, err)
				}
				if !late(took) {
					break
				}
				if try == 2 {
					t.Errorf("%s on a megabyte of %q took %s", src, shape, took)
				}
			}
		}
	}
}
