package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc/yamldoc"
)

// NewHistory returns the command bugle history.
func NewHistory(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "history",
		Short:   "Show and restore versions of a campaign",
		Long:    "Each save of a campaign is a version. The first one, the newest 1,000 and every change of state are kept.",
		Example: "  bugle history list 65f0a1b2c3d4e5f60718293a\n  bugle history restore 65f0a1b2c3d4e5f60718293a 3",
	}
	cmd.AddCommand(newHistoryList(f), newHistoryShow(f), newHistoryDiff(f), newHistoryRestore(f))
	return cmd
}

func newHistoryList(f *cli.Factory) *cobra.Command {
	var limit cli.Limit
	cmd := &cobra.Command{
		Use:               "list ID",
		Short:             "List the versions of a campaign, newest first",
		Long:              "Prints the number of each version, who saved it and when, and what changed.",
		Example:           "  bugle history list 65f0a1b2c3d4e5f60718293a",
		Args:              cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := limit.Check(); err != nil {
				return err
			}
			h, err := openHistory(cmd.Context(), f, args)
			if err != nil {
				return err
			}
			all, err := h.reader.Revisions(cmd.Context(), h.id)
			if err != nil {
				return err
			}
			l := cli.List{Name: "versions", Noun: "version", Head: []string{"VERSION", "SAVED (UTC)", "BY", "CHANGE"}}
			for _, r := range all {
				v, err := cli.Doc(r)
				if err != nil {
					return err
				}
				l.Add(v, strconv.FormatInt(r.N, 10), r.At.UTC().Format(time.DateTime), r.By, r.Note)
			}
			return f.PrintList(l, &limit)
		},
	}
	limit.AddTo(cmd, 100)
	return cmd
}

func newHistoryShow(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "show ID VERSION",
		Short:             "Print a version of a campaign as JSON",
		Long:              "Prints the campaign as it was, as `bugle get` does.",
		Example:           "  bugle history show 65f0a1b2c3d4e5f60718293a 3",
		Args:              cli.Exactly(2, "the ID of a campaign and the number of a version"),
		ValidArgsFunction: completeVersions(f, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := openHistory(cmd.Context(), f, args)
			if err != nil {
				return err
			}
			return f.PrintDoc(h.versions[0].Record())
		},
	}
}

func newHistoryDiff(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "diff ID VERSION [VERSION]",
		Short: "Compare versions of a campaign",
		Long: "Compares a version with another one, or with the campaign as it is now. Exits with 0 if they are equal, and with\n" +
			"1 if not.",
		Example:           "  bugle history diff 65f0a1b2c3d4e5f60718293a 3\n  bugle history diff 65f0a1b2c3d4e5f60718293a 3 5",
		Args:              cli.Between(2, 3, "the ID of a campaign and the numbers of one or two versions"),
		ValidArgsFunction: completeVersions(f, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := openHistory(cmd.Context(), f, args)
			if err != nil {
				return differFailure(err)
			}
			if len(h.versions) == 1 {
				now, err := h.svc.Get(cmd.Context(), h.id)
				if err != nil {
					return differFailure(err)
				}
				h.versions = append(h.versions, now)
			}
			p, err := newPair(cmd.Context(), &h.versions[0], &h.versions[1], h.id)
			if err != nil {
				return err
			}
			return printPairs(&f.Printer, []pair{p}, false)
		},
	}
}

func newHistoryRestore(f *cli.Factory) *cobra.Command {
	var by string
	var yes bool
	cmd := &cobra.Command{
		Use:   "restore ID VERSION",
		Short: "Restore a version of a campaign",
		Long: "The campaign gets the content of the version, and the current one stays in the history. Unless it is a draft, it\n" +
			"must stay valid, and you are asked before it is changed; without a terminal, use --yes.",
		Example:           "  bugle history restore 65f0a1b2c3d4e5f60718293a 3",
		Args:              cli.Exactly(2, "the ID of a campaign and the number of a version"),
		ValidArgsFunction: completeVersions(f, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := openHistory(cmd.Context(), f, args)
			if err != nil {
				return err
			}
			if by, err = f.Signer(cmd.Context(), h.svc, by); err != nil {
				return err
			}
			return h.restore(cmd.Context(), f, by, yes)
		},
	}
	cli.AddBy(cmd, &by)
	cli.AddYes(cmd, &yes)
	return cmd
}

// restore puts the content of an earlier version back into the campaign.
func (h history) restore(ctx context.Context, f *cli.Factory, by string, yes bool) error {
	now, err := h.svc.Get(ctx, h.id)
	if err != nil {
		return err
	}
	body := h.versions[0].Body
	s := &step{ID: now.ID, Name: engine.CampaignName(body), Changes: yamldoc.Changes(now.Body, body)}
	saver, ok := h.svc.(engine.DraftSaver)
	switch {
	case len(s.Changes) == 0:
	case ok && now.Status == catalog.Draft: // also components that the version did not have are removed
		_, err = saver.Save(ctx, engine.SaveRequest{ID: now.ID, Revision: now.Revision, Body: body, By: by, Note: fmt.Sprintf("restored version %d", h.numbers[0])})
	default:
		var up engine.Updated
		if up, err = f.Update(ctx, h.svc, now, body, by, len(s.Changes), yes); up.ID == "" {
			s.Changes = nil
		}
		s.ID = cmp.Or(up.ID, s.ID)
	}
	if err != nil {
		return err
	}
	return printChanged(&f.Printer, s)
}

// history is a campaign and the versions of it that a user has named.
type history struct {
	svc      engine.Service
	reader   engine.RevisionReader
	id       string
	numbers  []int64
	versions []engine.Campaign
}

// openHistory opens the campaign in the first argument, and its versions in the others.
func openHistory(ctx context.Context, f *cli.Factory, args []string) (h history, err error) {
	for _, arg := range args[1:] {
		n, err := strconv.ParseInt(arg, 10, 64)
		if err != nil {
			return h, cli.Misused("%q must be the number of a version, as `bugle history list` shows it", arg)
		}
		h.numbers = append(h.numbers, n)
	}
	if h.svc, h.id, err = f.Campaign(ctx, args[0]); err != nil {
		return h, err
	}
	var ok bool
	if h.reader, ok = h.svc.(engine.RevisionReader); !ok {
		return h, errors.New("this service keeps no versions")
	}
	for _, n := range h.numbers {
		c, err := h.reader.Revision(ctx, h.id, n)
		if err != nil {
			return h, err
		}
		h.versions = append(h.versions, c)
	}
	return h, nil
}

// completeVersions completes the id of a campaign, and then up to most numbers of its versions.
func completeVersions(f *cli.Factory, most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			return f.CompleteIDs()(cmd, args, typed)
		}
		if h, err := openHistory(cmd.Context(), f, args[:1]); err == nil && len(args) <= most {
			all, _ := h.reader.Revisions(cmd.Context(), h.id) // a shell cannot show errors
			for _, r := range all {
				out = append(out, cobra.CompletionWithDesc(strconv.FormatInt(r.N, 10), cli.Line(fmt.Sprintf("%s %s", r.At.UTC().Format("2006-01-02 15:04"), r.Note))))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
