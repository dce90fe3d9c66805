package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/template"
)

// Facts are what the checks know beside the campaign. The zero Facts are those of a file that belongs to no workspace.
// They do not change, and may be shared.
type Facts struct {
	Now       time.Time
	Workspace *engine.Workspace  // nil: not known
	Content   *Content           // nil: not known
	Audience  *Audience          // nil: not counted
	Others    []Other            // other campaigns that are live or scheduled; nil: not known
	Dismissed []engine.Dismissal // of the campaign
	// CompilesMJML means that the caller compiles MJML itself, and reports why it cannot: it is not compiled here as well.
	CompilesMJML bool

	why         map[need]string
	uncountable doc.Value // filters that could not be counted
}

// whyNot returns why a fact is not there; empty where nothing says so.
func (f Facts) whyNot(n need) string { return f.why[n] }

func (f Facts) without(n need, why string) Facts {
	f.why = maps.Clone(f.why)
	if f.why == nil {
		f.why = map[need]string{}
	}
	f.why[n] = why
	return f
}

// Content is what a workspace keeps for its messages, read once. It can be read like an [engine.ContentStore].
type Content struct {
	items map[engine.ContentKind][]engine.ContentItem
}

var _ assemble.Source = (*Content)(nil)

// NewContent returns the content that consists of the items.
func NewContent(items ...engine.ContentItem) *Content {
	c := &Content{items: map[engine.ContentKind][]engine.ContentItem{}}
	for _, item := range items {
		kind := item.Ref().Kind
		c.items[kind] = append(c.items[kind], item)
	}
	return c
}

// Content returns the items of a kind.
func (c *Content) Content(_ context.Context, kind engine.ContentKind) ([]engine.ContentItem, error) {
	return c.items[kind], nil
}

// ContentItem returns an item; of a template without a version the newest.
func (c *Content) ContentItem(_ context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	best := engine.ContentItem{}
	for _, item := range c.items[ref.Kind] {
		have := item.Ref()
		if have.Name == ref.Name && (ref.Version == 0 || have.Version == ref.Version) && have.Version >= best.Ref().Version {
			best = item
		}
	}
	if best.Ref().Name == "" {
		return best, engine.Errorf(engine.NotFound, 404, "there is no %s", ref)
	}
	return best, nil
}

// names returns the names of the items of a kind.
func (c *Content) names(kind engine.ContentKind) []string {
	var out []string
	for _, item := range c.items[kind] {
		out = append(out, item.Ref().Name)
	}
	return out
}

// Audience is what is known of the users that a campaign goes to.
type Audience struct {
	Count engine.AudienceCount
	// Read is how many of them were looked at for what follows; they may be fewer than those that match.
	Read int
	// Missing counts, for each expression of the messages that has no default, those without a value.
	Missing map[string]int
	// Zones counts them by time zone, as far as their attributes tell.
	Zones map[string]int

	filters doc.Value      // that were counted; nothing if somebody else counted
	bare    []string       // the expressions of which Missing is
	raw     map[rawKey]int // users whose value needs the filter
	longest map[string]any // by attribute, the longest value of a user
	lengths map[string]int // of those as text
}

// Other is another campaign that is live or scheduled.
type Other struct {
	engine.Summary
	Audience doc.Value // its segmentation_details
}

// mostRead is how many users of an audience are looked at one by one.
const mostRead = 5000

// Read gathers what a service knows of its workspace: all facts but those of one campaign. What the service cannot tell is
// left out; an error is one of the service or of ctx.
func Read(ctx context.Context, svc engine.Service, now time.Time) (Facts, error) {
	f := Facts{Now: now}
	keeper, ok := svc.(engine.WorkspaceStore)
	if !ok {
		const why = "the service does not describe its workspace"
		return f.without(needWorkspace, why).without(needContent, why), nil
	}
	w, err := keeper.Workspace(ctx)
	if err != nil {
		return f, fmt.Errorf("reading the workspace for the checks: %w", err)
	}
	f.Workspace = &w
	content, ok := svc.(engine.ContentStore)
	if !ok {
		return f.without(needContent, "the service does not list the content of its workspace"), nil
	}
	c := NewContent()
	for _, kind := range engine.ContentKinds() {
		if c.items[kind], err = content.Content(ctx, kind); err != nil {
			return f, fmt.Errorf("reading the content of the workspace for the checks: %w", err)
		}
	}
	f.Content = c
	return f, nil
}

