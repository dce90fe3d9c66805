package accessible

import (
	"context"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/engine/timeparse"
)

// pageSize is how many campaigns are listed at once.
const pageSize = 10

// campaignList is the list of campaigns for a search.
type campaignList struct {
	s    *session
	ix   *index.Index
	text string
	rows *index.Result
	from int
}

// campaigns lists campaigns, searches them, and opens one.
func (s *session) campaigns(ctx context.Context) error {
	ix, err := s.read(ctx)
	if err != nil {
		return s.reportError(ctx, "Cannot load the campaigns", err)
	}
	f := &campaignList{s: s, ix: ix}
	if err := f.search(ctx, s.query); err != nil {
		return err
	}
	return s.choose(ctx, menu{
		header: f.head, items: f.items, help: searchHelp, listAlways: true,
		ask: "a search", find: f.search,
	})
}

// read reads the rows of all campaigns.
func (s *session) read(ctx context.Context) (*index.Index, error) {
	ix := index.New(index.Options{Now: s.deps.Now})
	if lister, ok := s.deps.Service.(engine.Lister); ok {
		rows, err := lister.List(ctx, engine.ListQuery{Archived: true})
		ix.Put(rows...)
		return ix, err
	}
	for found, err := range engine.Records(ctx, s.deps.Service.Search, engine.ListQuery{Archived: true}) {
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			ix.Put(engine.Summarize(c))
		}
	}
	return ix, nil
}

func searchHelp() []string {
	return []string{
		"Type the number of a campaign to open it, or text to search for. A slash before it makes every text a search: /more.",
		"Search looks in names, tags, teams and creators. To filter, type for example status:draft channel:email type:periodic tag:sale by:ann updated:<7d. A minus before a word excludes matches. sort:name sorts.",
		"Type all to show all campaigns again.",
	}
}

// search sets the search.
func (f *campaignList) search(ctx context.Context, text string) error {
	if strings.EqualFold(text, "all") {
		text = ""
	}
	now := f.s.deps.Local(f.s.deps.Now())
	q, problems := query.Parse(text, query.Env{Values: f.ix.Values, Now: now})
	for _, p := range problems {
		f.s.println("%s", phrase.Sentence(p.String()))
	}
	if len(problems) > 0 && f.rows != nil {
		return nil // what was found stays
	}
	rows, err := f.ix.Search(ctx, q, index.SearchOptions{Now: now})
	if err != nil {
		return err
	}
	f.text, f.rows, f.from, f.s.query = text, rows, 0, text
	return nil
}

func (f *campaignList) head() []string {
	q, _ := query.Parse(f.text, query.Env{Values: f.ix.Values, Now: f.s.deps.Local(f.s.deps.Now())})
	n := f.rows.Len()
	text := fmt.Sprintf("%s: %s.", q.Explain(), phrase.Count(n, "campaign"))
	if n == 0 && f.text != "" {
		text += " Type all to show all of them."
	}
	if n > pageSize {
		text += fmt.Sprintf(" Showing %d to %d.", f.from+1, min(f.from+pageSize, n))
	}
	return []string{text}
}

func (f *campaignList) items() []item {
	var out []item
	now := f.s.deps.Now()
	for _, sum := range f.rows.Rows(f.from, min(f.from+pageSize, f.rows.Len())) {
		state := kindAndState(sum)
		if !sum.UpdatedAt.IsZero() {
			state += ", changed " + timeparse.Ago(sum.UpdatedAt, now)
		}
		out = append(out, item{label: sum.Title(), state: state, run: func(ctx context.Context) error { return f.open(ctx, sum.ID) }})
	}
	if f.from+pageSize < f.rows.Len() {
		out = append(out, item{label: "More", word: "more", state: "the next ones", run: func(context.Context) error { f.from += pageSize; return nil }})
	}
	if f.from > 0 {
		out = append(out, item{label: "Earlier", word: "earlier", state: "the ones before", run: func(context.Context) error { f.from = max(f.from-pageSize, 0); return nil }})
	}
	return out
}

// open opens a campaign, and reloads the list afterwards.
func (f *campaignList) open(ctx context.Context, id string) error {
	if err := f.s.visit(ctx, id); err != nil && !isBack(err) {
		return err
	}
	ix, err := f.s.read(ctx)
	if err != nil {
		return f.s.reportError(ctx, "Cannot reload the campaigns", err)
	}
	from := f.from
	f.ix = ix
	err = f.search(ctx, f.text)
	if from < f.rows.Len() {
		f.from = from
	}
	return err
}

// newDraft asks for the properties of a draft, creates it, and opens it.
func (s *session) newDraft(ctx context.Context) error {
	var channels []catalog.Channel
	var options []option
	for _, ch := range catalog.Channels {
		if ch.Writable() {
			channels, options = append(channels, ch), append(options, option{label: ch.Label()})
		}
	}
	s.println("New draft. There are four questions: channel, delivery type, name, creator.")
	n, err := s.chooseOption(ctx, "Channel", options, -1)
	if err != nil {
		return err
	}
	channel := channels[n]
	types := catalog.DeliveryTypes(channel)
	options = options[:0]
	for _, t := range types {
		options = append(options, option{label: t.Label, help: t.Help, disabledReason: t.Why})
	}
	if n, err = s.chooseOption(ctx, "Delivery type", options, -1); err != nil {
		return err
	}
	name, by, err := s.nameAndCreator(ctx)
	if err != nil {
		return err
	}
	draft := engine.Draft{Channel: channel, DeliveryType: types[n].Type, CreatedBy: by, Components: engine.WithName(doc.NewObject(), name)}
	made, err := draft.Create(ctx, s.deps.Service)
	if err != nil {
		return s.reportError(ctx, "Cannot create the draft", err)
	}
	s.println("Created the draft.")
	return s.visit(ctx, made.ID)
}

// nameAndCreator asks for the name and the creator of a draft.
func (s *session) nameAndCreator(ctx context.Context) (name, by string, err error) {
	err = s.ask(ctx, question{
		prompt: "Name, Enter for none yet", text: true,
		help:   func() []string { return []string{"The name of the campaign. You can change it later."} },
		handle: func(a answer) error { name = strings.TrimSpace(a.text); return nil },
	})
	if err != nil {
		return "", "", err
	}
	by = s.deps.Author
	err = s.ask(ctx, question{
		prompt: "Creator, Enter for " + by,
		help:   func() []string { return []string{"The email address of the person who creates the campaign."} },
		handle: func(a answer) error {
			switch text := strings.TrimSpace(a.text); {
			case text == "":
			case !schema.Email.Matches(text):
				return invalid("The creator must be %s. Press Enter for %s.", schema.Email.Requirement(), by)
			default:
				by = text
			}
			return nil
		},
	})
	return name, by, err
}
