package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// SeveralIDs requires the ids of campaigns, or - alone.
func SeveralIDs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || len(args) > 1 && slices.Contains(args, Stdin) {
		return Misused("%s", Takes(cmd, "the IDs of campaigns, or - for standard input"))
	}
	return nil
}

// Several is the result of a command for one or several campaigns.
type Several struct {
	Campaigns []engine.Campaign // that the user has named
	Results   []doc.Value       // for JSON, of what succeeded

	f      *Factory
	alone  bool // the user named one campaign
	failed []failed
}

// failed is a campaign for which a command failed.
type failed struct {
	ID    string  `json:"id"` // as the user wrote it, if there is no such campaign
	Name  string  `json:"name,omitempty"`
	Error Failure `json:"error"`
	err   error
}

// Several reads the campaigns that the arguments, or the lines of standard input, name. Those that do not exist are among the
// failures of the result; a name that could be several campaigns is an error.
func (f *Factory) Several(ctx context.Context, svc engine.Service, args []string) (*Several, error) {
	names := args
	if args[0] == Stdin {
		text, err := f.ReadText(ctx, Stdin)
		if err != nil {
			return nil, err
		}
		if names = strings.Fields(text); len(names) == 0 {
			return nil, Misused("standard input has no ids")
		}
	}
	s := &Several{f: f, alone: len(args) == 1 && args[0] != Stdin}
	find := NewFinder(svc)
	for _, name := range names {
		id, err := find.ID(ctx, name)
		var c engine.Campaign
		if err == nil {
			c, err = svc.Get(ctx, id)
		}
		known := func(o engine.Campaign) bool { return o.ID == c.ID }
		switch e := engine.AsError(err); {
		case err == nil && !slices.ContainsFunc(s.Campaigns, known):
			s.Campaigns = append(s.Campaigns, c)
		case err == nil:
		case e != nil && e.Code == engine.NotFound:
			s.Fail(name, "", err)
		default:
			return nil, err
		}
	}
	return s, nil
}

// Fail adds a campaign for which the command failed.
func (s *Several) Fail(id, name string, err error) {
	s.failed = append(s.failed, failed{id, name, FailureOf(err), err})
}

// End prints the results, if there are any, and the failures. For one campaign that the user named alone, it prints its result
// or returns its error.
func (s *Several) End() error {
	switch {
	case s.alone && len(s.failed) > 0:
		return s.failed[0].err
	case s.alone && len(s.Results) > 0:
		return s.f.PrintDoc(s.Results[0])
	}
	if !s.f.JSON {
		for _, no := range s.failed {
			who := no.ID
			if no.Name != "" {
				who = fmt.Sprintf("%s (%s)", no.Name, no.ID)
			}
			fmt.Fprintln(s.f.Err, "bugle: "+Clean(who+": "+no.Error.Text()))
		}
	}
	if s.f.JSON || len(s.Results) > 0 {
		if err := s.print(); err != nil {
			return err
		}
	}
	if len(s.failed) > 0 {
		return Silent(ExitFailed)
	}
	return nil
}

// print prints an object with all results and, for --json, the failures.
func (s *Several) print() error {
	out := []doc.Member{doc.M("campaigns", doc.NewArray(s.Results...))}
	if s.f.JSON && len(s.failed) > 0 {
		v, err := Doc(s.failed)
		if err != nil {
			return err
		}
		out = append(out, doc.M("failed", v))
	}
	return s.f.PrintDoc(doc.NewObject(out...))
}

// Names lists the names of campaigns in a sentence: the first ones, and how many more.
func Names(rows []engine.Summary) string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = cmp.Or(r.Name, r.ID)
	}
	return phrase.List(names, 5)
}
