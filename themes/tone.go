package themes

import "github.com/charmbracelet/lipgloss"

// Tone is the meaning of a piece of text, for code that has no Theme: a cell of a table, an entry of a list.
type Tone int

// Tones. The zero value is ordinary text.
const (
	ToneText Tone = iota
	ToneStrong
	ToneMuted
	ToneFaint
	ToneAccent
	ToneSuccess
	ToneWarning
	ToneDanger
	ToneInfo
)

// toneCount is the number of tones.
const toneCount = int(ToneInfo) + 1

// Tone returns the style of a tone.
func (t *Theme) Tone(tone Tone) lipgloss.Style { return t.tones[tone] }

// sgrPair has the sequences before and after a text in a style. Using them costs a hundredth of rendering the
// style, which matters in a table of a thousand cells.
type sgrPair struct{ on, off string }

// Paint draws a text of one line in a tone. The text must not contain newlines or tabs.
func (t *Theme) Paint(tone Tone, text string) string {
	if text == "" {
		return ""
	}
	return t.sgr[tone].on + text + t.sgr[tone].off
}
