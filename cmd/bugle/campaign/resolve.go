package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/edit/grid"
	"bugle/engine/message/livepage"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/phrase"
	"bugle/engine/testsend"
)

// one reports whether one message is printed, in place of the content as JSON.
func (p *previewFlags) one() bool { return p.html || p.text || p.open }

// local reports whether the messages are resolved here, and not by the preview operation.
func (p *previewFlags) local() bool { return p.one() || p.nobody || p.audience }

// resolve prints messages of a campaign as they go out, or a report on its audience.
func (p *previewFlags) resolve(ctx context.Context, f *cli.Factory, svc engine.Service, id string) error {
	c, w, err := testsend.Read(ctx, svc, id)
	if err != nil {
		return err
	}
	if !c.Channel.Writable() {
		return cli.Misused("only push and email campaigns can be previewed; %s is %s", id, c.Channel.Label())
	}
	ready, err := resolve.Prepare(ctx, svc, w, c.Channel, c.Document())
	if err != nil {
		return err
	}
	if p.audience {
		return p.survey(ctx, f, svc, ready)
	}
	v, err := p.viewer(ctx, svc, w)
	if err != nil {
		return err
	}
	if !p.one() {
		r, err := ready.Resolve(ctx, v)
		if err != nil {
			return err
		}
		printMissing(&f.Printer, r.Missing)
		return f.PrintDoc(r.Document.Get(string(catalog.CampaignContent)))
	}
	key, err := p.choose(ready)
	if err != nil {
		return err
	}
	r, err := ready.Resolve(ctx, v, key)
	if err != nil {
		return err
	}
	printMissing(&f.Printer, r.Missing)
	return p.print(ctx, f, r, key)
}

// viewer returns whose data fills the messages.
func (p *previewFlags) viewer(ctx context.Context, svc engine.Service, w engine.Workspace) (resolve.Viewer, error) {
	who := resolve.Person{Kind: resolve.Nobody}
	if !p.nobody {
		who = resolve.Person{Kind: p.users[0].kind, ID: p.users[0].value}
	}
	v, err := resolve.Find(ctx, svc, who)
	if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
		return v, p.noUser()
	}
	if err != nil {
		return v, err
	}
	var values engine.TestSend
	err = putValues(&values, w, true, p.event)
	v.EventAttributes = values.EventAttributes
	return v, err
}

// choose returns the message to print: the first that the flags select.
func (p *previewFlags) choose(c *resolve.Campaign) (engine.TestKey, error) {
	if _, why, ok := p.message.Missing(c.Channel, c.Document); !ok {
		return engine.TestKey{}, cli.Misused("there is no such message: %s", why)
	}
	for _, key := range engine.TestKeys(c.Channel, c.Document, p.message) {
		if !c.Bare(key) {
			return key, nil
		}
	}
	return engine.TestKey{}, errors.New("there is no message to show; write it first")
}

func (p *previewFlags) print(ctx context.Context, f *cli.Factory, r *resolve.Result, key engine.TestKey) error {
	mail := key.Platform == string(catalog.Email)
	switch {
	case !mail && p.text:
		return write(f, notificationText(r, key))
	case !mail:
		return cli.Misused("--html and --open show emails; use --text for a notification")
	case r.HTML(key) == "":
		return errNoHTML
	case p.text:
		return write(f, r.Text(key)+"\n")
	case p.html:
		return write(f, r.HTML(key))
	}
	return open(ctx, f, r.Content(key).Get(catalog.EmailSubject).Text(), r.HTML(key))
}

var errNoHTML = errors.New("the message has no HTML content")

// write writes a message to standard output: byte for byte, except to a terminal.
func write(f *cli.Factory, text string) error {
	if file, ok := cli.FileOf(f.Out); ok && cli.IsTerminal(file) {
		text = cli.Clean(text)
	}
	_, err := io.WriteString(f.Out, text)
	return err
}

// notificationText returns the texts of a notification, one a line.
func notificationText(r *resolve.Result, key engine.TestKey) string {
	root, o := r.Drawn(render.Options{})
	views, _ := render.ViewsAt(catalog.Push, root, key.Content, o)
	var b strings.Builder
	for _, v := range views {
		n := v.Notification
		if n == nil || v.Platform != key.Platform {
			continue
		}
		line := func(name, text string) {
			if text != "" {
				b.WriteString(name + ": " + text + "\n")
			}
		}
		line("Title", n.Title.String())
		line("Subtitle", n.Subtitle.String())
		line("Message", n.Body.String())
		line("Summary", n.Summary.String())
		if n.Image != nil {
			line("Picture", n.Image.URL)
		}
		for _, button := range n.Buttons {
			line("Button", button.Title.String()+" ("+button.Action+")")
		}
		for _, fact := range n.Facts {
			line(fact.Name, fact.Text)
		}
	}
	return b.String()
}

// open shows an email in the browser. The files stay, since the browser may read it at any time.
func open(ctx context.Context, f *cli.Factory, subject, html string) error {
	file, err := livepage.WriteFiles(subject, html)
	if err != nil {
		return fmt.Errorf("cannot write the file for the browser: %w", cli.Cause(err))
	}
	if err := livepage.OpenBrowser(ctx, file); err != nil {
		return fmt.Errorf("no browser could be opened: %w; the page is in %s", err, file)
	}
	fmt.Fprintln(f.Out, cli.Line("Opened "+file))
	return nil
}

