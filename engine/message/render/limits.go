package render

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// What is measured against a limit.
const (
	aTitle    = "Title"
	aSubtitle = "Subtitle"
	aMessage  = "Message"
	aButton   = "Button"
	aSender   = "Sender name"
	aSubject  = "Subject"
	aPreview  = "Preview text"
)

// Limit is how much of a text is visible. Limits are rules of thumb in characters, because screens, fonts and
// letters differ.
type Limit struct {
	On      string // the platform's wire name, EMAIL for email
	Text    string // display name of the text
	Visible int    // approximate number of visible characters
	Where   string // when it applies: "while collapsed", "" always
	// Minor reports that another view shows the full text.
	Minor bool
}

// Limits are all of them. Sources:
//
//   - Android: title 65 and 240 expanded as the length guides of push services agree on; 49 collapsed,
//     braze.com/docs, Push message and image formats, Lock Screen.
//   - iOS: title 50, and a body of four lines, 178: reteno.com/blog, Push Notification Character Limits;
//     help.batch.com recommends 120 to 140 as safe on every phone.
//   - Web: title 50 and body 120 in Chrome: mobify.com/insights, Web Push Character Limits; a button 19:
//     pushowl.com/blog, Web Push Notification Best Practices. Which browsers show pictures: the table of
//     large images in braze.com/docs, Push message and image formats.
//   - Email: subject 48 on phones: emailtooltester.com, Email subject lines character limit (tested
//     2023); 60 on desktops, a sender's name 25 and a preview text of 35 to 90: the budgets that
//     senders' guides agree on.
var Limits = []Limit{
	{string(catalog.Android), aTitle, 65, "", false},
	{string(catalog.Android), aMessage, 49, "while collapsed", true},
	{string(catalog.Android), aMessage, 240, "when expanded", false},
	{string(catalog.IOS), aTitle, 50, "", false},
	{string(catalog.IOS), aSubtitle, 50, "", false},
	{string(catalog.IOS), aMessage, 178, "before it is held", false},
	{string(catalog.Web), aTitle, 50, "", false},
	{string(catalog.Web), aMessage, 120, "", false},
	{string(catalog.Web), aButton, 19, "", false},
	{string(catalog.Email), aSender, 25, "on phones", true},
	{string(catalog.Email), aSubject, 48, "on phones", true},
	{string(catalog.Email), aSubject, 60, "on desktops", false},
	{string(catalog.Email), aPreview, 90, "", false},
}

// shortPreview is the length of a preview text below which inboxes add the start of the email.
const shortPreview = 35

// VisibleLength returns about how many characters of a text are visible, or a million if unknown.
func VisibleLength(on, text, where string) int {
	for _, l := range Limits {
		if l.On == on && l.Text == text && l.Where == where {
			return l.Visible
		}
	}
	return 1_000_000
}

// Warning is something that does not come out as it was written. The checks of a campaign take their findings on this from
// here.
type Warning struct {
	Check string // the id of the check
	Of    string // the field that it is about, as it stands on the wire; empty for the whole message
	Text  string // a sentence, without a full stop
	// Minor is what another view shows in full.
	Minor bool
}

// measured returns the warnings for a text that is longer than its visible part. Of several limits it reports
// the largest one that is exceeded.
func measured(on, what string, t Text) []Warning {
	n := t.Length()
	var out []Warning
	for _, l := range Limits {
		if l.On != on || l.Text != what || n <= l.Visible {
			continue
		}
		where := ""
		if l.Where != "" {
			where = " " + l.Where
		}
		out = []Warning{{Check: cut[what].check, Of: cut[what].field, Minor: l.Minor, Text: fmt.Sprintf("%s: %s%s; about %d are shown%s", what, phrase.Count(n, "character"), without(t), l.Visible, where)}}
	}
	return out
}

// cut has the check of each text that is measured, and the field that it is.
var cut = map[string]struct{ check, field string }{
	aTitle: {"title-cut", "title"}, aSubtitle: {"title-cut", "subtitle"}, aMessage: {"message-cut", "message"}, aButton: {"button-cut", "buttons"},
	aSender: {"sender-cut", catalog.EmailSender}, aSubject: {"subject-cut", catalog.EmailSubject}, aPreview: {"preview-text-cut", catalog.EmailPreviewText},
}

func without(t Text) string {
	if t.HasExpressions() {
		return " without its expressions"
	}
	return ""
}

// measure warns of texts that are cut.
func (n *Notification) measure() {
	on := string(n.Platform)
	for _, t := range []struct {
		what string
		text Text
	}{{aTitle, n.Title}, {aSubtitle, n.Subtitle}, {aMessage, n.Body}} {
		n.Warnings = append(n.Warnings, measured(on, t.what, t.text)...)
	}
	for _, b := range n.Buttons {
		if !b.Set {
			n.Warnings = append(n.Warnings, measured(on, aButton, b.Title)...)
		}
	}
	if most := map[catalog.Platform]int{catalog.Android: 3, catalog.Web: 2}[n.Platform]; most > 0 && len(n.Buttons) > most {
		n.Warnings = append(n.Warnings, Warning{Check: "buttons-hidden", Of: "buttons", Text: fmt.Sprintf("%s: %s shows at most %d", phrase.Count(len(n.Buttons), "button"), n.Platform.Label(), most)})
	}
}

// withoutMarkup warns of HTML in texts that are shown without it.
func (n *Notification) withoutMarkup(d part, names ...string) {
	for _, name := range names {
		if hasMarkup(d.source(name)) {
			n.Warnings = append(n.Warnings, Warning{Check: "markup-lost", Of: name, Text: d.label(name) + ": HTML tags are left out"})
		}
	}
}

// Gauge says how a text of a message is measured against the limits.
type Gauge struct {
	On     string // the platform as it stands on the wire, EMAIL for emails
	Text   string // which text, for people
	markup bool   // its tags are not shown
}

// GaugeOf returns how the text at a place in the content of a message is measured; false where no limit is known for it. What the template does not use has one as well.
func GaugeOf(on string, at doc.Path) (Gauge, bool) {
	if len(at) == 0 {
		return Gauge{}, false
	}
	parent, name := "", at.Last().Name
	if len(at) > 1 {
		parent = at[0].Name
	}
	g := Gauge{On: on}
	switch {
	case on == string(catalog.Email) && parent == "":
		g.Text = map[string]string{catalog.EmailSender: aSender, catalog.EmailSubject: aSubject, catalog.EmailPreviewText: aPreview}[name]
	case parent == "basic_details" && len(at) == 2:
		g.Text = map[string]string{"title": aTitle, "subtitle": aSubtitle, "message": aMessage}[name]
		g.markup = true
	case parent == "buttons" && len(at) == 3:
		g.Text = map[string]string{"btn_name": aButton, "title": aButton}[name]
	}
	return g, len(g.Limits()) > 0
}

// Limits returns what is known of how much of the text is seen.
func (g Gauge) Limits() []Limit {
	var out []Limit
	for _, l := range Limits {
		if l.On == g.On && l.Text == g.Text {
			out = append(out, l)
		}
	}
	return out
}

// Length counts the characters of a text as a reader sees it.
func (g Gauge) Length(text string) int {
	if g.markup && strings.ContainsAny(text, "<&") {
		return rich([]piece{{text, Plain}}).Length()
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf || text[i] == '\r' {
			return uniseg.GraphemeClusterCount(text)
		}
	}
	return len(text)
}
