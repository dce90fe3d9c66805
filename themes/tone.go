package themes

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// Tone is what a piece of text means, for code that says "this is a warning" without holding a Theme:
// a cell of a table, an entry of a list.
type Tone int

// The tones. The zero value is ordinary text.
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

// Tone returns the style of a tone; that of ordinary text for one it does not know.
func (t Theme) Tone(tone Tone) lipgloss.Style {
	switch tone {
	case ToneStrong:
		return t.Strong
	case ToneMuted:
		return t.Muted
	case ToneFaint:
		return t.Faint
	case ToneAccent:
		return t.Accent
	case ToneSuccess:
		return t.Success
	case ToneWarning:
		return t.Warning
	case ToneDanger:
		return t.Danger
	case ToneInfo:
		return t.Info
	default:
		return t.Text
	}
}

// toneCount is the number of tones.
const toneCount = int(ToneInfo) + 1

// sgrPair is what a style writes before and after a text of one line. Putting it there costs a hundredth of
// what rendering the style does, which counts in a table of a thousand cells.
type sgrPair struct{ on, off string }

func newSGRPair(style lipgloss.Style) sgrPair {
	on, off, _ := strings.Cut(style.Render("x"), "x")
	return sgrPair{on, off}
}

// Paint draws a text of one line in a tone. The text must hold no newline and no tab.
func (t Theme) Paint(tone Tone, text string) string {
	if tone < 0 || int(tone) >= toneCount {
		tone = ToneText
	}
	if text == "" {
		return ""
	}
	return t.sgr[tone].on + text + t.sgr[tone].off
}

// Role is where a campaign is in its life, as far as its looks are concerned. Which state of the
// specification plays which role is the caller's to say.
type Role int

// The roles.
const (
	RoleDraft     Role = iota // being written
	RoleScheduled             // its time has not come
	RoleLive                  // running
	RoleSending               // sending messages right now
	RolePaused                // held, may go on
	RoleDone                  // went out
	RoleStopped               // ended before its time
	RoleArchived              // put away
)

// badges say what each role looks like: a sign one cell wide, so that color is never alone in
// carrying the meaning, and a tone.
var badges = [...]struct {
	glyph string
	tone  Tone
}{
	RoleDraft:     {"○", ToneText},
	RoleScheduled: {"◔", ToneInfo},
	RoleLive:      {"●", ToneSuccess},
	RoleSending:   {"►", ToneAccent},
	RolePaused:    {"◐", ToneWarning},
	RoleDone:      {"✓", ToneMuted},
	RoleStopped:   {"■", ToneDanger},
	RoleArchived:  {"▪", ToneFaint},
}

// Glyph is the role's sign, one cell wide; "?" for a role there is not.
func (r Role) Glyph() string {
	if r < 0 || int(r) >= len(badges) {
		return "?"
	}
	return badges[r].glyph
}

// Tone is the role's tone.
func (r Role) Tone() Tone {
	if r < 0 || int(r) >= len(badges) {
		return ToneMuted
	}
	return badges[r].tone
}

// Badge draws a role with its label, "● Active".
func (t Theme) Badge(r Role, label string) string {
	return t.Paint(r.Tone(), r.Glyph()+" "+label)
}
