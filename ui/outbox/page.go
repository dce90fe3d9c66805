package outbox

import (
	"html"

	"bugle/engine"
)

// emailPage wraps the email in a frame without scripts, as mail programs do.
func emailPage(m *engine.EmailMessage) string {
	return `<!doctype html><meta charset="utf-8"><title>` + html.EscapeString(m.Subject) + `</title>` +
		`<style>html,body,iframe{margin:0;border:0;width:100%;height:100%}body{overflow:hidden}</style>` +
		`<iframe sandbox="allow-popups" srcdoc="` + html.EscapeString(m.HTML) + `"></iframe>` + "\n"
}
