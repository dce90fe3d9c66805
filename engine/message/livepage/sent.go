package livepage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/net/html"

	"bugle/engine"
	"bugle/engine/message/render"
)

// Sent returns the source of an email that went out.
func Sent(m *engine.EmailMessage) Source {
	text := func(s string) render.Text { return render.Text{{Text: s}} }
	return func(context.Context) (Message, error) {
		return Message{Title: m.Subject, HTML: m.HTML, Mail: &render.Mail{
			Sender: text(m.FromName), From: text(m.From), Subject: text(m.Subject), Preview: text(m.PreviewText),
		}}, nil
	}
}

// Names of the pages of a folder.
const (
	ownPage    = "message.html"
	imagesPage = "images.html"
)

// filePage is the page of an email in a file, of which the title and the HTML are escaped.
const filePage = `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src %s; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>html, body { margin: 0; height: 100%% } body { display: flex; flex-direction: column } p { margin: 8px } iframe { flex: 1; border: 0; background: #fff }</style>
%s<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="%s"></iframe>
`

// WriteFiles writes an email as two pages into a new private folder, with a link from the one that loads nothing from other
// servers to the one that loads images. It returns the name of the first.
func WriteFiles(subject, body string) (file string, err error) {
	if body, err = isolate(body); err != nil {
		return "", err
	}
	dir, err := makeFolder()
	if err != nil {
		return "", err
	}
	write := func(name, images, link string) error {
		page := fmt.Sprintf(filePage, images, html.EscapeString(subject), link, html.EscapeString(body))
		return os.WriteFile(filepath.Join(dir, name), []byte(page), 0o600)
	}
	return filepath.Join(dir, ownPage), errors.Join(
		write(ownPage, ownImages, `<p><a href="`+imagesPage+`">Load remote images</a></p>`+"\n"), write(imagesPage, remoteImages, ""))
}
