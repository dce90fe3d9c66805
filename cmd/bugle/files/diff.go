package files

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
)

// NewDiff returns the command bugle diff.
func NewDiff(f *cli.Factory) *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "diff FILE|ID|DIR FILE|ID|DIR",
		Short: "Compare campaigns",
		Long: "Each campaign is an id or a file. Channel, delivery type and components are compared; ids, state,\n" +
			"authors, times and the order of fields are not. Of two folders with several campaigns, those with the same id,\n" +
			"or else the same channel and name, are compared. Exits with 0 if they are equal, and with 1 if not.\n\n" +
			"With --markdown, the output is a comment for the reviewers of a pull request: a table of the short\n" +
			"values, and the changed lines of the long texts.",
		Example: "  bugle diff 65f0a1b2c3d4e5f60718293a campaigns/spring-sale.yaml\n" +
			"  git show HEAD~1:campaigns/spring-sale.json | bugle diff - campaigns/spring-sale.json\n" +
			"  bugle diff --markdown main/campaigns campaigns > comment.md",
		Args: cli.Exactly(2, "two campaigns, each an ID, a file, a folder, or - for standard input"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			ids, _ := f.CompleteIDs()(cmd, nil, typed)
			return ids, cobra.ShellCompDirectiveDefault // or a file
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case args[0] == cli.Stdin && args[1] == cli.Stdin:
				return cli.Misused("only one of the two can be standard input")
			case f.JSON && markdown:
				return cli.Misused("--json and --markdown cannot be combined")
			}
			return compare(cmd.Context(), f, args[0], args[1], markdown)
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print a comment for the reviewers of a pull request")
	return cmd
}

// compare compares two campaigns, or those of two folders.
func compare(ctx context.Context, f *cli.Factory, a, b string, markdown bool) error {
	if campaignfile.IsFolder(a) && campaignfile.IsFolder(b) {
		pairs, err := pairFolders(ctx, f.Streams, a, b)
		if err != nil {
			return differFailure(err)
		}
		return printPairs(&f.Printer, pairs, true, markdown)
	}
	var sides [2]engine.Campaign
	for i, arg := range []string{a, b} {
		var err error
		if sides[i], err = oneCampaign(ctx, f, arg); err != nil {
			return differFailure(err)
		}
	}
	p, err := newPair(ctx, &sides[0], &sides[1], cli.InputName(b))
	if err != nil {
		return err
	}
	return printPairs(&f.Printer, []pair{p}, false, markdown)
}

// pair is a campaign before and after. One of the two may be nil.
type pair struct {
	before, after *engine.Campaign
	file          string // of the later one, or else of the earlier one
	changes       []doc.Change
	doubts        []string // about HTML that may be something else than its MJML
}

func newPair(ctx context.Context, before, after *engine.Campaign, file string) (pair, error) {
	p := pair{before: before, after: after, file: file}
	if after == nil {
		return p, nil
	}
	var was doc.Value
	if before != nil {
		was = comparedPart(*before)
	}
	now, table := comparedPart(*after), catalog.Campaign(after.Channel)
	doubts, err := mjml.Doubts(ctx, table, was, now)
	if err != nil || before == nil {
		p.doubts = clauses(doubts)
		return p, err
	}
	earlier, err := mjml.Doubts(ctx, table, now, was)
	p.doubts = clauses(append(doubts, earlier...))
	for _, c := range yamldoc.Changes(was, now) {
		if c.Before.Kind() != doc.String || c.After.Kind() != doc.String || !mjml.InField(table.At(c.Path)) {
			p.changes = append(p.changes, c)
			continue
		}
		doubted := slices.ContainsFunc(append(doubts, earlier...), func(d mjml.Doubt) bool { return d.Path.Equal(c.Path) })
		p.changes = append(p.changes, bySource(c, doubted)...)
	}
	return p, err
}

