package testsend

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	model "bugle/engine/testsend"
	"bugle/ui/prefs"
	"bugle/ui/screen"
)

// localHistory stores tests on this machine, for services that do not.
type localHistory struct{ prefs *prefs.Prefs }

// The name of the preference, and the maximum number of tests.
const (
	localHistoryName = "tests"
	maxLocalHistory  = 100
)

// Tests returns the newest tests, only of one campaign if id is not empty.
func (k localHistory) Tests(_ context.Context, id string, limit int) ([]engine.TestRecord, error) {
	all, err := prefs.Read[[]engine.TestRecord](k.prefs, localHistoryName)
	if id != "" {
		all = slices.DeleteFunc(all, func(t engine.TestRecord) bool { return t.CampaignID != id })
	}
	return all[:min(len(all), limit)], err
}

// Recipients returns the most recently used values without duplicates.
func (k localHistory) Recipients(_ context.Context, ch engine.Channel, identifier string, limit int) ([]string, error) {
	all, err := prefs.Read[[]engine.TestRecord](k.prefs, localHistoryName)
	return model.Recipients(all, ch, identifier, limit), err
}

// keep stores tests, the newest first.
func (k localHistory) keep(records []engine.TestRecord) tea.Cmd {
	return screen.Remember(k.prefs, localHistoryName, "this test to the history", func(old []engine.TestRecord) []engine.TestRecord {
		all := append(slices.Clone(records), old...)
		return all[:min(len(all), maxLocalHistory)]
	})
}
