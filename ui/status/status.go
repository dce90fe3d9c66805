// Package status runs the actions on a whole campaign: publish, stop, pause, resume, archive, restore and
// delete, each after a question that describes its effect.
package status

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
	"bugle/ui/widget"
)

// Choose returns the command that lists the actions on a campaign. Actions that are not allowed are dimmed,
// with the reason. The chosen one is confirmed, then run; the result is a notice, and [screen.ChangedMsg] if
// the campaign has changed.
func Choose(deps screen.Deps, s engine.Summary) tea.Cmd {
	options := make([]widget.Option, len(actions))
	for i, a := range actions {
		why := DisabledReason(deps, s, a)
		options[i] = widget.Option{Label: a.Label(), Help: effect(s, a), Dim: why != "", DisabledReason: why}
	}
	return screen.Send(screen.ChooseMsg{
		Title: "Status", Body: fmt.Sprintf("%s is %s.", Name(s), stateText(s.Status)), Options: options,
		Then: func(a widget.Answer) tea.Cmd { return Ask(deps, s, actions[a.Index]) },
	})
}

// stateText describes a state in a sentence.
func stateText(s engine.State) string {
	if s == catalog.Draft {
		return "a draft"
	}
	return strings.ToLower(s.Label())
}

// actions are the actions on a whole campaign, in menu order.
var actions = []catalog.Action{
	catalog.Publish, catalog.Stop, catalog.Pause, catalog.Resume, catalog.Archive, catalog.Restore, catalog.Delete,
}

// Name returns the campaign's name as used in a sentence.
func Name(s engine.Summary) string {
	return "“" + widget.Truncate(widget.Clean(s.Title()), 60) + "”"
}

// maxNames is how many campaigns [Names] names.
const maxNames = 3

// Names returns the names of campaigns as used in a sentence; of many, the first ones and how many more.
func Names(rows []engine.Summary) string {
	names := make([]string, len(rows))
	for i, s := range rows {
		names[i] = Name(s)
	}
	return phrase.List(names, maxNames)
}

// DisabledReason returns a sentence that explains why the action is not allowed for the campaign; empty if it
// is.
func DisabledReason(deps screen.Deps, s engine.Summary, a catalog.Action) string {
	if why := catalog.Refusal(a, s.Channel, s.DeliveryType, s.Status); why != "" {
		return why
	}
	switch a {
	case catalog.Archive, catalog.Restore, catalog.Delete:
		if _, ok := deps.Service.(engine.CampaignManager); !ok {
			return "This service can't " + strings.ToLower(a.Label()) + " campaigns. Use its dashboard."
		}
	}
	return ""
}

// Ask returns the command that asks for confirmation and then runs the action, which must be allowed.
func Ask(deps screen.Deps, s engine.Summary, a catalog.Action) tea.Cmd {
	switch a {
	case catalog.Publish, catalog.Stop, catalog.Pause:
		return askWithFacts(deps, s, a)
	}
	return screen.Ask(question(deps, s, a, a.Label(), effect(s, a), a == catalog.Delete))
}

// question asks whether to run an action. If harm is true, the safe answer has the focus.
func question(deps screen.Deps, s engine.Summary, a catalog.Action, yes, body string, harm bool) screen.Question {
	q := screen.Question{
		Title: fmt.Sprintf("%s %s?", yes, Name(s)), Body: body, Danger: harm,
		Buttons: []widget.Option{{Label: yes, Key: "y"}, {Label: "Cancel", Key: "n"}},
		Then: func(answer widget.Answer) tea.Cmd {
			if !answer.Yes() {
				return nil
			}
			return run(deps, s, a)
		},
	}
	if harm {
		q.Focus = 1
	}
	return q
}

// Undo returns the command that undoes an action on a campaign, or redoes it. It asks as it did for the action. What
// cannot be undone is named and dropped, so that the change before it can be undone.
func Undo(deps screen.Deps, s engine.Summary, steps ...*edit.Step) tea.Cmd {
	a := steps[0].Reverse()
	why := steps[0].What + ", which can't be undone."
	if a != "" {
		why = DisabledReason(deps, s, a)
	}
	if why != "" {
		deps.History.Drop(steps...)
		return screen.NotifyAbout(screen.TopicEdit, widget.LevelWarning, why)
	}
	return Ask(deps, s, a)
}

