package testsend

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/edit/grid"
	"bugle/engine/phrase"
	model "bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// openEarlier lists the earlier tests, those of this campaign first, to fill in the form like one of them.
func (f *form) openEarlier() tea.Cmd {
	tests := f.past.OfCampaign()
	tests = append(tests, slices.DeleteFunc(slices.Clone(f.past), func(t model.PastTest) bool { return t.Own })...)
	var options []widget.Option
	for _, t := range tests {
		icon, tone := stateIcon(t.Worst())
		options = append(options, widget.Option{Icon: icon, IconTone: tone, Label: f.formatTime(t.At) + " · " + f.people.Summary(t.Request), Help: f.describe(t)})
	}
	return screen.Send(screen.ChooseMsg{Title: "Earlier tests", Options: options, Then: func(a widget.Answer) tea.Cmd {
		f.change("filled in an earlier test", promptRow, func(*input) { f.fill(tests[a.Index].Request) })
		return f.refresh()
	}})
}

// maxReason is how much of the reason of a failure is shown.
const maxReason = 160

// describe lists the messages of an earlier test, their recipients, and what became of each.
func (f *form) describe(t model.PastTest) string {
	words := []string{"To " + strings.Join(f.people.NamesAndValues(t.Request), ", ")}
	if !t.Own {
		words = append([]string{"Campaign " + t.Campaign}, words...)
	}
	for _, as := range t.Request.As {
		words = append(words, "Sent as "+as.String())
	}
	if filter := t.Request.Filter; filter != (engine.KeyFilter{}) {
		words = append(words, "Only "+model.FilterName(filter))
	}
	words = append(append(words, model.OverrideSummary(t.Request)...), phrase.Capitalize(t.Outcome()))
	names := grid.ResultNames(t.Result.Keys)
	for i, key := range t.Result.Keys {
		if why := t.Result.Data[key].FailureReason; why != "" {
			words = append(words, fmt.Sprintf("%s: %s", names[i], widget.Truncate(f.people.Explain(why, f.draft.Workspace, t.Request), maxReason)))
		}
	}
	return phrase.Sentence(strings.Join(words, ". "))
}
