package files

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// updating holds the flags of update.
type updating struct {
	by         string
	force, yes bool
}

// NewUpdate returns the command bugle update.
func NewUpdate(f *cli.Factory) *cobra.Command {
	var u updating
	cmd := &cobra.Command{
		Use:   "update [ID] FILE|-",
		Short: "Update a campaign from a file",
		Long: "Each component in the JSON or YAML file replaces the one in the campaign; what changes is printed. Components\n" +
			"that are not in the file stay as they are. The file can be the output of `bugle get`, which includes the id, or\n" +
			"the body of the API's update request.\n\n" +
			"If the file has the revision that `bugle get` or `bugle export` wrote into it, and somebody else changed the\n" +
			"campaign since then, nothing is changed and the exit code is 1. The new revision is written into the file.\n\n" +
			"Unless the campaign is a draft, it must be valid as for publishing, and you are asked before it is changed.",
		Example: "  bugle update 65f0a1b2c3d4e5f60718293a changes.json\n" +
			"  bugle get 65f0a1b2c3d4e5f60718293a | sed s/Spring/Summer/ | bugle update -",
		Args:              cli.Between(1, 2, "the ID of a campaign, and a file or - for standard input"),
		ValidArgsFunction: f.CompleteIDsOrFiles(),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := args[len(args)-1]
			if len(args) == 2 {
				return u.run(cmd.Context(), f, args[0], file)
			}
			if cli.NamesCampaign(file) {
				return cli.Misused("what should change? `bugle update %s FILE` takes a file, or - for standard input", file)
			}
			return u.run(cmd.Context(), f, "", file)
		},
	}
	cli.AddBy(cmd, &u.by)
	cli.AddYes(cmd, &u.yes)
	cli.AddForce(cmd, &u.force, "overwrite what somebody else changed since the file was written")
	return cmd
}

// run updates the campaign with a name, or else that of the file.
func (u updating) run(ctx context.Context, f *cli.Factory, name, file string) error {
	h := campaignfile.Read(ctx, f.Streams, campaignfile.File{Name: file})
	if h.Err != nil {
		return h.Err
	}
	rec := engine.ParseRecord(h.Body)
	if name == "" && rec.ID == "" {
		return cli.Misused("%s has no id; use `bugle update ID %s`", cli.InputName(file), file)
	}
	svc, id, err := f.Campaign(ctx, cmp.Or(name, rec.ID))
	if err != nil {
		return err
	}
	if rec.ID != "" && rec.ID != id {
		return cli.Misused("%s has campaign %s, not %s", cli.InputName(file), rec.ID, id)
	}
	p, err := newPlanner(ctx, f, svc, u.by, u.force)
	if err != nil {
		return err
	}
	s := p.change(ctx, h, id)
	if s.err != nil {
		return s.err
	}
	agreed, err := p.carryOut(ctx, s, u.yes)
	if err == nil && !agreed {
		fmt.Fprintln(f.Out, "No changes made.")
	}
	return cli.OrForce(err, "overwrite it")
}

// carryOut makes the one change that was planned, and prints it. It reports false if the user does not want it.
func (p *planner) carryOut(ctx context.Context, s *step, yes bool) (bool, error) {
	if s.Action == actionUnchanged {
		return true, printChanged(&p.f.Printer, s)
	}
	agreed, err := p.f.ConfirmChange(ctx, p.svc, s.after, len(s.Changes), yes)
	if err != nil || !agreed {
		return false, err
	}
	if err := p.step(ctx, s); err != nil {
		return true, err
	}
	s.held.NoteRevision(ctx, p.f.Streams, p.svc, s.updated)
	return true, printChanged(&p.f.Printer, s)
}
