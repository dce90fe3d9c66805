package builder

import (
	"fmt"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/widget"
)

// partState is how far a component is.
type partState uint8

const (
	partEmpty      partState = iota // nothing there, and nothing needed
	partMissing                     // nothing there, but needed to publish
	partUnfinished                  // something is missing in it
	partWrong                       // something in it is refused
	partDone
	partForeign // not for this kind of campaign
)

// part is a component of the campaign in the list at the left.
type part struct {
	name     string
	title    string
	why      string // why it is not for this campaign
	state    partState
	problems int
	locked   bool // the campaign's state keeps it from being changed, all of it
}

var partLooks = map[partState]struct {
	icon string
	tone themes.Tone
	word string
}{
	partEmpty:      {"·", themes.ToneFaint, "empty"},
	partMissing:    {"○", themes.ToneWarning, "needed"},
	partUnfinished: {"◐", themes.ToneWarning, "unfinished"},
	partWrong:      {"✗", themes.ToneDanger, "wrong"},
	partDone:       {"✓", themes.ToneSuccess, "done"},
	partForeign:    {"–", themes.ToneFaint, "not used by this campaign"},
}

// partsOf tells how each component of the document stands.
func partsOf(ch catalog.Channel, dt catalog.DeliveryType, root doc.Value, problems []schema.Problem) []part {
	var parts []part
	for _, info := range catalog.Components(ch) {
		p := part{name: string(info.Name), title: info.Title}
		ok, why := catalog.Applicable(info.Name, ch, dt)
		v := root.Get(p.name)
		p.judge(v, problems)
		if !ok && !v.Exists() {
			p.state, p.why = partForeign, why
		}
		parts = append(parts, p)
	}
	return parts
}

func (p *part) judge(v doc.Value, problems []schema.Problem) {
	p.state = partDone
	if v.Empty() {
		p.state = partEmpty
	}
	for _, pr := range problems {
		if pr.Severity != schema.Error || len(pr.Path) == 0 || pr.Path[0].Name != p.name {
			continue
		}
		p.problems++
		switch {
		case v.Empty():
			p.state = partMissing
		case !isMissing(pr):
			p.state = partWrong
		case p.state != partWrong:
			p.state = partUnfinished
		}
	}
}

// isMissing reports whether a problem says that something is not there yet.
func isMissing(p schema.Problem) bool {
	_, rule, _ := strings.Cut(p.Rule, "#")
	return strings.HasPrefix(rule, "required") || rule == "one_of" || strings.HasPrefix(p.Message, "missing")
}

func (p part) item() widget.Item {
	look := partLooks[p.state]
	it := widget.Item{Icon: look.icon, IconTone: look.tone, Text: p.title, Dim: p.locked || p.state == partForeign, Why: ""}
	if p.problems > 0 {
		it.Info, it.InfoTone = fmt.Sprint(p.problems), look.tone
	}
	return it
}

// progress counts the components that are done among those that are begun or needed.
func progress(parts []part) (done, of int) {
	for _, p := range parts {
		switch p.state {
		case partDone:
			done++
			of++
		case partMissing, partUnfinished, partWrong:
			of++
		}
	}
	return done, of
}
