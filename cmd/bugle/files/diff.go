package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/message/mjml"
)

// NewDiff returns the command bugle diff.
func NewDiff(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "diff FILE|ID|DIR FILE|ID|DIR",
		Short: "Compare campaigns",
		Long: "Each campaign is an id or a file. Channel, delivery type and components are compared; ids, state,\n" +
			"authors, times and the order of fields are not. Of two folders with several campaigns, those with the same id,\n" +
			"or else the same channel and name, are compared. Exits with 0 if they are equal, and with 1 if not.",
		Example: "  bugle diff 65f0a1b2c3d4e5f60718293a campaigns/spring-sale.yaml\n" +
			"  git show HEAD~1:campaigns/spring-sale.json | bugle diff - campaigns/spring-sale.json\n" +
			"  bugle diff main/campaigns campaigns",
		Args: cli.Exactly(2, "two campaigns, each an ID, a file, a folder, or - for standard input"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			ids, _ := f.CompleteIDs()(cmd, nil, typed)
			return ids, cobra.ShellCompDirectiveDefault // or a file
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == cli.Stdin && args[1] == cli.Stdin {
				return cli.Misused("only one of the two can be standard input")
			}
			return compare(cmd.Context(), f, args[0], args[1])
		},
	}
}

// compare compares two campaigns, or those of two folders.
func compare(ctx context.Context, f *cli.Factory, a, b string) error {
	if campaignfile.IsFolder(a) && campaignfile.IsFolder(b) {
		pairs, err := pairFolders(ctx, f.Streams, a, b)
		if err != nil {
			return differFailure(err)
		}
		return printPairs(&f.Printer, pairs, true)
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
	return printPairs(&f.Printer, []pair{p}, false)
}

// The states of a pair.
const (
	stateSame    = "same"
	stateChanged = "changed"
	stateAdded   = "added"
	stateRemoved = "removed"
)

// pair is a campaign before and after.
type pair struct {
	File    string       `json:"file"` // of the later one, or else of the earlier one
	ID      string       `json:"id,omitempty"`
	Name    string       `json:"name,omitempty"`
	State   string       `json:"state"`
	Changes []doc.Change `json:"differences"`
	Doubts  []string     `json:"unverified,omitempty"` // about HTML that may be something else than its MJML
}

// newPair compares two campaigns, of which one may be nil.
func newPair(ctx context.Context, before, after *engine.Campaign, file string) (pair, error) {
	later := cmp.Or(after, before)
	p := pair{File: file, ID: later.ID, Name: engine.CampaignName(later.Body), State: stateSame, Changes: []doc.Change{}}
	if after == nil {
		p.State = stateRemoved
		return p, nil
	}
	var was doc.Value
	if before != nil {
		was = comparedPart(*before)
	}
	now, table := comparedPart(*after), catalog.Campaign(after.Channel)
	doubts, err := mjml.Doubts(ctx, table, was, now)
	if err != nil || before == nil {
		p.State, p.Doubts = stateAdded, clauses(doubts)
		return p, err
	}
	earlier, err := mjml.Doubts(ctx, table, now, was)
	doubts = append(doubts, earlier...)
	p.Doubts = clauses(doubts)
	for _, c := range yamldoc.Changes(was, now) {
		if c.Before.Kind() == doc.String && c.After.Kind() == doc.String && mjml.InField(table.At(c.Path)) {
			before, after := mjml.Editable(c.Before.Text()), mjml.Editable(c.After.Text())
			doubted := slices.ContainsFunc(doubts, func(d mjml.Doubt) bool { return d.Path.Equal(c.Path) })
			switch source := mjml.IsSource(c.Before.Text()) || mjml.IsSource(c.After.Text()); {
			case before == after && (source || !doubted): // MJML in a file, and what was compiled from it
				continue
			case !doubted: // what people edit, rather than what was compiled from it
				c.Before, c.After = doc.NewString(before), doc.NewString(after)
			}
		}
		p.Changes = append(p.Changes, c)
	}
	if len(p.Changes) > 0 {
		p.State = stateChanged
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
	pairs = []pair{}
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
		p, err := newPair(ctx, &was.Campaign, nil, was.file)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// campaignsIn returns the campaigns of the files in a folder; none if there are no files.
func campaignsIn(ctx context.Context, s cli.Streams, dir string) (out []*fileCampaign, err error) {
	for _, file := range campaignfile.Files(dir) {
		if file.Name == dir {
			continue // it has no campaign files
		}
		h := campaignfile.Read(ctx, s, file)
		if h.Err != nil {
			return nil, h.Err
		}
		out = append(out, &fileCampaign{Campaign: engine.ParseRecord(h.Body), file: h.Where})
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
	h := campaignfile.Read(ctx, f.Streams, campaignfile.File{Name: arg})
	return engine.ParseRecord(h.Body), h.Err
}

// comparedPart returns the part of a campaign that diff compares.
func comparedPart(c engine.Campaign) doc.Value {
	c.Body = contentOf(c.Body)
	return engine.Campaign{Head: engine.Head{Channel: c.Channel, DeliveryType: c.DeliveryType}, Body: c.Body}.Document()
}

// contentOf returns the components of a body, without its request id.
func contentOf(body doc.Value) doc.Value { return body.Delete(doc.P("request_id")) }

// printPairs prints the pairs; of those of folders, with their names.
func printPairs(p *cli.Printer, pairs []pair, folders bool) error {
	different := slices.ContainsFunc(pairs, func(one pair) bool { return one.State != stateSame })
	if p.JSON {
		if err := p.PrintJSON(map[string]any{"same": !different, "campaigns": pairs}); err != nil {
			return err
		}
	} else {
		for _, one := range pairs {
			one.print(p, folders)
		}
	}
	if different {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// print prints what differs for people, named below its file.
func (p pair) print(to *cli.Printer, named bool) {
	indent := ""
	if named && p.State != stateSame {
		fmt.Fprintln(to.Out, cli.Line(p.File+": "+p.State+" "+p.Name))
		indent = "    "
	}
	for _, l := range append(changeLines(p.Changes), doubtLines(p.Doubts)...) {
		fmt.Fprintln(to.Out, indent+l)
	}
}

// changeLines returns one line per change.
func changeLines(changes []doc.Change) []string {
	var out []string
	for _, c := range changes {
		before, after := cli.Escaped(string(c.Before.Encode())), cli.Escaped(string(c.After.Encode()))
		var l string
		switch {
		case !c.Before.Exists():
			l = "+ " + c.Path.String() + ": " + excerpt(after, 0)
		case !c.After.Exists():
			l = "- " + c.Path.String() + ": " + excerpt(before, 0)
		default:
			from := samePrefix(before, after)
			l = "~ " + c.Path.String() + ": " + excerpt(before, from) + " → " + excerpt(after, from)
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
