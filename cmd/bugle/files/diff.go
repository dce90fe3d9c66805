package files

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/doc"
)

// NewDiff returns the command bugle diff.
func NewDiff(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "diff FILE|ID FILE|ID",
		Short: "Compare two campaigns",
		Long: "Each campaign is an id or a file. Channel, delivery type and components are compared; ids, state,\n" +
			"authors, times and the order of fields are not. Exits with 0 if they are equal, and with 1 if not.",
		Example: "  bugle diff 65f0a1b2c3d4e5f60718293a campaigns/spring-sale.yaml\n" +
			"  git show HEAD~1:campaigns/spring-sale.json | bugle diff - campaigns/spring-sale.json",
		Args: cli.Exactly(2, "two campaigns, each an ID, a file, or - for standard input"),
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
			var sides [2]doc.Value
			for i, arg := range args {
				c, err := oneCampaign(cmd.Context(), f, arg)
				if err != nil {
					return differFailure(err)
				}
				sides[i] = comparedPart(c)
			}
			return printDiff(&f.Printer, yamldoc.Changes(sides[0], sides[1]))
		},
	}
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
	if cli.IsID(arg) {
		svc, err := f.Campaigns(ctx)
		if err != nil {
			return engine.Campaign{}, err
		}
		return svc.Get(ctx, arg)
	}
	if arg != cli.Stdin && !cli.Exists(arg) {
		return engine.Campaign{}, cli.Misused("%q is neither a file nor the ID of a campaign", arg)
	}
	held := cli.ReadCampaigns(ctx, f.Streams, arg)
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
	Path   string     `json:"path"`
	Before *doc.Value `json:"before,omitempty"`
	After  *doc.Value `json:"after,omitempty"`
}

func shownChanges(changes []doc.Change) []shownChange {
	out := make([]shownChange, len(changes))
	for i, c := range changes {
		out[i].Path = c.Path.String()
		if c.Before.Exists() {
			out[i].Before = &changes[i].Before
		}
		if c.After.Exists() {
			out[i].After = &changes[i].After
		}
	}
	return out
}

func printDiff(p *cli.Printer, changes []doc.Change) error {
	if p.JSON {
		if err := p.PrintJSON(map[string]any{"same": len(changes) == 0, "differences": shownChanges(changes)}); err != nil {
			return err
		}
	} else {
		for _, l := range changeLines(changes) {
			fmt.Fprintln(p.Out, l)
		}
	}
	if len(changes) > 0 {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// changeLines returns one line per change.
func changeLines(changes []doc.Change) []string {
	var out []string
	for _, c := range changes {
		before, after := string(c.Before.Encode()), string(c.After.Encode())
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

// maxExcerpt is the number of characters of a value that are shown, leadExcerpt the number of those before the
// difference.
const (
	maxExcerpt  = 60
	leadExcerpt = 16
)

// excerpt returns the part of a long text around from.
func excerpt(s string, from int) string {
	if utf8.RuneCountInString(s) <= maxExcerpt {
		return s
	}
	runes := []rune(s)
	start := max(0, utf8.RuneCountInString(s[:min(from, len(s))])-leadExcerpt)
	start = min(start, len(runes)-1)
	end := min(start+maxExcerpt, len(runes))
	var b strings.Builder
	if start > 0 {
		b.WriteString("…")
	}
	b.WriteString(string(runes[start:end]))
	if end < len(runes) {
		b.WriteString("…")
	}
	return b.String()
}

func samePrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
