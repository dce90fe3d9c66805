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
			"Publishing outside the terminal program is in beta and off by default; turn it on for the workspace with\n" +
			"`bugle settings put publish=enabled`.",
		Example:           "  bugle validate 65f0a1b2c3d4e5f60718293a && bugle publish 65f0a1b2c3d4e5f60718293a",
		Args:              cli.Exactly(1, "the ID of a draft"),
		ValidArgsFunction: f.CompleteIDs(catalog.Draft),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, id, err := f.Campaign(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if by, err = f.Signer(cmd.Context(), svc, by); err != nil {
				return err
			}
			warnings, err := warningsOf(cmd.Context(), f, svc, id)
			if err != nil {
				warnings = nil // the service says what is wrong
			}
			for _, found := range warnings {
				if found.Severity == check.Warning && !f.JSON {
					fmt.Fprintln(f.Err, "bugle: warning: "+cli.FindingLine(found))
				}
			}
			up, err := svc.Publish(cmd.Context(), engine.PublishRequest{ID: id, By: by})
			if err != nil {
				return betaRemedy(cmd, svc, refused(cmd.Context(), f, svc, id, catalog.Publish, err))
			}
			c, err := svc.Get(cmd.Context(), up.ID)
			if err != nil {
				return err
			}
			out := map[string]any{"id": up.ID, "status": c.Status, "warnings": check.Documents(warnings)}
			return f.Done(out, fmt.Sprintf("%s is now %s", up.ID, c.Status))
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
	return cli.WithRemedy(err, "Turn it on with `bugle settings put publish="+engine.PublishEnabled+"`.")
}

// addBy adds the flag for the person who makes a change.
func addBy(cmd *cobra.Command, by *string) {
	cmd.Flags().StringVar(by, "by", "", "`email` address to sign the change with (default the author of the workspace)")
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
