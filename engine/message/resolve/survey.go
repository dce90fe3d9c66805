package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/render"
)

// Survey is what the messages of a campaign come to across its audience.
type Survey struct {
	Users    int // of the workspace that were looked at
	Audience int // of those, the users whom the filters pick
	// Unreachable users have no address, or no device on a platform of the campaign. The others get a message.
	Unreachable int
	// Lacking users have no value for an expression of a message that they can get, which then is not sent.
	Lacking int
	// Deferred users need the answer of a content API, which was not called; APIs names those.
	Deferred int
	APIs     []string

	Expressions []Gap         // those without a value, that of most users first
	Messages    []MessageUse  // in the order of sending
	Variations  []Share       // how percentages split the audience; nil where they do not
	Longest     []LongestText // by platform and text
}

// Gap is an expression that has no value for some users.
type Gap struct {
	Path       doc.Path         `json:"field"`      // of the first text that it stands in
	Expression string           `json:"expression"` // empty where the text cannot be read
	Block      string           `json:"block"`      // the content block that it stands in
	Reason     string           `json:"reason"`     // for the first of the users
	Messages   []engine.TestKey `json:"-"`
	Users      int              `json:"users"`
	Examples   []string         `json:"examples"` // ids of the first of the users
}

// MostExamples is how many users a [Gap] names.
const MostExamples = 5

// MessageUse counts the users that one message can reach. Which of its locales and variations a user gets is the
// service's to decide, so that all messages of a platform count the same users.
type MessageUse struct {
	Key     engine.TestKey
	Reached int
	Lacking int // of those, users for whom it lacks a value
}

// Share is the part of the audience that gets a variation.
type Share struct {
	Variation string
	Percent   int
	Users     int // about how many of those that can be reached
}

// LongestText is the longest that a text gets for anyone, among all locales and variations.
type LongestText struct {
	Platform   string // ANDROID, IOS or WEB; EMAIL for email
	What       string // "Title"
	Key        engine.TestKey
	Path       doc.Path
	Text       string
	Characters int    // as readers count them
	User       string // the id of the first who gets it; empty where no user was looked at
	Cuts       []Cut
}

// Cut is a limit of a text, and for how many users a part of the text is not seen.
type Cut struct {
	render.Limit
	Users int
}

// SurveyOptions say whom a survey is about and how it is made.
type SurveyOptions struct {
	// Filters pick the audience; absent: those of the campaign.
	Filters doc.Value
	// CallAPIs calls the content APIs; otherwise users that need them are counted.
	CallAPIs bool
	// Progress, where it is not nil, is told of how many users were looked at and found, from one goroutine at a time.
	Progress func(users, audience int)
}

// surveyBatch is how many users one worker takes at once.
const surveyBatch = 128