// For returns the facts with those of one campaign that take little time: which warnings were dismissed, and versions
// of templates that are not the newest. Kept may be nil.
func (f Facts) For(ctx context.Context, svc engine.Service, kept engine.DismissalStore, c engine.Campaign) (Facts, error) {
	if kept != nil && c.ID != "" {
		var err error
		if f.Dismissed, err = kept.Dismissals(ctx, c.ID); err != nil {
			return f, fmt.Errorf("reading which warnings were dismissed: %w", err)
		}
	}
	keeper, ok := svc.(engine.ContentStore)
	if !ok || f.Content == nil {
		return f, nil
	}
	for _, ref := range templatesOf(c) {
		if _, err := f.Content.ContentItem(ctx, ref); err == nil {
			continue
		}
		item, err := keeper.ContentItem(ctx, ref)
		if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
			continue
		} else if err != nil {
			return f, fmt.Errorf("reading a template for the checks: %w", err)
		}
		more := &Content{items: maps.Clone(f.Content.items)}
		more.items[engine.KindTemplate] = append(slices.Clone(more.items[engine.KindTemplate]), item)
		f.Content = more
	}
	return f, nil
}

// templatesOf names the versions of templates that the messages of a campaign take.
func templatesOf(c engine.Campaign) []engine.ContentRef {
	var out []engine.ContentRef
	for _, k := range engine.TestKeys(c.Channel, c.Document(), engine.KeyFilter{}) {
		v := c.Body.Lookup(k.Content)
		n, err := strconv.Atoi(v.Get(catalog.CustomTemplateVersion).Literal())
		ref := engine.ContentRef{Kind: engine.KindTemplate, Name: v.Get(catalog.CustomTemplateID).Text(), Version: n}
		if ref.Name != "" && err == nil && !slices.Contains(out, ref) {
			out = append(out, ref)
		}
	}
	return out
}

// WithAudience returns the facts with the audience of a campaign counted, which takes as long as reading all users.
func (f Facts) WithAudience(ctx context.Context, svc engine.Service, c engine.Campaign) (Facts, error) {
	filters := audienceOf(c)
	f.Audience, f.uncountable = nil, filters
	reader, ok := svc.(engine.AudienceReader)
	if !ok {
		return f.without(needAudience, "the service does not count audiences"), nil
	}
	if filters.Empty() {
		return f.without(needAudience, "the campaign has no audience yet"), nil
	}
	a := Audience{Missing: map[string]int{}, Zones: map[string]int{}, filters: filters, raw: map[rawKey]int{}, longest: map[string]any{}, lengths: map[string]int{}}
	if r, err := newRun(ctx, c, f); err == nil && r != nil {
		a.bare = r.bareOf()
		for _, k := range r.rawOf() {
			a.raw[k] = 0
		}
	}
	var err error
	a.Count, err = reader.EstimateAudience(ctx, engine.AudienceRequest{Filters: filters})
	if engine.AsError(err) != nil { // it is not finished, as the validation says
		return f.without(needAudience, "the audience is not finished"), nil
	}
	if err != nil {
		return f, fmt.Errorf("counting the audience for the checks: %w", err)
	}
	members, err := reader.AudienceMembers(ctx, engine.AudienceRequest{Filters: filters, Limit: mostRead})
	if err != nil {
		return f, fmt.Errorf("reading the audience for the checks: %w", err)
	}
	a.Read = len(members)
	for i := range members {
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		a.add(ctx, &members[i], a.bare)
	}
	f.Audience = &a
	return f, nil
}

// Counted reports whether [Facts.WithAudience] has nothing new to count for a campaign that was edited: its audience is
// the same, and no expression is new. It takes about as long as [Run].
func (f Facts) Counted(ctx context.Context, c engine.Campaign) bool {
	filters := audienceOf(c)
	if f.Audience == nil {
		return filters.Empty() || len(doc.Diff(f.uncountable, filters)) == 0
	}
	if len(doc.Diff(f.Audience.filters, filters)) > 0 {
		return false
	}
	r, err := newRun(ctx, c, f)
	if err != nil || r == nil {
		return true
	}
	return !slices.ContainsFunc(r.bareOf(), func(source string) bool { return !slices.Contains(f.Audience.bare, source) }) &&
		!slices.ContainsFunc(r.rawOf(), func(k rawKey) bool { _, counted := f.Audience.raw[k]; return !counted })
}

