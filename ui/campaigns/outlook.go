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
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/schema"
	"bugle/engine/testsend"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
)

// outlook is what one would ask a colleague about a campaign.
type outlook struct {
	id, revision string // of the campaign that it is about
	message      string // the subject or title as the first recipient sees it
	audience     string // a sentence; empty if it is not described by filters
	reach        audience.Reach
	zone         *time.Location // of the campaign; nil if it names none
	next         time.Time      // of the next send; zero if there is none, or if it depends on users
	problems     []string       // what is missing or wrong in a draft
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
	c, w, err := testsend.Read(ctx, deps.Service, id)
	if err != nil {
		return outlook{}, err
	}
	root := c.Document()
	o := outlook{reach: audience.EstimateReach(ctx, deps.Service, c)}
	if sends := engine.NextSends(root, deps.Now(), 1); len(sends) > 0 {
		o.next = sends[0]
	}
	if zone, ok := engine.TimeZone(root); ok {
		o.zone = zone
	}
	if at := doc.P(string(catalog.SegmentationDetails)); audience.HasFilters(root.Lookup(at)) {
		o.audience = audience.Describe(root, at, audience.Env{})
	}
	prepared, err := resolve.Prepare(ctx, deps.Service, w, c.Channel, root)
	if err != nil {
		return outlook{}, err
	}
	if o.message, err = firstLine(ctx, deps, prepared); err != nil {
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

// firstLine returns the subject or title of the first message as the first recipient sees it, or with its defaults if
// there is none. It calls no content API.
func firstLine(ctx context.Context, deps screen.Deps, c *resolve.Campaign) (string, error) {
	keys := c.Written()
	if len(keys) == 0 {
		return "", nil
	}
	viewer := resolve.Viewer{Person: resolve.Person{Kind: resolve.Nobody}}
	if r, ok := deps.Service.(engine.AudienceReader); ok {
		if users, err := r.AudienceMembers(ctx, engine.AudienceRequest{Filters: c.Filters(), Limit: 1}); err == nil && len(users) > 0 {
			viewer = resolve.ViewerOf(users[0])
		}
	}
	filled, err := c.Deferred().Resolve(ctx, viewer, keys[0])
	if err != nil {
		return "", err
	}
	root, options := filled.Drawn(render.Options{Now: deps.Now()})
	views, _ := render.ViewsAt(c.Channel, root, keys[0].Content, options)
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
