package campaign

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/check"
)

// NewPublish returns the command bugle publish.
func NewPublish(f *cli.Factory) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "publish ID",
		Short: "Publish a draft",
		Long: "The whole campaign is checked first, then goes live now or at its start time. Warnings of `bugle check` are\n" +
			"printed, and do not stop it.\n" +
			"Publishing through the API is in beta and off by default; turn it on for the workspace with\n" +
			"`bugle workspace put general publish=enabled`. The terminal program can always publish.",
		Example:           "  bugle validate 65f0a1b2c3d4e5f60718293a && bugle publish 65f0a1b2c3d4e5f60718293a",
		Args:              cli.Exactly(1, "the ID of a draft"),
		ValidArgsFunction: f.CompleteIDs(catalog.Draft),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Campaigns(cmd.Context())
			if err != nil {
				return err
			}
			if by, err = f.Signer(cmd.Context(), svc, by); err != nil {
				return err
			}
			warnings, err := warningsOf(cmd.Context(), f, svc, args[0])
			if err != nil {
				warnings = nil // the service says what is wrong
			}
			for _, found := range warnings {
				if found.Severity == check.Warning && !f.JSON {
					fmt.Fprintln(f.Err, "bugle: warning: "+cli.FindingLine(found))
				}
			}
			up, err := svc.Publish(cmd.Context(), engine.PublishRequest{ID: args[0], By: by})
			if err != nil {
				return betaRemedy(cmd, svc, refused(cmd.Context(), f, svc, args[0], catalog.Publish, err))
			}
			return printState(f, cmd, svc, up.ID, map[string]any{"warnings": check.Documents(warnings)})
		},
	}
	addBy(cmd, &by)
	return cmd
}

// betaRemedy adds to a refusal how to turn publishing on, if that is the reason.
func betaRemedy(cmd *cobra.Command, svc engine.Service, err error) error {
	k, ok := svc.(engine.WorkspaceStore)
	if !ok {
		return err
	}
	w, werr := k.Workspace(cmd.Context())
	if werr != nil || engine.AsError(err) == nil || engine.AsError(err).Code != engine.Unprocessable || w.Publish == engine.PublishEnabled {
		return err
	}
	return cli.WithRemedy(err, "Turn it on with `bugle workspace put general publish="+engine.PublishEnabled+"`.")
}

// StatusCommands are the commands that change the status of a live campaign.
func StatusCommands(f *cli.Factory) []*cobra.Command {
	return []*cobra.Command{
		newStatusChange(f, catalog.Pause, "Pause a campaign",
			"Nothing is sent until you resume the campaign. One-time campaigns cannot be paused; stop them instead."),
		newStatusChange(f, catalog.Resume, "Resume a paused campaign", "The campaign becomes active again, or scheduled if its start time is in the future."),
		newStatusChange(f, catalog.Stop, "Stop a one-time campaign",
			"A stopped campaign cannot be resumed. Periodic and triggered campaigns cannot be stopped; pause them\n"+
				"instead."),
	}
}

func newStatusChange(f *cli.Factory, action engine.Action, short, long string) *cobra.Command {
	var by string
	name := strings.ToLower(string(action))
	cmd := &cobra.Command{
		Use:   name + " ID",
		Short: short,
		Long:  long + "\nExits with 4 if the type or the state of the campaign does not allow it.",
		Example: "  bugle " + name + " 65f0a1b2c3d4e5f60718293a\n" +
			"  bugle " + name + " 65f0a1b2c3d4e5f60718293a --json",
		Args: cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteCampaigns(func(s engine.Summary) bool {
			ok, _ := catalog.Allowed(action, s.Channel, s.DeliveryType, s.Status)
			return ok
		}),
		RunE: func(cmd *cobra.Command, args []string) error { return changeStatus(cmd, f, args[0], action, by) },
	}
	addBy(cmd, &by)
	return cmd
}

// addBy adds the flag for the person who makes a change.
func addBy(cmd *cobra.Command, by *string) {
	cmd.Flags().StringVar(by, "by", "", "`email` address to sign the change with (default the author of the workspace)")
}

func changeStatus(cmd *cobra.Command, f *cli.Factory, id string, action engine.Action, by string) error {
	svc, err := f.Campaigns(cmd.Context())
	if err != nil {
		return err
	}
	if by, err = f.Signer(cmd.Context(), svc, by); err != nil {
		return err
	}
	done, err := svc.ChangeStatus(cmd.Context(), engine.StatusRequest{ID: id, Action: action, By: by})
	if err != nil {
		return refused(cmd.Context(), f, svc, id, action, err)
	}
	return printState(f, cmd, svc, done.ID, map[string]any{"action": done.Action})
}

// refused returns the reason for a refused action, in the words of the screens if the life cycle is the reason. Errors
// of remote services and JSON output are left unchanged.
func refused(ctx context.Context, f *cli.Factory, svc engine.Service, id string, action engine.Action, err error) error {
	e := engine.AsError(err)
	if e == nil || e.Service != "" || f.JSON {
		return err
	}
	c, gone := svc.Get(ctx, id)
	if gone != nil {
		return err
	}
	why := catalog.Refusal(action, c.Channel, c.DeliveryType, c.Status)
	if _, wire := catalog.Allowed(action, c.Channel, c.DeliveryType, c.Status); why == "" || strings.TrimSuffix(wire, ".") != strings.TrimSuffix(e.Message, ".") {
		return err
	}
	said := *e
	said.Message = why
	return &said
}

// printState prints the state of a campaign. more contains additional fields of the JSON.
func printState(f *cli.Factory, cmd *cobra.Command, svc engine.Service, id string, more map[string]any) error {
	c, err := svc.Get(cmd.Context(), id)
	if err != nil {
		return err
	}
	if f.JSON {
		out := map[string]any{"id": id, "status": c.Status}
		for name, v := range more {
			out[name] = v
		}
		return f.PrintJSON(out)
	}
	fmt.Fprintln(f.Out, cli.Line(fmt.Sprintf("%s is now %s", id, c.Status)))
	return nil
}
