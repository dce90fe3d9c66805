package widget

import "bugle/themes"

// ScrollBar returns the scroll bar of a window of h lines, one cell per line; nil if everything is visible.
func ScrollBar(t *themes.Theme, w *Window, h int) []string {
	if !w.Overflows() || h <= 0 {
		return nil
	}
	from, size := w.thumb(h)
	track, thumb := t.Border.Render("│"), t.Muted.Render("┃")
	bar := make([]string, h)
	for i := range bar {
		bar[i] = track
		if i >= from && i < from+size {
			bar[i] = thumb
		}
	}
	return bar
}
