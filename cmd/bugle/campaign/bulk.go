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
	"bugle/engine/phrase"
)

// many is a command that does the same to one or several campaigns.
type many struct {
	op     bulk.Operation
	action catalog.Action // that it does; [catalog.Edit] for other changes
	by     string
	yes    bool
	// asks reports whether the user is asked before that is done to a campaign.
	asks func(context.Context, engine.Service, engine.Summary) bool
	// outcome returns what was done to a campaign, for JSON and for people.
	outcome func(ctx context.Context, svc engine.Service, row engine.Summary, change doc.Change) ([]doc.Member, string, error)
}

// ActionCommands are the commands that change the state of campaigns, but for publish.
func ActionCommands(f *cli.Factory) (out []*cobra.Command) {
	for _, a := range []struct {
		action      catalog.Action
		name, short string
		long        string
	}{
		{catalog.Pause, "pause", "Pause campaigns",
			"Nothing is sent until you resume a campaign. One-time campaigns cannot be paused; stop them instead."},
		{catalog.Resume, "resume", "Resume paused campaigns",
			"A campaign becomes active again, or scheduled if its start time is in the future."},
		{catalog.Stop, "stop", "Stop one-time campaigns",
			"A stopped campaign cannot be resumed. Periodic and triggered campaigns cannot be stopped; pause them instead."},
		{catalog.Archive, "archive", "Archive campaigns that were sent or stopped",
			"Archived campaigns are only listed with --archived, until `bugle unarchive` brings them back."},
		{catalog.Restore, "unarchive", "Bring archived campaigns back",
			"A campaign gets the state that it had before."},
		{catalog.Delete, "delete", "Delete drafts for good",
			"A draft is deleted with its history. What was published can only be archived."},
	} {
		out = append(out, newAction(f, a.action, a.name, a.short, a.long))
	}
	return out
}

// newAction returns the command of a life cycle action. All are asked about, but for bringing back from the archive.
func newAction(f *cli.Factory, action engine.Action, name, short, long string) *cobra.Command {
	asks := action != catalog.Restore
	m := &many{op: bulk.Action{Name: action}, action: action, asks: func(context.Context, engine.Service, engine.Summary) bool { return asks }}
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
		cli.AddYes(cmd, &m.yes)
	}
	return cmd
}

// NewTag returns the command bugle tag.
func NewTag(f *cli.Factory) *cobra.Command {
	var tag bulk.Tag
	m := &many{action: catalog.Edit}
	m.asks = func(_ context.Context, _ engine.Service, row engine.Summary) bool { return row.Status != catalog.Draft }
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
	cli.AddBy(cmd, &m.by)
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
	if agreed, err := m.confirm(ctx, f, svc, rows); err != nil {
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
func (m *many) confirm(ctx context.Context, f *cli.Factory, svc engine.Service, rows []engine.Summary) (bool, error) {
	asked := slices.DeleteFunc(slices.Clone(rows), func(r engine.Summary) bool { return !m.asks(ctx, svc, r) })
	if m.yes || len(asked) == 0 {
		return true, nil
	}
	verb := strings.ToLower(m.action.Label())
	if m.action == catalog.Edit {
		verb = "change"
	}
	what := verb + " " + cli.Names(asked)
	question := phrase.Capitalize(what) + "?"
	if f.CanAsk() {
		var said []string
		for _, row := range asked {
			if s := effect(ctx, svc, row, m.action); !slices.Contains(said, s) {
				said = append(said, s)
			}
		}
		question += " " + strings.Join(said, " ")
	}
	return f.Confirm(ctx, cli.Line(question), "to "+cli.Line(what))
}
