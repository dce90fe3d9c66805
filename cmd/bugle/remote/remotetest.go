package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/remote"
)

func newRemoteTest(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME",
		Short: "Check that a remote answers",
		Long: "Searches for one campaign, which changes nothing and needs the address, the workspace and the API key.\n" +
			"Exits with 4 if the service refuses that.",
		Example:           "  bugle remote test prod",
		Args:              cli.Exactly(1, "the NAME of a remote"),
		ValidArgsFunction: Complete(&f.Environment),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, p, err := remoteNamed(&f.Environment, args[0])
			if err != nil {
				return err
			}
			svc, err := f.Dial(p, func(c *remote.Config) { c.Retries = -1 })
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), time.Minute)
			defer cancel()
			begun := time.Now()
			_, err = svc.Search(ctx, engine.SearchRequest{
				Call: engine.NewCall(), Channels: []engine.Channel{catalog.Email, catalog.Push}, Status: catalog.States, Limit: 1, Page: 1,
			})
			if err != nil {
				return err
			}
			took := time.Since(begun).Milliseconds()
			out := map[string]any{"remote": p.Name, "url": svc.BaseURL(), "workspace_id": p.Workspace, "milliseconds": took}
			return f.Done(out, fmt.Sprintf("Remote %s answers (%d ms).", p.Name, took))
		},
	}
}
