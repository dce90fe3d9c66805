package campaign

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/bulk"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// many is a command that does the same to one or several campaigns.
type many struct {
	op   bulk.Operation
	by   string
	yes  bool
	verb string // of the question
	// asks reports whether the user is asked before a campaign is changed.
	asks func(engine.Summary) bool
	// outcome returns what was done to a campaign, for JSON and for people.
	outcome func(ctx context.Context, svc engine.Service, row engine.Summary, change doc.Change) ([]doc.Member, string, error)
}

// StatusCommands are the commands that change the status of live campaigns.
func StatusCommands(f *cli.Factory) []*cobra.Command {
	return []*cobra.Command{
		newAction(f, catalog.Pause, "pause", false, "Pause campaigns",
			"Nothing is sent until you resume a campaign. One-time campaigns cannot be paused; stop them instead."),
		newAction(f, catalog.Resume, "resume", false, "Resume paused campaigns",
			"A campaign becomes active again, or scheduled if its start time is in the future."),
		newAction(f, catalog.Stop, "stop", false, "Stop one-time campaigns",
			"A stopped campaign cannot be resumed. Periodic and triggered campaigns cannot be stopped; pause them instead."),
	}
}

// NewArchive returns the command bugle archive.
func NewArchive(f *cli.Factory) *cobra.Command {
	return newAction(f, catalog.Archive, "archive", true, "Archive campaigns that were sent or stopped",
		"Archived campaigns are only listed with --archived, until `bugle unarchive` brings them back.")
}

// NewUnarchive returns the command bugle unarchive.
func NewUnarchive(f *cli.Factory) *cobra.Command {
	return newAction(f, catalog.Restore, "unarchive", false, "Bring archived campaigns back", "A campaign gets the state that it had before.")
}

// NewDelete returns the command bugle delete.
func NewDelete(f *cli.Factory) *cobra.Command {
	return newAction(f, catalog.Delete, "delete", true, "Delete drafts for good",
		"A draft is deleted with its history. What was published can only be archived.")
}

// newAction returns the command of a life cycle action. asks reports whether the user is asked before.
func newAction(f *cli.Factory, action engine.Action, name string, asks bool, short, long string) *cobra.Command {
	m := &many{op: bulk.Action{Name: action}, verb: name, asks: func(engine.Summary) bool { return asks }}
	m.outcome = func(ctx context.Context, svc engine.Service, row engine.Summary, _ doc.Change) ([]doc.Member, string, error) {
		did := doc.M("action", doc.NewString(string(action)))
		if action == catalog.Delete {
			return []doc.Member{did}, "Deleted " + row.ID + " " + row.Title(), nil
		}
		c, err := svc.Get(ctx, row.ID)
		return []doc.Member{did, doc.M("status", doc.NewString(string(c.Status)))}, fmt.Sprintf("%s is now %s", row.ID, c.Status), err
	}
	cmd := m.command(f, name, short, long)
	cmd.Example = "  bugle " + name + " 65f0a1b2c3d4e5f60718293a\n" +
		"  bugle search tag:old --all --json |\n    jq -r '.campaigns[].id' | bugle " + name + " -"
	cmd.ValidArgsFunction = f.CompleteCampaigns(func(s engine.Summary) bool {
		ok, _ := catalog.Allowed(action, s.Channel, s.DeliveryType, s.Status)
		return ok
	})
	if asks {
		cmd.Example += " --yes"
		cmd.Flags().BoolVar(&m.yes, "yes", false, name+" without asking")
	}
	return cmd
}

