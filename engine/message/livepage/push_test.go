package livepage_test

import (
	"context"
	"strings"
	"testing"

	"bugle/engine/message/livepage"
	"bugle/engine/message/render"
)

// A notification is shown with all its parts, and its texts and addresses are nothing but that.
func TestNotification(t *testing.T) {
	s := start(t, func(context.Context) (livepage.Message, error) {
		return livepage.Message{Push: []*render.Notification{{
			App: "Shop", Title: render.Text{{Text: `<script>x</script>`, Bold: true, Color: "red;background:url(x)"}}, Subtitle: render.Text{{Text: "Today"}},
			Body: render.Text{{Text: "now", Color: "#00ff00"}}, Timer: &render.Timer{Text: "2 hours after it arrives"}, Image: &render.Image{URL: "javascript:alert(1)"},
			Slide:   []render.Slide{{Image: render.Image{URL: "https://e.com/a.png?x=1&y=\"", Name: "a.png"}}},
			Buttons: []render.Button{{Title: render.Text{{Text: "Buy"}}}},
		}}}, nil
	})
	_, got := get(t, request(t, "GET", s.URL()+"message"))
	for _, want := range []string{
		"&lt;script&gt;x&lt;/script&gt;", "font-weight:700", "Today", "color:#00ff00", "2 hours after it arrives", `src="https://e.com/a.png?x=1&amp;y=&#34;"`, ">Buy<",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q", want)
		}
	}
	for _, bad := range []string{"<script", "url(x)", "javascript:"} {
		if strings.Contains(got, bad) {
			t.Errorf("there is %q", bad)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}
