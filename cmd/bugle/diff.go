package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

func newDiff(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "diff FILE|ID FILE|ID",
		Short: "Compare two campaigns",
		Long: "Compare two campaigns, each by its id or in a file: channel, delivery type and components. Each\n" +
			"difference is a line with its path. Ids, state, people and times are not compared, nor the order\n" +
			"of members. Exits with 0 where nothing differs, with 1 where something does.",
		Example: "  bugle diff 65f0a1b2c3d4e5f60718293a campaigns/spring-sale.yaml\n" +
			"  git show HEAD~1:campaigns/spring-sale.json | bugle diff - campaigns/spring-sale.json",
		Args: exactly(2, "two campaigns: ids, files, or - for standard input"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			ids, _ := f.completeIDs()(cmd, nil, typed)
			return ids, cobra.ShellCompDirectiveDefault // or a file
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == stdin && args[1] == stdin {
				return misused("standard input can be one of the two only")
			}
			var sides [2]doc.Value
			for i, arg := range args {
				c, err := f.oneCampaign(cmd.Context(), arg)
				if err != nil {
					return differFailure(err)
				}
				sides[i] = comparedPart(c)
			}
			return f.printDiff(yamldoc.Changes(sides[0], sides[1]))
		},
	}
}

// differFailure keeps the exit code 1 for campaigns that differ: what could not be compared is misuse.
func differFailure(err error) error {
	if exitCode(err) == exitFailed && !errors.Is(err, context.Canceled) {
		return usageError{err}
	}
	return err
}

// oneCampaign gives the campaign of a file, or of an id where there is no file of that name.
func (f *factory) oneCampaign(ctx context.Context, arg string) (engine.Campaign, error) {
	_, err := os.Stat(arg)
	if arg != stdin && schema.ObjectID.Matches(arg) && errors.Is(err, fs.ErrNotExist) {
		svc, err := f.campaigns(ctx)
		if err != nil {
			return engine.Campaign{}, err
		}
		return svc.Get(ctx, arg)
	}
	held := f.readCampaigns(ctx, arg)
	switch {
	case len(held) > 1:
		return engine.Campaign{}, misused("%s holds %d campaigns, and one is compared", inputName(arg), len(held))
	case held[0].err != nil:
		return engine.Campaign{}, held[0].err
	}
	return engine.ParseRecord(held[0].body), nil
}

// comparedPart gives what of a campaign is compared: what people build, and not whose it is.
func comparedPart(c engine.Campaign) doc.Value {
	c.Body = contentOf(c.Body)
	return engine.Campaign{Head: engine.Head{Channel: c.Channel, DeliveryType: c.DeliveryType}, Body: c.Body}.Document()
}

// contentOf gives the components of a body, without the id of the request that it came with.
func contentOf(body doc.Value) doc.Value { return body.Delete(doc.P("request_id")) }

// shownChange is a change as --json shows it.
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

func (f *factory) printDiff(changes []doc.Change) error {
	if f.json {
		if err := f.printJSON(map[string]any{"same": len(changes) == 0, "differences": shownChanges(changes)}); err != nil {
			return err
		}
	} else {
		for _, l := range changeLines(changes) {
			fmt.Fprintln(f.out, l)
		}
	}
	if len(changes) > 0 {
		return silentError(exitFailed)
	}
	return nil
}

// changeLines gives each change as a line: what is added, removed, or put in the place of what.
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
		out = append(out, line(l))
	}
	return out
}

// maxExcerpt is how much of a value is shown, and leadExcerpt how much of it before what differs.
const (
	maxExcerpt  = 60
	leadExcerpt = 16
)

// excerpt gives the part of a long text at from.
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