// NewTag returns the command bugle tag.
func NewTag(f *cli.Factory) *cobra.Command {
	var tag bulk.Tag
	m := &many{verb: "change", asks: func(row engine.Summary) bool { return row.Status != catalog.Draft }}
	m.outcome = func(_ context.Context, _ engine.Service, row engine.Summary, change doc.Change) ([]doc.Member, string, error) {
		tags := row.Tags
		if len(change.Path) > 0 {
			tags = change.After.Strings()
		}
		return []doc.Member{doc.M("tags", doc.NewStrings(tags...))}, row.ID + " has the tags " + cmp.Or(strings.Join(tags, ", "), "(none)"), nil
	}
	cmd := m.command(f, "tag", "Add tags to campaigns, or remove them", "The other tags stay. You are asked before a campaign that is not a draft is changed.")
	cmd.Example = "  bugle tag 65f0a1b2c3d4e5f60718293a --add sale,spring --remove winter\n" +
		"  bugle search 'spring status:draft' --all --json |\n    jq -r '.campaigns[].id' | bugle tag - --add spring"
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if m.op = tag; len(tag.Add)+len(tag.Remove) == 0 {
			return cli.Misused("choose tags with --add or --remove")
		}
		return run(cmd, args)
	}
	cmd.Flags().StringSliceVar(&tag.Add, "add", nil, "`tags` to add")
	cmd.Flags().StringSliceVar(&tag.Remove, "remove", nil, "`tags` to remove")
	cli.AddYes(cmd, &m.yes)
	for _, name := range []string{"add", "remove"} {
		if err := cmd.RegisterFlagCompletionFunc(name, f.CompleteTags()); err != nil {
			panic(err) // the flag was defined just above
		}
	}
	return cmd
}

// command returns the command with what all of these share.
func (m *many) command(f *cli.Factory, name, short, long string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name + " ID... | -",
		Short: short,
		Long: long + "\nWith -, the ids are read from standard input, one a line. What the type or the state of a campaign does not\n" +
			"allow is refused, with exit code 4. If it is one of several, the others are done, and the exit code is 1.",
		Args:              cli.SeveralIDs,
		ValidArgsFunction: f.CompleteIDs(),
		RunE:              func(cmd *cobra.Command, args []string) error { return m.run(cmd.Context(), f, args) },
	}
	addBy(cmd, &m.by)
	return cmd
}

func (m *many) run(ctx context.Context, f *cli.Factory, args []string) error {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	if m.by, err = f.Signer(ctx, svc, m.by); err != nil {
		return err
	}
	all, err := f.Several(ctx, svc, args)
	if err != nil {
		return err
	}
	var rows []engine.Summary
	for _, c := range all.Campaigns {
		row := engine.Summarize(c)
		if why := m.op.Blocked(svc, row); why != "" && !engine.IsExternal(svc) { // others know their states better
			all.Fail(row.ID, row.Title(), engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "%s", strings.TrimSuffix(why, ".")))
			continue
		}
		rows = append(rows, row)
	}
	if agreed, err := m.confirm(ctx, f, rows); err != nil {
		return err
	} else if !agreed {
		fmt.Fprintln(f.Out, "No changes made.")
		return nil
	}
	show := cli.Progress(f.Streams, "Done with", "campaign")
	report := bulk.Run(ctx, svc, m.op, rows, m.by, func(p bulk.Progress) { show(p.Done) })
	show(-1)
	for _, no := range report.Failed {
		all.Fail(no.Row.ID, no.Row.Title(), no.Err)
	}
	for i, id := range report.Done {
		row := rows[slices.IndexFunc(rows, func(r engine.Summary) bool { return r.ID == id })]
		result, said, err := m.outcome(ctx, svc, row, report.Changes[i])
		if err != nil {
			all.Fail(id, row.Title(), err)
			continue
		}
		if !f.JSON {
			fmt.Fprintln(f.Out, cli.Line(said))
			continue
		}
		head := []doc.Member{doc.M("id", doc.NewString(id)), doc.M("name", doc.NewString(row.Name))}
		all.Results = append(all.Results, doc.NewObject(append(head, result...)...))
	}
	for _, left := range report.Skipped {
		all.Fail(left.Row.ID, left.Row.Title(), context.Canceled)
	}
	return all.End()
}

// confirm reports whether the user agrees to what needs a question.
func (m *many) confirm(ctx context.Context, f *cli.Factory, rows []engine.Summary) (bool, error) {
	asked := slices.DeleteFunc(slices.Clone(rows), func(r engine.Summary) bool { return !m.asks(r) })
	if m.yes || len(asked) == 0 {
		return true, nil
	}
	what := m.verb + " " + cli.Names(asked)
	return f.Confirm(ctx, cli.Line(strings.ToUpper(what[:1])+what[1:]+"?"), "to "+cli.Line(what))
}
