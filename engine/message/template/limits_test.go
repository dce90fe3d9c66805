package template_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"bugle/engine/enginetest/race"
	"bugle/engine/message/template"
)

// What a template may take at the very most. Both are far above what is measured, so that a busy
// machine and the race detector do not fail.
const (
	mostTime = 20 * time.Second
	mostHeap = 400 << 20
)

// within runs a render, and fails where it takes more time or memory than a template may, or ends with an
// error that does not say where in the template it is.
func within(t *testing.T, render func() error) error {
	t.Helper()
	const heap = "/memory/classes/heap/objects:bytes"
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		sample, most := []metrics.Sample{{Name: heap}}, uint64(0)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-tick.C:
			case <-done:
				peak <- most
				return
			}
		}
	}()
	start := time.Now()
	err := render()
	took := time.Since(start)
	close(done)
	if most := <-peak; most > mostHeap {
		t.Errorf("%d MiB of memory", most>>20)
	}
	if took > mostTime {
		t.Errorf("it took %s", took)
	}
	var located *template.Error
	var missing *template.MissingError
	if err != nil && !errors.As(err, &located) && !errors.As(err, &missing) {
		t.Errorf("error of type %T: %v", err, err)
	}
	return err
}

// What is done in a loop to a long list, each turn of which costs as much as the list is long.
func TestWorkInLoops(t *testing.T) {
	const start = "{% set l = range(9999) %}{% set m = {'a': l, 'b': 1} %}{% set s = 'ab ' * 300000 %}{% for i in range(9999) %}{% for j in range(9) %}"
	for _, body := range race.Some(4, []string{
		"{% set x = l is sequence %}", "{% set x = l is eq l %}", "{% set x = l == l %}", "{% set x = i in l %}", "{% set x = l < l %}",
		"{% set x = m.get('b') %}", "{% set x = m.keys() %}", "{% set x = m.items() %}", "{% set x = 'a'.startswith(l) %}", "{% set x = s.split('b') %}",
		"{% set x = range(9999) %}", "{% set x = 'x'|replace('y', l) %}", "{% set x %}{{ l }}{% endset %}", "{% set x %}{{ s }}{% endset %}",
		"{% set x = l|unique %}", "{% set x = l|sort %}", "{% set x = l|tojson %}", "{% set x = l|select('odd') %}", "{% set x = l|map('string')|list %}",
		"{% set x = l|join(',') %}", "{% set x = l|length %}", "{% set x = m[l] %}", "{% set x = l[i] %}", "{% set x = {l: 1} %}",
		"{% set x = s|title %}", "{% set x = s|striptags %}", "{% set x = s ~ i %}", "{% set x = s[1:] %}", "{% set x = s|escape %}",
		"{% for k in l if k == 10000 %}{% endfor %}", "{{ ProductSet.long[i].title }}", "{{ user.nothing }}{{ i }}",
		"{% set x = s|urlencode %}", "{% set x = s|truncate(9) %}", "{% set x = s|wordcount %}", "{% set x = l|batch(2) %}",
	}) {
		t.Run(body, func(t *testing.T) {
			d := data()
			long := make([]map[string]any, 9999)
			for i := range long {
				long[i] = map[string]any{"title": "x"}
			}
			d.ProductSets["long"] = long
			for i := range 2000 {
				d.UserAttributes[fmt.Sprint("attribute ", i)] = i
			}
			within(t, func() error {
				_, _, err := template.Preview(t.Context(), start+body+"{% endfor %}{% endfor %}", d)
				return err
			})
		})
	}
}

func filterNames() (names []string) {
	for _, f := range template.Functions() {
		if f.Kind == template.FilterKind {
			names = append(names, f.Name)
		}
	}
	return names
}

// Every filter on the largest texts and lists that there can be.
func TestLargeInput(t *testing.T) {
	for _, name := range race.Some(3, filterNames()) {
		t.Run(name, func(t *testing.T) {
			for _, in := range []string{"'<\n' * 500000", "range(9999)", "'%d' * 400"} {
				for _, args := range []string{"", "(3, 'x')", "('x', 'yy')", "(10 ** 15)"} {
					within(t, func() error {
						_, err := template.Render(t.Context(), "{% set s = "+in+" %}{% set t = s|"+name+args+" %}{{ t }}", template.Data{})
						return err
					})
				}
			}
		})
	}
}

// A list within a list within a list …: what walks it goes as deep.
func TestDeepValues(t *testing.T) {
	for _, use := range []string{"{% set y = [2] %}" + strings.Repeat("{% set y = [y] %}", 12_000) + "{{ x < y }}{{ [y, x]|sort }}{{ [y, x]|max }}", "{{ x }}", "{{ x|tojson }}", "{{ x == x }}", "{{ x is eq x }}", "{{ x in x }}", "{{ x|string|length }}", "{{ {'a': x}|dictsort }}"} {
		src := "{% set x = [1] %}" + strings.Repeat("{% set x = [x] %}", 12_000) + use
		within(t, func() error {
			_, err := template.Render(t.Context(), src, template.Data{})
			return err
		})
	}
}

