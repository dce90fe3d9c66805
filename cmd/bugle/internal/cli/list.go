package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// Limit is how many items a list command prints: the flags --limit and --all.
type Limit struct {
	n   int
	all bool
}

// AddTo adds the flags to a command, which prints n items without them.
func (l *Limit) AddTo(cmd *cobra.Command, n int) {
	cmd.Flags().IntVarP(&l.n, "limit", "l", n, "`number` of items")
	cmd.Flags().BoolVarP(&l.all, "all", "a", false, "list all of them")
	cmd.MarkFlagsMutuallyExclusive("limit", "all")
}

// Check returns an error for a limit that makes no sense.
func (l *Limit) Check() error {
	if !l.all && l.n < 1 {
		return Misused("--limit must be at least 1")
	}
	return nil
}

// Ask returns how many items to read of a list that can be long: one more than are printed, or 0 for all.
func (l *Limit) Ask() int {
	if l.all {
		return 0
	}
	return l.n + 1
}

// List is what a list command prints.
type List struct {
	Name   string // of the items in JSON
	Noun   string // one item
	Head   []string
	Empty  string       // a sentence for no items
	Before []doc.Member // of the JSON, before the items
	Partly bool         // only as many items were added as [Limit.Ask] returns

	items []doc.Value
	rows  [][]string
}

// Add adds an item: its JSON, and its row of the table.
func (l *List) Add(item doc.Value, row ...string) {
	l.items = append(l.items, item)
	l.rows = append(l.rows, row)
}

// PrintList prints a list, as far as limit allows, which may be nil.
func (p *Printer) PrintList(l List, limit *Limit) error {
	total, n := len(l.items), len(l.items)
	if limit != nil && !limit.all {
		n = min(n, limit.n)
	}
	if p.JSON {
		out := append(l.Before, doc.M(l.Name, doc.NewArray(l.items[:n]...)))
		if limit != nil && (total == n || !l.Partly) {
			out = append(out, doc.M("total", doc.NewInt(int64(total))))
		}
		if limit != nil {
			out = append(out, doc.M("more", doc.NewBool(total > n)))
		}
		return p.PrintDoc(doc.NewObject(out...))
	}
	if total == 0 {
		fmt.Fprintln(p.Err, l.Empty)
		return nil
	}
	if err := p.Rows(l.Head, l.rows[:n]); err != nil {
		return err
	}
	if total > n {
		what := "The first " + phrase.Count(n, l.Noun)
		if !l.Partly {
			what = fmt.Sprintf("%d of %s", n, phrase.Count(total, l.Noun))
		}
		fmt.Fprintf(p.Err, "%s; list them all with --all.\n", what)
	}
	return nil
}

// Complete completes the first argument of a command with the ids of candidates.
func Complete(args []string, from []Candidate) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, c := range from {
			out = append(out, cobra.CompletionWithDesc(Line(c.ID), Line(c.About)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// Doc returns a value as a document with its JSON.
func Doc(v any) (doc.Value, error) {
	text, err := indented(v)
	if err != nil {
		return doc.Value{}, err
	}
	out, err := doc.Parse([]byte(text))
	if err != nil {
		return out, fmt.Errorf("writing JSON: %w", err)
	}
	return out, nil
}
