package template_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bugle/engine/enginetest/race"
	"bugle/engine/message/template"
)

// Whatever a template computes, it ends within 100 ms after its context does.
func TestCanceledSoon(t *testing.T) {
	if race.Enabled {
		t.Skip("everything is slower")
	}
	const large = "{% set s = 'ab c<1-' * 130000 %}"
	loop := func(inner string) string {
		return "{% for i in range(9999) %}{% set _ = " + inner + " %}{% endfor %}"
	}
	for _, src := range []string{
		"{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}",
		loop("s|title"), loop("s.title()"), loop("s|upper"), loop("s|e"), loop("s|urlencode"), loop("s|striptags"), loop("s|urlize"),
		loop("s|tojson"), loop("s|replace('a', 'b')"), loop("s.replace('', '-')"), loop("s.split()"), loop("s[::-1]"), loop("s|reverse"),
		loop("s.find('zz')"), loop("s.count('c')"), loop("s|truncate(500000)"), loop("s|length"), loop("'zz' in s"), loop("s == s ~ ''"), loop("s.strip('ab c<1-')"), loop("s.isdigit()"),
		loop("'{0}'.format(s)"), loop("'%s'|format(s)"), loop("s|int"), loop("s|capitalize"), loop("s|trim"), loop("s < s ~ 'a'"), loop("s|date|default(1)"), loop("s|float"), loop("s.lower() ~ 1"), loop("s|string|last"), loop("s|first"), loop("{s: 1}"),
		"{% set l = range(9999)|list %}" + loop("l|tojson"), "{% set l = range(9999)|list %}" + loop("l|sort"), "{% set l = range(9999)|list %}" + loop("l|join(',')"), "{% set l = range(9999)|list %}" + loop("l|unique"), "{% set l = range(9999)|list %}" + loop("l + l[:1]"),
		"{% set l = range(9999)|list %}" + loop("l|map('string')|list"), "{% set l = range(9999)|list %}" + loop("9999 in l"), "{% set l = range(9999)|list %}" + loop("l|string"), "{% set l = range(9999)|list %}" + loop("l|sum"), "{% set l = range(9999)|list %}" + loop("l.index(9998)"),
		"{% set l = ['a b' * 40000] * 20 %}" + loop("l|map('title')|list"), "{% set l = ['a b' * 40000] * 8 %}" + loop("l|sort"), "{% set l = ['a b' * 40000] * 8 %}" + loop("l == l + []"), "{% set m = {'a': s} %}" + loop("m|tojson"),
		strings.Replace(loop("s|title"), "{% for", "{% set s = 'é ö<1-' * 100000 %}{% for", 1),
	} {
		src = large + src
		if err := template.Check(src); err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		var late time.Duration
		for range 5 { // of a machine that has other things to do, the best counts
			if late = canceledLate(t, src); late <= 100*time.Millisecond {
				break
			}
		}
		if late > 100*time.Millisecond {
			t.Errorf("%s: %v after it was canceled", strings.TrimPrefix(src, large), late)
		}
	}
}

// canceledLate returns how long after its context a render ended; 0 if it was done before.
func canceledLate(t *testing.T, src string) time.Duration {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := template.Render(ctx, src, data())
	if ended := time.Now(); errors.Is(err, context.DeadlineExceeded) {
		deadline, _ := ctx.Deadline()
		return ended.Sub(deadline)
	}
	return 0
}
