package workspace

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// campaignAudiences opens the audience of a campaign.
type campaignAudiences struct {
	service engine.Service
	tasks   taskRunner
}

func (a *campaignAudiences) disabledReason() string {
	if _, ok := a.service.(engine.AudienceReader); !ok {
		return unsupportedText
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
	return a.tasks.Run(taskCampaigns, func(ctx context.Context) (any, error) { return lister.List(ctx, engine.ListQuery{}) })
}

func (a *campaignAudiences) showCampaigns(r screen.Result) tea.Cmd {
	if screen.Canceled(r.Err) {
		return nil
	}
	if r.Err != nil {
		return errorNotice(r.Err)
	}
	if c, ok := r.Value.(engine.Campaign); ok {
		filters := c.Body.Get(string(catalog.SegmentationDetails))
		if !filters.Exists() {
			return screen.Notify(widget.LevelInfo, "This campaign has no audience yet.")
		}
		return screen.Open(audienceRoute(engine.CampaignName(c.Body), filters))
	}
	all, _ := r.Value.([]engine.Summary)
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
		return a.tasks.Run(taskCampaigns, func(ctx context.Context) (any, error) { return svc.Get(ctx, id) })
	}})
}
