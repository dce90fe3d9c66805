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

// Role is a stage in the life of a campaign, for display. The caller maps the states of the specification to
// roles.
type Role int

// Roles.
const (
	RoleDraft     Role = iota // being written
	RoleScheduled             // not started yet
	RoleLive                  // running
	RoleSending               // sending messages right now
	RolePaused                // on hold, can be resumed
	RoleDone                  // finished
	RoleStopped               // ended early
	RoleArchived              // archived
)

// badges has the icon and tone of each role. Each icon is distinct, so that color is never the only indicator.
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

// Glyph returns the role's icon, one cell wide.
func (r Role) Glyph() string { return badges[r].glyph }

// Tone returns the role's tone.
func (r Role) Tone() Tone { return badges[r].tone }

// Badge draws a role with its label, "● Active".
func (t *Theme) Badge(r Role, label string) string {
	return t.Paint(r.Tone(), r.Glyph()+" "+label)
}