// One long expression in a loop: its length counts in each turn.
func TestLongExpressions(t *testing.T) {
	for _, e := range []string{
		"u" + strings.Repeat(".a", 4000), "u" + strings.Repeat("[0]", 2600), "user.tags" + strings.Repeat("[:]", 2600), "'x'" + strings.Repeat("|upper", 1300),
		"u" + strings.Repeat("|default(u)", 700), strings.Repeat("not ", 2000) + "u", "1" + strings.Repeat("+1", 4000),
		"u" + strings.Repeat(" or u", 1600), "[" + strings.Repeat("u,", 4000) + "]", "u" + strings.Repeat("()", 4000), "'x'" + strings.Repeat(" ~ 'x'", 1100),
		strings.Repeat("(", 30) + "u" + strings.Repeat(")", 30), "u" + strings.Repeat(" is defined", 700), "-" + strings.Repeat("-", 4000) + "1",
	} {
		within(t, func() error {
			_, _, err := template.Preview(t.Context(), "{% for i in range(9999) %}{{ "+e+" }}{% endfor %}", data())
			return err
		})
	}
}

func TestManyMissing(t *testing.T) {
	var src strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&src, "{{u%d}}", i)
	}
	err := within(t, func() error {
		_, _, err := template.Preview(t.Context(), src.String(), template.Data{})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "takes too long") {
		t.Errorf("20,000 missing values: %v", err)
	}
}

// A template that is read is as long as it may be, and made of whatever is slow to read.
func TestLongSources(t *testing.T) {
	for _, part := range race.Some(3, []string{
		"{{1}}", "{{ a.b.c }}", "{% set x = 1 %}", "{% raw %}{% endraw %}", "{{ x|default('') }}", "{{ [[[[[[]]]]]] }}\r\n", "{{ '' if x[1:2] else '' }}",
	}) {
		src := strings.Repeat(part, template.MaxSource/len(part))
		for _, end := range []string{"{{", "{{ x|nope }}"} {
			within(t, func() error { return template.Check((src + end)[max(0, len(src+end)-template.MaxSource):]) })
		}
		within(t, func() error {
			_, _, err := template.Preview(t.Context(), src, template.Data{})
			return err
		})
		within(t, func() error {
			_, err := template.Expressions(src)
			return err
		})
	}
}

func TestManyCalls(t *testing.T) {
	n := 0
	d := template.Data{ContentAPIs: map[string]func(context.Context, ...any) (any, error){
		"a": func(context.Context, ...any) (any, error) { n++; return n, nil },
	}}
	_, err := template.Render(t.Context(), "{% for i in range(9999) %}{{ ContentApi.a(i) }}{% endfor %}", d)
	if err == nil || !strings.Contains(err.Error(), "more than 100 times") || n != template.MaxCalls {
		t.Errorf("%d calls, %v", n, err)
	}
}

// A content API gets what JSON can say, and no list without an end.
func TestArgumentsOfContentAPIs(t *testing.T) {
	d := template.Data{
		UserAttributes: map[string]any{"id": json.Number("9007199254740993.10")},
		ContentAPIs: map[string]func(context.Context, ...any) (any, error){
			"show": func(_ context.Context, args ...any) (any, error) { return fmt.Sprintf("%v", args), nil },
		},
	}
	out, err := template.Render(t.Context(), "{{ ContentApi.show(user.id, 1, none, ['a\u2028<'|safe, (true,)], {'k': date('2026-05-01')}) }}{{ ContentApi.show() }}", d)
	if want := "[9007199254740993.10 1 <nil> [a\u2028< [true]] map[k:2026-05-01T00:00:00Z]][]"; err != nil || out != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
	for _, src := range []string{"{% set l = [1] %}{% do l.append(l) %}{{ ContentApi.show(l) }}", "{{ ContentApi.show(range) }}", "{{ ContentApi.show(timedelta(1)) }}"} {
		if out, err := template.Render(t.Context(), src, d); err == nil {
			t.Errorf("%s is %q", src, out)
		}
	}
}

// Content APIs that never answer end with the time that a render has.
func TestSlowAPI(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	d := template.Data{ContentAPIs: map[string]func(context.Context, ...any) (any, error){
		"slow": func(ctx context.Context, _ ...any) (any, error) { <-ctx.Done(); return nil, ctx.Err() },
	}}
	if _, err := template.Render(ctx, "{{ ContentApi.slow()|default('x') }}", d); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestContentBlockChain(t *testing.T) {
	d := template.Data{ContentBlocks: map[string]string{
		"a": "{{ContentBlock.b}}", "b": "{% if true %}{{ContentBlock['c']}}{% endif %}", "c": "x {{ContentBlock.b}}",
	}}
	_, err := template.Render(t.Context(), "{{ContentBlock.a}}", d)
	var e *template.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	want := template.Error{Line: 1, Column: 3, Block: "c", Message: `content block "b" contains itself`}
	if *e != want {
		t.Errorf("got  %+v\nwant %+v", *e, want)
	}
}

func TestNearestNames(t *testing.T) {
	for src, want := range map[string]string{
		"{{ user.frist_name }}":             "the user has no attribute frist_name, did you mean first_name?",
		"{{ UserAttribute['Frist Name'] }}": "the user has no attribute Frist Name, did you mean First Name?",
		"{{ event.prodct }}":                "the event has no attribute prodct, did you mean product?",
		"{{ ContentBlock['foter'] }}":       "there is no content block foter, did you mean footer?",
		"{{ ProductSet.shoess[0] }}":        "there is no product set shoess, did you mean shoes?",
		"{{ ContentApi.wether() }}":         "there is no content API wether, did you mean weather?",
		"{{ user.xyzzy }}":                  "the user has no attribute xyzzy",
	} {
		_, missing, err := template.Preview(t.Context(), src, data())
		if err != nil || len(missing) != 1 || missing[0].Reason != want {
			t.Errorf("%s: %+v, %v\nwant %q", src, missing, err, want)
		}
	}
}