// Survey fills the messages for everyone whom the audience picks, on all processors. Only some users are in memory at a
// time. An error, or the end of ctx, ends it with what was found so far.
func (c *Campaign) Survey(ctx context.Context, reader engine.AudienceReader, o SurveyOptions) (Survey, error) {
	filters := o.Filters
	if !filters.Exists() {
		filters = c.Filters()
	}
	if !o.CallAPIs {
		c = c.Deferred()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	plan := c.plan()
	batches := make(chan []engine.User)
	workers := make([]*surveyor, max(runtime.GOMAXPROCS(0), 1))
	var wait sync.WaitGroup
	for i := range workers {
		s := newSurveyor(plan)
		workers[i] = s
		wait.Go(func() {
			for batch := range batches {
				for i := range batch {
					if s.err == nil {
						s.err = s.user(ctx, &batch[i])
					}
				}
				if s.err != nil {
					cancel()
				}
			}
		})
	}
	users, found := 0, 0
	err := batched(ctx, reader, engine.AudienceRequest{Filters: filters, Progress: func(n engine.AudienceCount) {
		users = n.Total
		if o.Progress != nil {
			o.Progress(n.Total, n.Matched)
		}
	}}, func(batch []engine.User) { found += len(batch); batches <- batch })
	close(batches)
	wait.Wait()
	for _, s := range workers {
		if err == nil || errors.Is(err, context.Canceled) && s.err != nil {
			err = cmp.Or(s.err, err)
		}
	}
	out := merge(workers)
	out.Users, out.Audience = max(users, found), found
	c.conclude(&out)
	return out, err
}

// batched hands the audience over in batches.
func batched(ctx context.Context, reader engine.AudienceReader, r engine.AudienceRequest, take func([]engine.User)) error {
	var batch []engine.User
	for u, err := range reader.StreamAudience(ctx, r) {
		if err != nil {
			return err
		}
		if batch = append(batch, u); len(batch) == surveyBatch {
			take(batch)
			batch = nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if len(batch) > 0 {
		take(batch)
	}
	return ctx.Err()
}

// surveyPlan is what a survey fills for each user. It does not change.
type surveyPlan struct {
	*Campaign
	keys  []engine.TestKey // that have content
	texts []surveyText
	sizes []size
}

// surveyText is a text of one message, or of several.
type surveyText struct {
	Text
	keys   []int // of the plan
	filled bool  // it has expressions
	size   int   // of the plan; -1 where it is not measured
	length int   // of a text without expressions
}

// size is one text on one platform that is measured.
type size struct {
	render.Gauge
	limits []render.Limit
}

func (c *Campaign) plan() *surveyPlan {
	p := &surveyPlan{Campaign: c, keys: c.Written()}
	at := map[string]int{}
	for i, key := range p.keys {
		for _, t := range c.Texts(key) {
			place := t.Path.String()
			if n, ok := at[place]; ok {
				p.texts[n].keys = append(p.texts[n].keys, i)
				continue
			}
			st := surveyText{Text: t, keys: []int{i}, filled: strings.Contains(t.Source, "{"), size: -1}
			if t.Path.HasPrefix(key.Content) {
				if g, ok := render.GaugeOf(key.Platform, t.Path[len(key.Content):]); ok {
					st.size, st.length = p.sized(g), g.Length(t.Source)
				}
			}
			if st.filled || st.size >= 0 {
				at[place] = len(p.texts)
				p.texts = append(p.texts, st)
			}
		}
	}
	return p
}

// sized returns the place of what is measured alike.
func (p *surveyPlan) sized(g render.Gauge) int {
	i := slices.IndexFunc(p.sizes, func(s size) bool { return s.On == g.On && s.Text == g.Text })
	if i < 0 {
		i = len(p.sizes)
		p.sizes = append(p.sizes, size{g, g.Limits()})
	}
	return i
}

// surveyor is one worker of a survey.
type surveyor struct {
	*surveyPlan
	out     Survey
	gaps    map[gapKey]*Gap
	longest []LongestText // by the plan's sizes
	err     error

	// Of the user at hand.
	reached, lacks []bool // by the plan's keys
	lengths        []int  // by the plan's sizes
	seen           map[gapKey]bool
}

type gapKey struct{ expression, block, at string }

func newSurveyor(p *surveyPlan) *surveyor {
	s := &surveyor{
		surveyPlan: p, gaps: map[gapKey]*Gap{}, longest: make([]LongestText, len(p.sizes)),
		reached: make([]bool, len(p.keys)), lacks: make([]bool, len(p.keys)), lengths: make([]int, len(p.sizes)), seen: map[gapKey]bool{},
	}
	for _, key := range p.keys {
		s.out.Messages = append(s.out.Messages, MessageUse{Key: key})
	}
	for i, size := range p.sizes {
		for _, l := range size.limits {
			s.longest[i].Cuts = append(s.longest[i].Cuts, Cut{Limit: l})
		}
	}
	return s
}

// user fills all messages that a user can get.
func (s *surveyor) user(ctx context.Context, u *engine.User) error {
	any := false
	for i, key := range s.keys {
		s.reached[i], s.lacks[i] = reaches(s.Channel, s.Document, key, u), false
		any = any || s.reached[i]
	}
	if !any {
		s.out.Unreachable++
		return nil
	}
	clear(s.lengths)
	clear(s.seen)
	f := s.For(ViewerOf(*u))
	lacking, deferred := false, false
	for i := range s.texts {
		t := &s.texts[i]
		if !slices.ContainsFunc(t.keys, func(k int) bool { return s.reached[k] }) {
			continue
		}
		text, length := t.Source, t.length
		if t.filled {
			out, missing, err := f.Text(ctx, t.Source)
			if err != nil {
				return err
			}
			for _, m := range missing {
				if m.Deferred {
					deferred = true
					continue
				}
				lacking = true
				s.lacking(u, t, m)
			}
			if len(missing) > 0 {
				continue // how long it gets is not known
			}
			if text = out; t.size >= 0 {
				length = s.sizes[t.size].Length(text)
			}
		}
		if t.size >= 0 {
			s.measure(u, t, text, length)
		}
	}
	s.count(lacking, deferred)
	for _, api := range f.Deferred() {
		if !slices.Contains(s.out.APIs, api) {
			s.out.APIs = append(s.out.APIs, api)
		}
	}
	return nil
}

// count adds the user at hand.
func (s *surveyor) count(lacking, deferred bool) {
	if lacking {
		s.out.Lacking++
	}
	if deferred {
		s.out.Deferred++
	}
	for i := range s.keys {
		if s.reached[i] {
			s.out.Messages[i].Reached++
		}
		if s.lacks[i] {
			s.out.Messages[i].Lacking++
		}
	}
	for i, n := range s.lengths {
		for j := range s.longest[i].Cuts {
			if cut := &s.longest[i].Cuts[j]; n > cut.Visible {
				cut.Users++
			}
		}
	}
}

// lacking notes what a text lacks for the user at hand. An expression counts a user once, however many texts it stands
// in.
func (s *surveyor) lacking(u *engine.User, t *surveyText, m Missing) {
	for _, k := range t.keys {
		s.lacks[k] = s.lacks[k] || s.reached[k]
	}
	key := gapKey{expression: m.Expression, block: m.Block}
	if m.Expression == "" {
		key.at = t.Path.String()
	}
	g := s.gaps[key]
	if g == nil {
		g = &Gap{Path: t.Path, Expression: m.Expression, Block: m.Block, Reason: m.Reason}
		s.gaps[key] = g
	}
	for _, k := range t.keys {
		if s.reached[k] && !slices.ContainsFunc(g.Messages, func(have engine.TestKey) bool { return have.Content.Equal(s.keys[k].Content) }) {
			g.Messages = append(g.Messages, s.keys[k])
		}
	}
	if s.seen[key] {
		return
	}
	s.seen[key] = true
	g.Users++
	g.Examples = examples(g.Examples, u.ID)
}

// examples returns the first ids of two lists, sorted.
func examples(list []string, more ...string) []string {
	for _, id := range more {
		if len(list) == MostExamples && id > list[len(list)-1] {
			continue
		}
		if i, found := slices.BinarySearch(list, id); !found {
			list = slices.Insert(list, i, id)
		}
		list = list[:min(len(list), MostExamples)]
	}
	return list
}

// measure notes how long a text is for the user at hand.
func (s *surveyor) measure(u *engine.User, t *surveyText, text string, length int) {
	s.lengths[t.size] = max(s.lengths[t.size], length)
	k := t.keys[slices.IndexFunc(t.keys, func(k int) bool { return s.reached[k] })]
	l := LongestText{
		Platform: s.sizes[t.size].On, What: s.sizes[t.size].Text, Key: s.keys[k], Path: t.Path,
		Text: text, Characters: length, User: u.ID, Cuts: s.longest[t.size].Cuts,
	}
	if old := &s.longest[t.size]; longer(l, *old) {
		*old = l
	}
}

// longer reports whether one text is longer than another or, being as long, that of an earlier user.
func longer(a, b LongestText) bool {
	switch {
	case b.User == "" || a.User == "":
		return b.User == "" && a.User != ""
	case a.Characters != b.Characters:
		return a.Characters > b.Characters
	}
	return a.User < b.User
}

// reaches reports whether a message can reach a user: mail at the address, push on a device of the platform.
func reaches(ch engine.Channel, document doc.Value, key engine.TestKey, u *engine.User) bool {
	if ch == catalog.Email {
		_, why := engine.EmailAddress(document, *u)
		return why == ""
	}
	return slices.ContainsFunc(u.Devices, func(d engine.Device) bool { return d.Token != "" && d.Platform == key.Platform })
}

// merge adds up what workers found.
func merge(workers []*surveyor) Survey {
	out, gaps, longest := workers[0].out, workers[0].gaps, workers[0].longest
	for _, s := range workers[1:] {
		out.Unreachable, out.Lacking, out.Deferred = out.Unreachable+s.out.Unreachable, out.Lacking+s.out.Lacking, out.Deferred+s.out.Deferred
		for _, api := range s.out.APIs {
			if !slices.Contains(out.APIs, api) {
				out.APIs = append(out.APIs, api)
			}
		}
		for i, m := range s.out.Messages {
			out.Messages[i].Reached += m.Reached
			out.Messages[i].Lacking += m.Lacking
		}
		for key, g := range s.gaps {
			gaps[key] = g.with(gaps[key])
		}
		for i, l := range s.longest {
			cuts := longest[i].Cuts
			for j := range cuts {
				cuts[j].Users += l.Cuts[j].Users
			}
			if longer(l, longest[i]) {
				longest[i] = l
			}
			longest[i].Cuts = cuts
		}
	}
	slices.Sort(out.APIs)
	for _, g := range gaps {
		slices.SortFunc(g.Messages, func(a, b engine.TestKey) int { return strings.Compare(a.String(), b.String()) })
		out.Expressions = append(out.Expressions, *g)
	}
	slices.SortFunc(out.Expressions, func(a, b Gap) int {
		return cmp.Or(b.Users-a.Users, strings.Compare(a.Expression, b.Expression), strings.Compare(a.Block, b.Block), strings.Compare(a.Path.String(), b.Path.String()))
	})
	out.Longest = slices.DeleteFunc(longest, func(l LongestText) bool { return l.User == "" })
	slices.SortStableFunc(out.Longest, func(a, b LongestText) int { return strings.Compare(a.Platform, b.Platform) })
	return out
}

// with adds up two counts of the same expression.
func (g *Gap) with(o *Gap) *Gap {
	if o == nil {
		return g
	}
	if len(o.Examples) > 0 && o.Examples[0] < g.Examples[0] {
		g, o = o, g
	}
	out := *g
	out.Users += o.Users
	out.Examples = examples(slices.Clone(g.Examples), o.Examples...)
	for _, key := range o.Messages {
		if !slices.ContainsFunc(out.Messages, func(have engine.TestKey) bool { return have.Content.Equal(key.Content) }) {
			out.Messages = append(out.Messages, key)
		}
	}
	return &out
}

// conclude adds what follows from the counts.
func (c *Campaign) conclude(out *Survey) {
	split := c.Document.Get(string(catalog.CampaignContent)).Get("variation_details")
	if split.Get("distribution_type").Text() != "MANUAL" {
		return
	}
	reached := out.Audience - out.Unreachable
	for name, v := range split.Get("manual_distribution_percentage").Members() {
		if n, ok := v.Int(); ok && n >= 0 && n <= 100 {
			out.Variations = append(out.Variations, Share{name, int(n), (reached*int(n) + 50) / 100})
		}
	}
}

// Unused returns the names of what nobody of the audience gets: platforms on which nobody has a device, and variations
// without a share. Which locale a user gets is the service's to decide, so that no locale is among them.
func (s Survey) Unused() (platforms, variations []string) {
	reached := map[string]int{}
	var order []string
	for _, m := range s.Messages {
		if _, ok := reached[m.Key.Platform]; !ok {
			order = append(order, m.Key.Platform)
		}
		reached[m.Key.Platform] += m.Reached
	}
	for _, p := range order {
		if reached[p] == 0 {
			platforms = append(platforms, p)
		}
	}
	for _, v := range s.Variations {
		if v.Users == 0 {
			variations = append(variations, v.Variation)
		}
	}
	return platforms, variations
}

// Words returns the limit as people read it.
func (c Cut) Words() string {
	if c.Where == "" {
		return fmt.Sprintf("about %d are shown", c.Visible)
	}
	return fmt.Sprintf("about %d are shown %s", c.Visible, c.Where)
}
