package workspace

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/filters"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// campaignAudiences opens the audience of a campaign.
type campaignAudiences struct {
	service engine.Service
	tasks   *screen.Base
}

func (a *campaignAudiences) disabledReason() string {
	if _, ok := a.service.(engine.AudienceReader); !ok {
		return filters.UnsupportedText
	}
	if _, ok := a.service.(engine.Lister); !ok {
		return "This service cannot list its campaigns."
	}
	return ""
}

// maxCampaigns is how many campaigns are listed, the last changed first.
const maxCampaigns = 200

// ask asks for the campaign.
func (a *campaignAudiences) ask() tea.Cmd {
	lister := a.service.(engine.Lister)
	read := func(ctx context.Context) ([]engine.Summary, error) { return lister.List(ctx, engine.ListQuery{}) }
	return screen.Go(a.tasks, taskCampaigns, read, orNotify(a.choose))
}

// choose asks for one of the campaigns, and opens its audience.
func (a *campaignAudiences) choose(all []engine.Summary) tea.Cmd {
	if len(all) == 0 {
		return screen.Notify(widget.LevelInfo, "There are no campaigns yet.")
	}
	all = all[:min(len(all), maxCampaigns)]
	options := make([]widget.Option, len(all))
	for i, sum := range all {
		options[i] = widget.Option{Label: sum.Name, Help: sum.Status.Label() + ", " + sum.Channel.Label()}
	}
	return screen.Send(screen.ChooseMsg{Title: "Choose a campaign", Options: options, Then: func(chosen widget.Answer) tea.Cmd {
		svc, id := a.service, all[chosen.Index].ID
		return screen.Go(a.tasks, taskCampaigns, func(ctx context.Context) (engine.Campaign, error) { return svc.Get(ctx, id) }, orNotify(a.open))
	}})
}

func (a *campaignAudiences) open(c engine.Campaign) tea.Cmd {
	who := c.Body.Get(string(catalog.SegmentationDetails))
	if !who.Exists() {
		return screen.Notify(widget.LevelInfo, "This campaign has no audience yet.")
	}
	return screen.Open(filters.AudienceRoute(engine.CampaignName(c.Body), who))
}

// orNotify returns what takes the result of a task, or tells the user why there is none.
func orNotify[T any](take func(T) tea.Cmd) func(T, error) tea.Cmd {
	return func(v T, err error) tea.Cmd {
		switch {
		case screen.Canceled(err):
			return nil
		case err != nil:
			return errorNotice(err)
		}
		return take(v)
	}
}