// audienceOf returns who the campaign goes to: its audience, or who triggers it.
func audienceOf(c engine.Campaign) doc.Value {
	s := c.Body.Get(string(catalog.SegmentationDetails))
	if s.Get("is_all_user_campaign").True() || s.Get("included_filters").Get("filters").Len() > 0 {
		return s
	}
	return doc.Value{}
}

// bareOf returns the expressions on a user's attributes that the messages use without a default.
func (r *run) bareOf() []string {
	var out []string
	for _, m := range r.messages {
		for _, t := range m.texts {
			for _, b := range r.bare(t.Source) {
				if b.root == rootUser && !slices.Contains(out, b.source) {
					out = append(out, b.source)
				}
			}
		}
	}
	return out
}

// add counts one user.
func (a *Audience) add(ctx context.Context, p *engine.User, bare []string) {
	for _, source := range bare {
		_, err := template.Render(ctx, "{{ "+source+" }}", template.Data{UserAttributes: p.Attributes})
		if err != nil {
			a.Missing[source]++
		}
	}
	for k := range a.raw {
		if k.needed(ctx, p) {
			a.raw[k]++
		}
	}
	a.lengthen(p.Attributes)
	if zone, ok := engine.UserZone(p.Attributes); ok {
		a.Zones[zone.String()]++
	}
}

// mostOthers is how many other campaigns are read.
const mostOthers = 50

// WithOthers returns the facts with the campaigns that go out within a day of this one.
func (f Facts) WithOthers(ctx context.Context, svc engine.Service, c engine.Campaign) (Facts, error) {
	lister, ok := svc.(engine.Lister)
	if !ok {
		return f.without(needOthers, "the service does not list its other campaigns at once"), nil
	}
	f.Others = []Other{}
	own := engine.Summarize(c)
	if !catalog.NeedsSchedule(own.DeliveryType) {
		return f, nil
	}
	start := startOf(own, f.Now)
	rows, err := lister.List(ctx, engine.ListQuery{
		Channels: []engine.Channel{own.Channel}, Status: []engine.State{catalog.Active, catalog.Scheduled, catalog.Sending},
		Start: engine.DateRange{From: start.Add(-apart), To: start.Add(apart)},
	})
	if err != nil {
		return f, fmt.Errorf("reading the other campaigns for the checks: %w", err)
	}
	for _, row := range rows {
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		if row.ID == c.ID || row.CampaignID != "" && row.CampaignID == c.CampaignID || row.Channel != c.Channel || len(f.Others) >= mostOthers || !near(own, row, f.Now) {
			continue
		}
		other, err := svc.Get(ctx, row.ID)
		if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
			continue
		} else if err != nil {
			return f, fmt.Errorf("reading the other campaigns for the checks: %w", err)
		}
		f.Others = append(f.Others, Other{row, other.Body.Get(string(catalog.SegmentationDetails))})
	}
	return f, nil
}

// Load gathers all facts of a campaign.
func Load(ctx context.Context, svc engine.Service, kept engine.DismissalStore, c engine.Campaign, now time.Time) (Facts, error) {
	f, err := Read(ctx, svc, now)
	if err == nil {
		f, err = f.For(ctx, svc, kept, c)
	}
	if err == nil {
		f, err = f.WithAudience(ctx, svc, c)
	}
	if err == nil {
		f, err = f.WithOthers(ctx, svc, c)
	}
	return f, err
}

// LoadAndRun gathers all facts of a campaign and makes all checks but those of [Online].
func LoadAndRun(ctx context.Context, svc engine.Service, kept engine.DismissalStore, c engine.Campaign, now time.Time) (Facts, Result, error) {
	f, err := Load(ctx, svc, kept, c, now)
	if err != nil {
		return f, Result{}, err
	}
	r, err := Run(ctx, c, f)
	return f, r, err
}
