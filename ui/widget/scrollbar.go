package widget

import "bugle/themes"

// scrollbar returns the right-hand edge of a window of h lines, one cell a line; nil when all is in sight.
func scrollbar(t themes.Theme, w *Window, h int) []string {
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
