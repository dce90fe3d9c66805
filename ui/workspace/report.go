package workspace

import (
	"strings"

	"bugle/themes"
	"bugle/ui/widget"
)

// report is the result of a trial or an import, shown instead of the table.
type report struct {
	open    bool
	title   string
	failed  bool
	summary string
	detail  string
	pager   widget.Pager
}

func newReport(t *themes.Theme) report { return report{pager: widget.NewPager(t)} }

// show opens the report.
func (r *report) show(t *themes.Theme, title string, failed bool, words, detail string) {
	r.open, r.title, r.failed, r.summary, r.detail = true, title, failed, words, detail
	r.fill(t)
}

func (r *report) fill(t *themes.Theme) {
	mark, style := "✓ ", t.Success
	if r.failed {
		mark, style = "✗ ", t.Danger
	}
	text := style.Render(widget.Clean(mark + r.summary))
	if r.detail != "" {
		text += "\n\n" + t.Text.Render(widget.CleanLines(r.detail))
	}
	r.pager.SetStyled(text)
}

func (r *report) close() { r.open = false }

// text returns the report for the clipboard.
func (r *report) text() string { return strings.TrimSpace(r.summary + "\n\n" + r.detail) }