// clauses returns doubts as texts, each once.
func clauses(doubts []mjml.Doubt) (out []string) {
	for _, d := range doubts {
		if text := d.String(); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// bySource returns a change of an HTML body as that of what people edit: the MJML that it was compiled from. A body that
// was compiled and MJML in a file are the same if it is the source of the body. Of HTML that may be something else than
// its MJML, the change is there, too.
func bySource(c doc.Change, doubted bool) (out []doc.Change) {
	before, after := mjml.Editable(c.Before.Text()), mjml.Editable(c.After.Text())
	source := mjml.IsSource(c.Before.Text()) || mjml.IsSource(c.After.Text())
	if before != after {
		out = append(out, doc.Change{Path: c.Path, Before: doc.NewString(before), After: doc.NewString(after)})
	}
	html := doc.Change{Path: c.Path, Before: htmlOf(c.Before), After: htmlOf(c.After)}
	switch {
	case html.Before.Same(html.After):
	case doubted && (before != html.Before.Text() || after != html.After.Text()), before == after && !source: // of the same source, compiled differently
		out = append(out, html)
	}
	return out
}

// htmlOf returns the HTML of a body without its source; nothing for MJML.
func htmlOf(v doc.Value) doc.Value {
	if mjml.IsSource(v.Text()) {
		return doc.Value{}
	}
	return doc.NewString(mjml.Without(v.Text()))
}

// differs reports whether the pair is not the same campaign twice.
func (p pair) differs() bool { return p.before == nil || p.after == nil || len(p.changes) > 0 }

// campaign returns the later campaign, or else the earlier one.
func (p pair) campaign() engine.Campaign {
	if p.after != nil {
		return *p.after
	}
	return *p.before
}

// fileCampaign is a campaign of a file.
type fileCampaign struct {
	engine.Campaign
	file string
}

// pairFolders returns the campaigns of two folders in pairs: in the order of the second one, then those that only the
// first one has.
func pairFolders(ctx context.Context, s cli.Streams, a, b string) (pairs []pair, err error) {
	before, err := campaignsIn(ctx, s, a)
	if err != nil {
		return nil, err
	}
	after, err := campaignsIn(ctx, s, b)
	if err != nil {
		return nil, err
	}
	for _, now := range after {
		i := slices.IndexFunc(before, func(o *fileCampaign) bool { return o.ID != "" && o.ID == now.ID })
		if i < 0 {
			i = slices.IndexFunc(before, func(o *fileCampaign) bool {
				return o.Channel == now.Channel && engine.CampaignName(o.Body) == engine.CampaignName(now.Body) && (o.ID == "" || now.ID == "")
			})
		}
		var was *engine.Campaign
		if i >= 0 {
			was = &before[i].Campaign
			before = slices.Delete(before, i, i+1)
		}
		p, err := newPair(ctx, was, &now.Campaign, now.file)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	for _, was := range before {
		pairs = append(pairs, pair{before: &was.Campaign, file: was.file})
	}
	return pairs, nil
}

// campaignsIn returns the campaigns of the files in a folder; none if there are no files.
func campaignsIn(ctx context.Context, s cli.Streams, dir string) (out []*fileCampaign, err error) {
	for _, file := range campaignfile.Files(dir) {
		if file.Name == dir {
			continue // it has no campaign files
		}
		for _, h := range campaignfile.ReadAll(ctx, s, file) {
			if h.Err != nil {
				return nil, h.Err
			}
			out = append(out, &fileCampaign{Campaign: engine.ParseRecord(h.Body), file: h.Where})
		}
	}
	return out, ctx.Err()
}

// differFailure changes exit code 1 of an error, which is reserved for campaigns that differ.
func differFailure(err error) error {
	if cli.ExitCode(err) == cli.ExitFailed && !errors.Is(err, context.Canceled) {
		return cli.Misuse(err)
	}
	return err
}

// oneCampaign returns the campaign in a file, or with an id if there is no file of that name.
func oneCampaign(ctx context.Context, f *cli.Factory, arg string) (engine.Campaign, error) {
	neither := cli.Misused("%q is neither a file nor a campaign", arg)
	if cli.NamesCampaign(arg) {
		svc, id, err := f.Campaign(ctx, arg)
		switch e := engine.AsError(err); {
		case e != nil && e.Code == engine.NotFound:
			return engine.Campaign{}, neither
		case err != nil:
			return engine.Campaign{}, err
		}
		return svc.Get(ctx, id)
	}
	if arg != cli.Stdin && !cli.Exists(arg) {
		return engine.Campaign{}, neither
	}
	held := campaignfile.ReadAll(ctx, f.Streams, campaignfile.File{Name: arg})
	switch {
	case len(held) > 1:
		return engine.Campaign{}, cli.Misused("%s has %d campaigns; diff compares one", cli.InputName(arg), len(held))
	case held[0].Err != nil:
		return engine.Campaign{}, held[0].Err
	}
	return engine.ParseRecord(held[0].Body), nil
}

// comparedPart returns the part of a campaign that diff compares.
func comparedPart(c engine.Campaign) doc.Value {
	c.Body = contentOf(c.Body)
	return engine.Campaign{Head: engine.Head{Channel: c.Channel, DeliveryType: c.DeliveryType}, Body: c.Body}.Document()
}

// contentOf returns the components of a body, without its request id.
func contentOf(body doc.Value) doc.Value { return body.Delete(doc.P("request_id")) }

// shownChange is a change in the output of --json.
type shownChange struct {
	Path   string    `json:"path"`
	Before doc.Value `json:"before,omitzero"`
	After  doc.Value `json:"after,omitzero"`
}

func shownChanges(changes []doc.Change) []shownChange {
	out := make([]shownChange, len(changes))
	for i, c := range changes {
		out[i] = shownChange{c.Path.String(), c.Before, c.After}
	}
	return out
}

// comparedCampaign is a campaign of a folder in the output of --json.
type comparedCampaign struct {
	File        string        `json:"file"`
	ID          string        `json:"id,omitempty"`
	Name        string        `json:"name,omitempty"`
	State       string        `json:"state"` // same, changed, added or removed
	Differences []shownChange `json:"differences"`
	Unverified  []string      `json:"unverified,omitempty"` // HTML that may be something else than its MJML
}

// state describes what happened to the campaign.
func (p pair) state() string {
	switch {
	case p.before == nil:
		return "added"
	case p.after == nil:
		return "removed"
	case len(p.changes) > 0:
		return "changed"
	}
	return "same"
}

// printPairs prints the pairs; folders reports whether they are campaigns of folders.
func printPairs(p *cli.Printer, pairs []pair, folders, asMarkdown bool) error {
	different := slices.ContainsFunc(pairs, pair.differs)
	var err error
	switch {
	case p.JSON && folders:
		all := make([]comparedCampaign, len(pairs))
		for i, one := range pairs {
			all[i] = comparedCampaign{one.file, one.campaign().ID, engine.CampaignName(one.campaign().Body), one.state(), shownChanges(one.changes), one.doubts}
		}
		err = p.PrintJSON(map[string]any{"same": !different, "campaigns": all})
	case p.JSON:
		out := map[string]any{"same": !different, "differences": shownChanges(pairs[0].changes)}
		if len(pairs[0].doubts) > 0 {
			out["unverified"] = pairs[0].doubts
		}
		err = p.PrintJSON(out)
	case asMarkdown:
		_, err = fmt.Fprint(p.Out, markdown(pairs))
	default:
		for _, one := range pairs {
			indent := ""
			if folders && one.differs() {
				fmt.Fprintln(p.Out, cli.Line(one.file+": "+one.state()+" "+engine.CampaignName(one.campaign().Body)))
				indent = "    "
			}
			for _, l := range append(changeLines(shownChanges(one.changes)), doubtLines(one.doubts)...) {
				fmt.Fprintln(p.Out, indent+l)
			}
		}
	}
	if err == nil && different {
		err = cli.Silent(cli.ExitFailed)
	}
	return err
}

// changeLines returns one line per change.
func changeLines(changes []shownChange) []string {
	var out []string
	for _, c := range changes {
		before, after := cli.Escaped(string(c.Before.Encode())), cli.Escaped(string(c.After.Encode()))
		var l string
		switch {
		case !c.Before.Exists():
			l = "+ " + c.Path + ": " + excerpt(after, 0)
		case !c.After.Exists():
			l = "- " + c.Path + ": " + excerpt(before, 0)
		default:
			from := samePrefix(before, after)
			l = "~ " + c.Path + ": " + excerpt(before, from) + " → " + excerpt(after, from)
		}
		out = append(out, cli.Line(l))
	}
	return out
}

// doubtLines returns one line per doubt about MJML.
func doubtLines(doubts []string) (out []string) {
	for _, d := range doubts {
		out = append(out, cli.Line("! "+d))
	}
	return out
}

// maxExcerpt is the width of a value that is shown, leadExcerpt that of what comes before the difference.
const (
	maxExcerpt  = 60
	leadExcerpt = 16
)

// excerpt returns the part of a long text around from.
func excerpt(s string, from int) string {
	width := ansi.StringWidth(s)
	if width <= maxExcerpt {
		return s
	}
	start := max(0, ansi.StringWidth(s[:min(from, len(s))])-leadExcerpt)
	out := ansi.Cut(s, start, start+maxExcerpt)
	if start > 0 {
		out = "…" + out
	}
	if start+maxExcerpt < width {
		out += "…"
	}
	return out
}

func samePrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