// pastTense has the past tense of actions.
var pastTense = map[catalog.Action]string{
	catalog.Publish: "published", catalog.Stop: "stopped", catalog.Pause: "paused", catalog.Resume: "resumed", catalog.Archive: "archived",
	catalog.Restore: "restored", catalog.Delete: "deleted",
}

// effect describes the effect of the action.
func effect(s engine.Summary, a catalog.Action) string {
	return catalog.Effect(a, s.Channel, s.DeliveryType, s.Status)
}

// actionTimeout is the timeout of an action.
const actionTimeout = 30 * time.Second

// run returns the command that runs the action and shows the result.
func run(deps screen.Deps, s engine.Summary, a catalog.Action) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), actionTimeout)
		defer cancel()
		state, err := apply(ctx, deps, s, a)
		if err != nil {
			return failureMsg(s, a, err)
		}
		reversed := deps.History.Record(edit.Step{ID: s.ID, Action: a, What: Name(s) + " was " + pastTense[a]})
		news := tea.BatchMsg{screen.NotifyAbout(screen.CampaignTopic(s.ID), widget.LevelSuccess, doneText(s, a, state)), screen.Send(screen.ChangedMsg{ID: s.ID, Select: reversed})}
		if a == catalog.Delete {
			news = append(news, screen.Send(screen.DeletedMsg{ID: s.ID}))
		}
		return news
	}
}

// apply runs the action and returns the resulting state, empty if the campaign was deleted or the service does
// not report one.
func apply(ctx context.Context, deps screen.Deps, s engine.Summary, a catalog.Action) (engine.State, error) {
	switch a {
	case catalog.Publish:
		_, err := deps.Service.Publish(ctx, engine.PublishRequest{ID: s.ID, By: deps.Author, Console: true})
		return catalog.Next(a, s.Status, s.StartsAfter(deps.Now())), err
	case catalog.Stop, catalog.Pause, catalog.Resume:
		changed, err := deps.Service.ChangeStatus(ctx, engine.StatusRequest{ID: s.ID, Action: a, By: deps.Author})
		return changed.Status, err
	}
	curator, ok := deps.Service.(engine.CampaignManager)
	if !ok {
		return "", fmt.Errorf("this service can't %s campaigns", strings.ToLower(a.Label()))
	}
	switch a {
	case catalog.Archive:
		return catalog.Archived, curator.Archive(ctx, s.ID, deps.Author)
	case catalog.Restore:
		return "", curator.Restore(ctx, s.ID, deps.Author)
	case catalog.Delete:
		return "", curator.Delete(ctx, s.ID)
	}
	return "", fmt.Errorf("there is no action %q", a)
}

func doneText(s engine.Summary, a catalog.Action, state engine.State) string {
	switch {
	case a == catalog.Delete:
		return "Deleted " + Name(s)
	case a == catalog.Restore:
		return "Restored " + Name(s)
	case state == "":
		return Name(s) + ": " + strings.ToLower(a.Label()) + " done"
	}
	return Name(s) + " is now " + strings.ToLower(state.Label())
}

// failureMsg reports why the action failed. If publishing failed because of problems of the campaign, it shows them.
func failureMsg(s engine.Summary, a catalog.Action, err error) tea.Msg {
	// The list may have shown an outdated state.
	news := tea.BatchMsg{screen.NotifyAbout(screen.CampaignTopic(s.ID), widget.LevelError, "Can't "+strings.ToLower(a.Label())+" "+Name(s)+": "+Refusal(s.Channel, err)), screen.Changed(s.ID)}
	if e := engine.AsError(err); a == catalog.Publish && e != nil && len(e.Details) > 0 {
		news = append(news, screen.Send(problemsMsg(s)))
	}
	return news
}

// problemsMsg opens the problems of the campaign.
func problemsMsg(s engine.Summary) tea.Msg {
	return screen.OpenMsg{Route: screen.Route{Name: screen.Validate, ID: s.ID}}
}

// maxDetails is how many details of a refusal are shown.
const maxDetails = 4

// Refusal describes an error of a service about a campaign of the channel: its sentence, and the first of its details.
func Refusal(ch engine.Channel, err error) string {
	e := engine.AsError(err)
	if e == nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Sprintf("the service didn't answer within %s. Reload to see the current state", actionTimeout)
		}
		return err.Error()
	}
	lines := []string{e.Message}
	details := problems.Details(ch, e)
	for i, text := range details {
		if i == maxDetails {
			lines = append(lines, fmt.Sprintf("… and %d more", len(details)-i))
			break
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}
