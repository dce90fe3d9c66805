package render

import (
	"fmt"

	"bugle/engine/catalog"
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

// Warning is something that will not look as written.
type Warning struct {
	Text string // a sentence without a period
	// Minor reports that another view shows all of it.
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
		out = []Warning{{Minor: l.Minor, Text: fmt.Sprintf("%s: %s%s; about %d are shown%s", what, phrase.Count(n, "character"), without(t), l.Visible, where)}}
	}
	return out
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
		n.Warnings = append(n.Warnings, Warning{Text: fmt.Sprintf("%s: %s shows at most %d", phrase.Count(len(n.Buttons), "button"), n.Platform.Label(), most)})
	}
}

// markupElsewhere warns of HTML in texts that are shown as they stand.
func (n *Notification) markupElsewhere(d part, names ...string) {
	for _, name := range names {
		if anyTag.MatchString(d.source(name)) {
			n.Warnings = append(n.Warnings, Warning{Text: d.label(name) + ": HTML tags are shown as text"})
		}
	}
}
