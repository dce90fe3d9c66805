package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/rogpeppe/go-internal/diff"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// pageTitle returns the heading of a version's changes.
func pageTitle(rev engine.Revision, ok bool) (title, info string) {
	if !ok {
		return "Changes", ""
	}
	title = fmt.Sprintf("Version %d", rev.N)
	if rev.By != "" {
		title += " by " + rev.By
	}
	return title, ""
}

func (s *Screen) emptyText() string {
	switch {
	case s.failed != nil:
		return phrase.Sentence(s.failed.Error()) + "\n\nPress r to reload or esc to go back."
	case !s.loaded:
		return "Loading history…"
	}
	return "No earlier versions. Each save adds one."
}

// row returns the cells of a version.
func (s *Screen) row(r engine.Revision) widget.Cells {
	change := phrase.Capitalize(s.noteText(r.Note))
	if s.isCurrent(r) {
		change += " · current"
	}
	return widget.Cells{{Text: fmt.Sprint(r.N), Tone: themes.ToneMuted}, {Text: change}, {Text: s.formatTime(r.At), Tone: themes.ToneMuted}}
}

// has reports whether a version's change or author has a word in lower case.
func (s *Screen) has(r engine.Revision, word string) bool {
	return strings.Contains(strings.ToLower(s.noteText(r.Note)+"\n"+r.By), word)
}

// noteText describes the note of a save by the titles of its field and component.
func (s *Screen) noteText(noteText string) string {
	verb, place, ok := strings.Cut(noteText, " ")
	if !ok {
		return noteText
	}
	p, err := doc.ParsePath(place)
	if err != nil || s.nodeTitle(p) == "" {
		return noteText
	}
	all := strings.Split(s.nodeTitle(p), " › ")
	if last := all[len(all)-1]; last != all[0] {
		return verb + " " + last + " in " + all[0]
	}
	return verb + " " + all[0]
}

// nodeTitle returns the title of a place; "" if the schema does not have it.
func (s *Screen) nodeTitle(p doc.Path) string {
	if len(p) == 0 {
		return ""
	}
	return problems.Place(s.campaign.Channel, p)
}

// formatTime formats the time of a save.
func (s *Screen) formatTime(t time.Time) string {
	return timeparse.Moment(s.deps.Local(t), s.deps.Local(s.deps.Now()))
}

// changes draws the differences between two versions.
func (s *Screen) changes(c pair, width int) string {
	changes := doc.ByField(doc.Diff(engine.DocumentBody(c.old.Document()), engine.DocumentBody(c.new.Document())))
	if len(changes) == 0 {
		return s.theme.Muted.Render("No differences.")
	}
	var lines []string
	add := func(style lipgloss.Style, text string) { // each line is styled by itself, because styles do not span lines
		lines = append(lines, widget.Styled(style, widget.Wrap(widget.CleanVisible(text), max(width, 1)))...)
	}
	for i, ch := range changes {
		if i > 0 {
			lines = append(lines, "")
		}
		add(s.theme.Strong, s.placeName(ch.Path))
		s.change(ch, add)
	}
	return strings.Join(lines, "\n")
}

// change adds one difference: long texts line by line, anything else before and after.
func (s *Screen) change(c doc.Change, add func(lipgloss.Style, string)) {
	before, after := s.valueText(c.Path, c.Before), s.valueText(c.Path, c.After)
	t := s.theme
	if !c.Before.Exists() || !c.After.Exists() || !strings.Contains(before+after, "\n") {
		side := func(style lipgloss.Style, sign string, v doc.Value, text string) {
			if v.Exists() {
				for line := range strings.SplitSeq(text, "\n") {
					add(style, sign+line)
				}
			}
		}
		side(t.Danger, "- ", c.Before, before)
		side(t.Success, "+ ", c.After, after)
		return
	}
	text := string(diff.Diff("before", []byte(before+"\n"), "after", []byte(after+"\n")))
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch {
		case i < 3: // the file headers
		case strings.HasPrefix(line, "+"):
			add(t.Success, line)
		case strings.HasPrefix(line, "-"):
			add(t.Danger, line)
		case strings.HasPrefix(line, "@@"):
			add(t.Faint, "···")
		default:
			add(t.Muted, line)
		}
	}
}

func (s *Screen) placeName(p doc.Path) string {
	if words := s.nodeTitle(p); words != "" {
		return words
	}
	if len(p) == 0 {
		return "Whole campaign"
	}
	return p.String()
}

// valueText formats a value for display: a text as it is, a choice by its label, a list with commas, anything
// else as JSON.
func (s *Screen) valueText(p doc.Path, v doc.Value) string {
	n := catalog.Campaign(s.campaign.Channel).At(p)
	switch {
	case !v.Exists():
		return ""
	case v.Kind() == doc.String:
		if n != nil {
			if i := slices.IndexFunc(n.Options, func(o schema.Option) bool { return o.Value == v.Text() }); i >= 0 {
				return n.Options[i].Title()
			}
		}
		return v.Text()
	case v.True():
		return "yes"
	case v.Kind() == doc.Bool:
		return "no"
	case v.Kind() == doc.Array && v.Simple():
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = s.valueText(p.Join(doc.Index(i)), v.At(i))
		}
		return strings.Join(parts, ", ")
	case v.Kind() == doc.Object || v.Kind() == doc.Array:
		return string(v.Indent())
	}
	return string(v.Encode())
}
