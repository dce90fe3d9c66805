package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/catalog"
)

// publishSetting is the setting of a workspace that turns the API's publish action on.
const publishSetting = "publish"

func newPublish(f *factory) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "publish ID",
		Short: "Publish a draft, as the API does",
		Long: "Publish a draft: the whole campaign is checked, and goes live at once or at its start. The\n" +
			"publish action of the API is in beta and refused in every workspace whose setting is beta;\n" +
			"`bugle workspace set publish=enabled` turns it on. The terminal program publishes whatever\n" +
			"the setting.",
		Args:              exactly(1, "the ID of a draft"),
		ValidArgsFunction: f.completeIDs(catalog.Draft),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.campaigns(cmd.Context())
			if err != nil {
				return err
			}
			if by, err = f.signer(cmd.Context(), svc, by); err != nil {
				return err
			}
			up, err := svc.Publish(cmd.Context(), engine.PublishRequest{ID: args[0], By: by})
			if err != nil {
				return betaRemedy(cmd, svc, err)
			}
			return f.printState(cmd, svc, up.ID, nil)
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "`e-mail` address of who publishes it (default: the workspace's author)")
	return cmd
}

// betaRemedy says how to turn publishing on, where that is what a refusal is about.
func betaRemedy(cmd *cobra.Command, svc engine.Service, err error) error {
	k, ok := svc.(engine.WorkspaceKeeper)
	if !ok {
		return err
	}
	w, werr := k.Workspace(cmd.Context())
	if werr != nil || engine.AsError(err) == nil || engine.AsError(err).Code != engine.Unprocessable || w.Publish == engine.PublishEnabled {
		return err
	}
	return remedied{err, "`bugle workspace set " + publishSetting + "=" + engine.PublishEnabled + "` does that."}
}

func newStatus(f *factory) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "status ID STOP|PAUSE|RESUME",
		Short: "Stop, pause or resume a campaign",
		Long: "Stop a one-time campaign, or pause and resume one that sends again and again. What the state\n" +
			"or the delivery type does not allow is refused with the reason, and with exit code 4.",
		Args: exactly(2, "the ID of a campaign and STOP, PAUSE or RESUME"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				return f.completeIDs(catalog.Scheduled, catalog.Active, catalog.Sending, catalog.Paused)(cmd, args, typed)
			case 1:
				return actionChoices().completions(""), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			action, err := actionChoices().find(args[1])
			if err != nil {
				return misused("there is no status action %q: %w", args[1], err)
			}
			svc, err := f.campaigns(cmd.Context())
			if err != nil {
				return err
			}
			if by, err = f.signer(cmd.Context(), svc, by); err != nil {
				return err
			}
			done, err := svc.ChangeStatus(cmd.Context(), engine.StatusRequest{ID: args[0], Action: engine.Action(action), By: by})
			if err != nil {
				return err
			}
			return f.printState(cmd, svc, done.ID, map[string]any{"action": done.Action})
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "`e-mail` address of who does it (default: the workspace's author)")
	return cmd
}

// printState tells what became of a campaign; more are further members of the JSON.
func (f *factory) printState(cmd *cobra.Command, svc engine.Service, id string, more map[string]any) error {
	c, err := svc.Get(cmd.Context(), id)
	if err != nil {
		return err
	}
	if f.json {
		out := map[string]any{"id": id, "status": c.Status}
		for name, v := range more {
			out[name] = v
		}
		return f.printJSON(out)
	}
	fmt.Fprintln(f.out, line(fmt.Sprintf("%s is now %s", id, c.Status)))
	return nil
}
