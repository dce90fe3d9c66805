package check_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"bugle/engine/enginetest/race"
	"bugle/engine/message/check"
)

// hostile are bodies that a naive reader would take long for, or much memory.
func hostile() map[string]string {
	mb := 1 << 20 / race.Factor(8)
	n := func(count int) int { return count / race.Factor(8) }
	return map[string]string{
		"angle brackets":     strings.Repeat("<", 5*mb),
		"braces":             strings.Repeat("{", 5*mb),
		"open expressions":   strings.Repeat("{{", mb),
		"open statements":    strings.Repeat("{%", mb),
		"open comments":      strings.Repeat("<!--", mb),
		"deep":               strings.Repeat("<div>", n(200_000)) + strings.Repeat("</div>", n(200_000)),
		"deep tables":        strings.Repeat("<table><tr><td>", n(100_000)),
		"never closed":       strings.Repeat("<b><i><a href=x>", n(100_000)),
		"many links":         strings.Repeat(`<a href="https://a.eu/x">x</a>`, n(100_000)),
		"different links":    numbered(`<a href="https://a.eu/%d">x %d</a>`, n(30_000)),
		"different images":   numbered(`<img src="https://a.eu/%d.png" data-n="%d">`, n(30_000)),
		"different colors":   numbered(`<p style="color:#f%05d;background:#fff">x %d</p>`, n(4_000)),
		"giant style":        `<p style="` + strings.Repeat("color:red;", n(500_000)) + `">x</p>`,
		"giant sheet":        `<style>` + strings.Repeat("@media{a:b(c(d(e(", n(100_000)) + `</style>`,
		"parentheses":        `<p style="width:` + strings.Repeat("calc(", n(500_000)) + `">x</p>`,
		"giant attribute":    `<a href="` + strings.Repeat("x", 5*mb) + `">x</a>`,
		"many attributes":    "<p " + numbered("a%d=%d ", n(100_000)) + ">",
		"numbers":            strings.Repeat("1 Street 12345 ", n(100_000)),
		"entities":           strings.Repeat("&#x41;", n(500_000)),
		"nul":                strings.Repeat("\x00<\x00", n(500_000)),
		"marks":              strings.Repeat("\U000F0000\U000F0010{{x}}", n(200_000)),
		"many expressions":   strings.Repeat("{{user.x}}", n(5_000)),
		"blocks of blocks":   strings.Repeat("{{ContentBlock['bomb']}}", n(10_000)),
		"words in a link":    `<a href="x">` + strings.Repeat("word ", n(300_000)) + `</a>`,
		"conditional braces": strings.Repeat("{% if user.x %}<a href='#'>{% endif %}", n(6_000)),
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i, i)
	}
	return b.String()
}

// Hostile bodies take bounded time and memory. What is linear takes a second at most; the limit is for machines with much
// else to do.
func TestHostileBodies(t *testing.T) {
	f := facts()
	f.Workspace.ContentBlocks[0].Name, f.Workspace.ContentBlocks[0].Source = "bomb", strings.Repeat("{{ContentBlock['outer']}}<p>x</p>", 1000)
	f.Workspace.ContentBlocks[1].Source = strings.Repeat("{{ContentBlock['bomb']}}<p>y</p>", 1000)
	for name, body := range hostile() {
		t.Run(name, func(t *testing.T) {
			c := set(t, email(t), htmlAt, body)
			c = set(t, c, mailAt+"subject", body[:min(len(body), 300_000)])
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			if _, err := check.Run(t.Context(), c, f); err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 1500 {
				t.Errorf("it allocated %d MB", n)
			}
			if took > 2*time.Minute {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// An ended context ends a run that takes long.
func TestRunIsCanceled(t *testing.T) {
	c := set(t, email(t), htmlAt, hostile()["blocks of blocks"])
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if _, err := check.Run(ctx, c, facts()); err == nil {
		t.Error("it ran to its end")
	}
}

func FuzzRun(f *testing.F) {
	for _, seed := range []string{
		page(""), footer, "<style>@media{a:b}</style>", "<a href={{x}}>", `<p style="color:rgba(1,2,3,.5)">`, "{% if %}", "{{ContentBlock['footer']}}", "<table><td></table></td>", "\xff<\x00{{",
	} {
		f.Add(seed, seed)
	}
	known := facts()
	f.Fuzz(func(t *testing.T, html, text string) {
		if len(html)+len(text) > 64<<10 {
			return
		}
		c := set(t, set(t, email(t), htmlAt, html), mailAt+"subject", text)
		p := set(t, set(t, push(t), titleAt, text), pushAt+"android.buttons[0].click_action_value", html)
		for _, f := range []check.Facts{known, {}} {
			a, err := check.Run(t.Context(), c, f)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := check.Run(t.Context(), c, f)
			if fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("two runs differ:\n%v\n%v", a, b)
			}
			if _, err := check.Run(t.Context(), p, f); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// large is an email of 100 KB, as newsletters are built: rows of tables with inline styles.
func large() string {
	row := `<tr><td style="padding:12px;background:#ffffff;color:#222222;font-size:16px"><a href="https://shop.eu/p/%d" style="color:#7A3E00">Shoe %d</a>` +
		`<img src="https://cdn.shop.eu/p/shoe.png" alt="A shoe" width="200" height="100"><p style="color:#333333;margin:0">Light, dry, and it lasts for years. {{user.first_name|default('You')}} may like it.</p></td></tr>`
	return page("<table>" + numbered(row, 310) + "</table>")
}

func BenchmarkEmailOf100KB(b *testing.B) {
	f, body := facts(), large()
	c := email(b)
	b.SetBytes(int64(len(body)))
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		edited := set(b, c, htmlAt, fmt.Sprintf("%s<p>%d</p>", body, i)) // as after a key: nothing of it is compiled
		b.StartTimer()
		if _, err := check.Run(b.Context(), edited, f); err != nil {
			b.Fatal(err)
		}
	}
}
