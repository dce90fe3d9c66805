package list

import (
	"strings"

	"bugle/themes"
	"bugle/ui/widget"
)

// Items returns a list that shows each row as one item. noun names a row: "version".
func Items[T any](t *themes.Theme, noun string, item func(T) widget.Item) *List[T] {
	b := &lines[T]{theme: t, items: true}
	b.draw = func(row T, at position, width int) Drawn { return b.drawItem(item(row), at, width) }
	return newList(t, noun, b, func(row T) (text, state string, heading bool) {
		i := item(row)
		return Spoken(i.Text), Spoken(i.Info), i.Heading || i.Fixed
	})
}

// drawItem draws an item behind the mark of the cursor.
func (b *lines[T]) drawItem(item widget.Item, at position, width int) Drawn {
	t := b.theme
	if item.Heading {
		return Drawn{Above: []string{t.Header.Render(widget.Truncate("  "+widget.Clean(item.Text), width))}}
	}
	mark, icon := at.mark()+" ", ""
	if item.Icon != "" {
		icon = widget.Clean(item.Icon) + " "
	}
	text, info := widget.Clean(item.Text), widget.Clean(item.Info)
	if item.Dim && item.DisabledReason != "" {
		text += " · " + widget.Clean(item.DisabledReason)
	}
	body := width - widget.Width(mark+icon)
	if info != "" && body-widget.Width(info)-1 < minItemText {
		info = widget.Truncate(info, max(body-widget.Width(text)-1, 0)) // the text matters more
		if widget.Width(info) < minItemText {
			info = ""
		}
	}
	if info != "" {
		info = " " + info
		body -= widget.Width(info)
	}
	texts := []string{widget.Truncate(text, body)}
	if item.Wrap {
		texts = widget.Wrap(text, max(body-1, 1))
	}
	var d Drawn
	for _, text := range texts {
		text = widget.PadRight(text, body)
		switch {
		case at == focused:
			text = t.Selected.Render(widget.PadRight(mark+icon+text+info, width))
		case item.Dim:
			text = t.Faint.Render(mark + icon + text + info)
		case at == selected:
			text = t.SelectedBlur.Render(mark + icon + text + info)
		default:
			text = mark + t.Paint(item.IconTone, icon) + t.Text.Render(text) + t.Paint(item.InfoTone, info)
		}
		d.Lines = append(d.Lines, text)
		icon, info = strings.Repeat(" ", widget.Width(icon)), strings.Repeat(" ", widget.Width(info))
	}
	if item.Fixed {
		return Drawn{Above: d.Lines}
	}
	return d
}

// minItemText is the width below which an item's text is not cut for the info beside it.
const minItemText = 8
