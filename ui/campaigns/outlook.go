package campaigns

import (
	"cmp"
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/livepage"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
)

// outlook is what one would ask a colleague about a campaign.
type outlook struct {
	id, revision string // of the campaign that it is about
	message      string // the subject or title as the first recipient sees it
	audience     string // a sentence; empty if it is not described by filters
	reach        audience.Reach
	next         time.Time // of the next send; zero if there is none, or if it depends on users
	problems     []string  // what is missing or wrong in a draft
}

// revisionOf identifies the version of a campaign that an outlook is about.
func revisionOf(sum engine.Summary) string {
	return string(sum.Status) + sum.UpdatedAt.String() + sum.Start.String()
}

// restTime is how long the cursor must stay on a campaign before its outlook is read: longer than the repeat time of a key
// that is held down, which would otherwise wait for it.
const restTime = 60 * time.Millisecond

// updateOutlook reads the outlook of the campaign under the cursor, if the details are shown and it is not known.
func (s *Screen) updateOutlook() tea.Cmd {
	sum, ok := s.selected()
	id, revision := sum.ID, revisionOf(sum)
	switch {
	case !ok || !sum.Channel.Writable() || !s.panes.Shown(paneDetails):
		return nil
	case s.outlook.id != id:
		s.outlook = outlook{id: id}
	case s.outlook.revision == revision:
		return nil
	}
	s.outlook.revision = revision
	deps := s.deps
	work := func(ctx context.Context) (outlook, error) {
		if err := screen.Pause(ctx, restTime); err != nil {
			return outlook{}, err
		}
		return readOutlook(ctx, deps, id)
	}
	return screen.Go(&s.Base, taskOutlook, work, func(o outlook, err error) tea.Cmd {
		if err == nil {
			o.id, o.revision = id, revision
			s.outlook = o
		}
		return nil
	})
}

// readOutlook reads a campaign and what the details need to know of its audience.
func readOutlook(ctx context.Context, deps screen.Deps, id string) (outlook, error) {
	c, err := deps.Service.Get(ctx, id)
	if err != nil {
		return outlook{}, err
	}
	root := c.Document()
	o := outlook{reach: audience.EstimateReach(ctx, deps.Service, c)}
	if sends := engine.NextSends(root, deps.Now(), 1); len(sends) > 0 {
		o.next = sends[0]
	}
	o.audience = audienceSentence(c)
	if o.message, err = firstLine(ctx, deps, c); err != nil {
		return outlook{}, err
	}
	if c.Status == catalog.Draft {
		v, err := deps.Service.Validate(ctx, id)
		if err != nil {
			return outlook{}, err
		}
		for _, p := range schema.Errors(v.Problems) {
			o.problems = append(o.problems, cmp.Or(problems.Place(c.Channel, p.Path), "Campaign")+": "+p.Text())
		}
	}
	return o, nil
}

// audienceSentence describes who is in the audience; empty if it has no filters.
func audienceSentence(c engine.Campaign) string {
	if !audience.HasFilters(c.Body.Get(string(catalog.SegmentationDetails))) {
		return ""
	}
	root := c.Document()
	at := doc.P(string(catalog.SegmentationDetails))
	for _, n := range catalog.Campaign(c.Channel).At(at).Children {
		if n.Editor == schema.EditorFilters {
			return audience.Describe(root, at.Child(n.Name), audience.Env{})
		}
	}
	return ""
}

// firstLine returns the subject or title of the first message as the first recipient sees it, or with its defaults if
// there is none. It calls no content API.
func firstLine(ctx context.Context, deps screen.Deps, c engine.Campaign) (string, error) {
	var w engine.Workspace
	if k, ok := deps.Service.(engine.WorkspaceStore); ok {
		var err error
		if w, err = k.Workspace(ctx); err != nil {
			return "", err
		}
	}
	prepared, err := resolve.Prepare(ctx, deps.Service, w, c.Channel, c.Document())
	if err != nil {
		return "", err
	}
	keys := prepared.Written()
	if len(keys) == 0 {
		return "", nil
	}
	viewer := resolve.Viewer{Person: resolve.Person{Kind: resolve.Nobody}}
	if r, ok := deps.Service.(engine.AudienceReader); ok {
		if users, err := r.AudienceMembers(ctx, engine.AudienceRequest{Filters: prepared.Filters(), Limit: 1}); err == nil && len(users) > 0 {
			viewer = resolve.ViewerOf(users[0])
		}
	}
	filled, err := prepared.Deferred().Resolve(ctx, viewer, keys[0])
	if err != nil {
		return "", err
	}
	whole, options := filled.Drawn(render.Options{Now: deps.Now()})
	views, _ := livepage.Views(c.Channel, whole, keys[0].Content, options)
	for _, v := range views {
		switch {
		case v.Mail != nil:
			return v.Mail.Subject.String(), nil
		case v.Notification != nil:
			return v.Notification.Title.String(), nil
		}
	}
	return "", nil
}
