package builder_test

import (
	"io"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// The images of a message are shown on the whole terminal, or it is said why not.
func TestShowImages(t *testing.T) {
	const mail = `{"basic_details":{"name":"News"},"campaign_content":{"content":{"email":{"subject":"Hi","html_content":%s}}}}`
	for body, offered := range map[string]bool{`"<p>x</p><img src=\"https://example.com/a.png\">"`: true, `"<p>x</p>"`: false} {
		b := newTestbed(t, catalog.Email, strings.Replace(mail, "%s", body, 1))
		s := builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id, Preview: true})
		h := uitest.New(t, s, 120, 40)
		shown := strings.Contains(h.Text(), "i images")
		if shown != offered {
			t.Errorf("images are offered: %v\n%s", shown, h.Text())
		}
		if !offered {
			continue
		}
		var take *screen.TakeTerminalMsg
		for _, msg := range messages(s.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("i")})) {
			if m, ok := msg.(screen.TakeTerminalMsg); ok {
				take = &m
			}
		}
		if take == nil {
			t.Fatal("nothing is shown")
		}
		h.Send(messages(take.Then(take.Run(t.Context(), strings.NewReader("\x1b[?62c"), io.Discard)))...)
		h.Want("This terminal does not say that it can draw images")
	}
}
