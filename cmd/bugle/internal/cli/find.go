package cli

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Campaign opens the service of the campaigns, and returns it with the id of the campaign that a user has named. See
// [Finder.ID].
func (f *Factory) Campaign(ctx context.Context, name string) (engine.Service, string, error) {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return nil, "", err
	}
	id, err := NewFinder(svc).ID(ctx, name)
	return svc, id, err
}

// fileName matches the end of a name with an extension, as files have it.
var fileName = regexp.MustCompile(`\.[A-Za-z]\w*$`)

// NamesCampaign reports whether an argument that can be a file is one of the names of a campaign.
func NamesCampaign(arg string) bool {
	return schema.ObjectID.Matches(arg) && !Exists(arg) || arg != Stdin && !strings.ContainsAny(arg, `/\`) && !fileName.MatchString(arg) && !Exists(arg)
}

// Finder finds the campaigns that a user has named. It lists those of its service at most once.
type Finder struct {
	svc  engine.Service
	rows []engine.Summary
}

// NewFinder returns a finder for the campaigns of a service.
func NewFinder(svc engine.Service) *Finder { return &Finder{svc: svc} }

// ID returns the id of a campaign that a user has named by its id, the beginning of an id that no other has, or its exact
// name. Of the versions of a campaign, the newest has its name.
func (n *Finder) ID(ctx context.Context, name string) (string, error) {
	if schema.ObjectID.Matches(name) {
		return name, nil
	}
	_, err := n.svc.Get(ctx, name) // the ids of other services may have any form
	if e := engine.AsError(err); e == nil || e.Code != engine.NotFound && e.HTTP != http.StatusBadRequest {
		return name, err
	}
	rows, err := n.candidates(ctx, name)
	if err != nil {
		return "", err
	}
	var all []Candidate
	newest := map[string]int{} // version of each campaign
	for _, r := range rows {
		newest[r.CampaignID] = max(newest[r.CampaignID], r.Version)
	}
	for _, r := range rows {
		c := Candidate{ID: r.ID, About: r.Channel.Label() + ", " + r.Status.Label()}
		if r.ParentID == "" && r.Version == newest[r.CampaignID] {
			c.Name = r.Name
		}
		all = append(all, c)
	}
	id, ok, err := Pick(name, "campaigns", all)
	if err == nil && !ok {
		err = engine.MissingCampaign(name)
	}
	return id, err
}

// candidates returns the campaigns that a user may have named. Where every page is a request, only those that have the name
// are asked for, unless it can be an id.
func (n *Finder) candidates(ctx context.Context, name string) ([]engine.Summary, error) {
	if engine.IsExternal(n.svc) && !hexadecimal.MatchString(name) {
		var out []engine.Summary
		named := func(ctx context.Context, r engine.SearchRequest) ([]engine.Campaign, error) {
			r.Name = name
			return n.svc.Search(ctx, r)
		}
		for page, err := range engine.Records(ctx, named, engine.ListQuery{Archived: true}) {
			if err != nil {
				return nil, err
			}
			for _, c := range page {
				out = append(out, engine.Summarize(c))
			}
		}
		return out, nil
	}
	var err error
	if n.rows == nil {
		n.rows, err = engine.List(ctx, n.svc, engine.ListQuery{Archived: true})
	}
	return n.rows, err
}

var hexadecimal = regexp.MustCompile(`^[0-9a-fA-F]+$`)

// Candidate is something that a user may have named.
type Candidate struct{ ID, Name, About string }

// shortestPrefix is how many characters of an id name what it is the id of.
const shortestPrefix = 4

// mostCandidates is how many candidates an error lists.
const mostCandidates = 10

// Pick returns the id of the one candidate that a user has named by its name, its id or the beginning of its id, and false
// if there is none. If there are several, it fails with a list of them.
func Pick(name, noun string, from []Candidate) (id string, ok bool, err error) {
	named := slices.DeleteFunc(slices.Clone(from), func(c Candidate) bool { return c.Name != name })
	begun := slices.DeleteFunc(slices.Clone(from), func(c Candidate) bool {
		return c.Name == name || len(name) < shortestPrefix || !strings.HasPrefix(strings.ToLower(c.ID), strings.ToLower(name))
	})
	found := append(named, begun...)
	switch len(found) {
	case 0:
		return "", false, nil
	case 1:
		return found[0].ID, true, nil
	}
	e := engine.Errorf(CodeMisused, 0, "%q is the beginning of %d %s; type more of it", name, len(found), noun)
	if len(named) > 0 {
		e = engine.Errorf(CodeMisused, 0, "%q names %d %s; use the id of one", name, len(found), noun)
	}
	for _, c := range found[:min(len(found), mostCandidates)] {
		e.Details = append(e.Details, engine.Detail{Target: c.ID, Message: c.About})
	}
	if more := len(found) - mostCandidates; more > 0 {
		e.Details = append(e.Details, engine.Detail{Message: fmt.Sprintf("and %s more", phrase.Thousands(more))})
	}
	return "", false, Misuse(e)
}