// printMissing prints what has no value to standard error.
func printMissing(p *cli.Printer, missing []resolve.Missing) {
	for _, m := range missing {
		text := m.Path.String() + ": no value for " + m.Expression
		if m.Expression == "" {
			text = m.Path.String() + ": cannot be resolved"
		}
		fmt.Fprintln(p.Err, cli.Line(text+": "+m.Reason))
	}
}

// survey prints a report on the audience of a campaign.
func (p *previewFlags) survey(ctx context.Context, f *cli.Factory, svc engine.Service, c *resolve.Campaign) error {
	reader, ok := svc.(engine.AudienceReader)
	if !ok {
		return errors.New("only a local workspace knows who is in an audience; a remote service does not show its users")
	}
	if len(c.Written()) == 0 {
		return errors.New("there is no message to resolve; write it first")
	}
	show := cli.Progress(f.Streams, "Looked at", "user")
	out, err := c.Survey(ctx, reader, resolve.SurveyOptions{CallAPIs: p.callAPIs, Progress: func(users, _ int) { show(users) }})
	show(-1)
	if err != nil {
		return err
	}
	if f.JSON {
		return f.PrintJSON(surveyJSON(out))
	}
	return printSurvey(&f.Printer, out)
}

func printSurvey(p *cli.Printer, s resolve.Survey) error {
	counts := [][]string{
		{"In the audience", phrase.Thousands(s.Audience)},
		{"Cannot be reached", phrase.Thousands(s.Unreachable)},
		{"Missing a value", phrase.Thousands(s.Lacking)},
	}
	if s.Deferred > 0 {
		counts = append(counts, []string{"Need a content API (not called)", phrase.Thousands(s.Deferred) + ": " + strings.Join(s.APIs, ", ")})
	}
	platforms, variations := s.Unused()
	for _, name := range platforms {
		counts = append(counts, []string{"Never used", grid.CellName(name, "", "")})
	}
	for _, name := range variations {
		counts = append(counts, []string{"Never used", grid.VariationName(name)})
	}
	err := p.Rows([]string{"USERS", phrase.Thousands(s.Users)}, counts)
	if len(s.Expressions) > 0 && err == nil {
		var rows [][]string
		for _, g := range s.Expressions {
			name := g.Expression
			if name == "" {
				name = g.Reason
			}
			if g.Block != "" {
				name += " (in content block " + g.Block + ")"
			}
			rows = append(rows, []string{phrase.Thousands(g.Users), name, strings.Join(g.Examples, ", ")})
		}
		fmt.Fprintln(p.Out)
		err = p.Rows([]string{"USERS", "MISSING VALUE", "SUCH AS"}, rows)
	}
	if len(s.Longest) > 0 && err == nil {
		var rows [][]string
		for _, l := range s.Longest {
			for i, cut := range l.Cuts {
				head := []string{"", "", "", ""}
				if i == 0 {
					head = []string{grid.CellName(l.Platform, "", ""), l.What, fmt.Sprint(l.Characters), l.User}
				}
				rows = append(rows, append(head, cut.Words(), phrase.Thousands(cut.Users)))
			}
		}
		fmt.Fprintln(p.Out)
		err = p.Rows([]string{"PLATFORM", "TEXT", "LONGEST", "USER", "CHARACTERS SHOWN", "USERS CUT"}, rows)
	}
	return err
}

func surveyJSON(s resolve.Survey) any {
	type (
		object = map[string]any
		list   = []any
	)
	keys := func(all []engine.TestKey) []string {
		out := []string{}
		for _, key := range all {
			out = append(out, key.String())
		}
		return out
	}
	platforms, variations := s.Unused()
	out := object{
		"users": s.Users, "audience": s.Audience, "unreachable": s.Unreachable, "missing_value": s.Lacking,
		"deferred": s.Deferred, "content_apis": append([]string{}, s.APIs...),
		"unused": object{"platforms": append([]string{}, platforms...), "variations": append([]string{}, variations...)},
	}
	expressions, messages, longest := list{}, list{}, list{}
	for _, g := range s.Expressions {
		expressions = append(expressions, object{
			"expression": g.Expression, "field": g.Path.String(), "content_block": g.Block, "reason": g.Reason,
			"messages": keys(g.Messages), "users": g.Users, "examples": g.Examples,
		})
	}
	for _, m := range s.Messages {
		messages = append(messages, object{"message": m.Key.String(), "reached": m.Reached, "missing_value": m.Lacking})
	}
	for _, l := range s.Longest {
		cuts := list{}
		for _, c := range l.Cuts {
			cuts = append(cuts, object{"shown": c.Visible, "when": c.Where, "users": c.Users})
		}
		longest = append(longest, object{
			"message": l.Key.String(), "field": l.Path.String(), "text": l.Text, "characters": l.Characters, "user": l.User, "cuts": cuts,
		})
	}
	out["expressions"], out["messages"], out["longest"] = expressions, messages, longest
	return out
}
