package builder

import (
	"context"
	_ "embed"
	"html/template"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/edit/grid"
	"bugle/engine/message/render"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

const taskBrowser = "browser"

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"color": cssColor}).Parse(pageText))

// page is the data of the HTML page for a message.
type page struct {
	Title string
	Cell  string // the locale and variation
	Mail  *render.Mail
	HTML  string // of the email, unchanged
	Push  []*render.Notification
}

// openInBrowser shows the current message in the browser.
func (s *Screen) openInBrowser() tea.Cmd {
	root, o := s.edit.Root(), render.Options{Now: s.deps.Now()}
	if a, ok := s.panes.info.sidePanel.(*previewPanel); ok {
		root, o = a.withTemplates()
	}
	p, ok := pageAt(s.edit, root, s.panes.place(), o)
	if !ok {
		return screen.Notify(widget.LevelWarning, "There is no message to open here.")
	}
	files := s.files
	return s.Run(taskBrowser, func(ctx context.Context) (any, error) {
		var b strings.Builder
		if err := pageTemplate.Execute(&b, p); err != nil {
			return nil, err
		}
		return nil, files.Show(ctx, b.String())
	})
}

// openedNotice reports whether the browser could be opened.
func openedNotice(r screen.Result) tea.Cmd {
	if r.Err != nil {
		return screen.Notify(widget.LevelWarning, capitalize(r.Err.Error())+".")
	}
	return screen.Notify(widget.LevelSuccess, "Opened in the browser. The page updates while you stay in this campaign.")
}

// pageAt returns the page of the message at a place of root, or of the first message if the place is in none.
func pageAt(e *edit.Session, root doc.Value, at doc.Path, o render.Options) (page, bool) {
	ch := e.Head().Channel
	views, ok := render.ViewsAt(ch, root, at, o)
	if !ok && !inMessageCell(ch, root, at) {
		views, _ = render.FirstViews(ch, root, o)
	}
	if len(views) == 0 {
		return page{}, false
	}
	p := page{Title: engine.Summarize(e.Campaign()).Title(), Cell: grid.CellName("", views[0].Locale, views[0].Variation)}
	for _, v := range views {
		if v.Notification != nil {
			p.Push = append(p.Push, v.Notification)
		}
		if v.Mail != nil {
			p.Mail, p.HTML = v.Mail, htmlAt(e, root, v.Content)
		}
	}
	return p, true
}

// htmlAt returns the HTML of the message at a place, from the fields that the schema marks as HTML.
func htmlAt(e *edit.Session, root doc.Value, p doc.Path) string {
	st, _ := e.Schema().Object(root, p, e.Env())
	for _, f := range st.Fields {
		if f.Shown && f.Node.Links == schema.LinksInHTML {
			return f.Value.Text()
		}
	}
	return ""
}

// cssColor returns a color of the document as CSS; anything else is rejected.
func cssColor(s string) template.CSS {
	if !schema.Color.Matches(s) {
		return "inherit"
	}
	return template.CSS(s) //nolint:gosec // a hash and hexadecimal digits
}
