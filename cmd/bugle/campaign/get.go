package campaign

import (
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// NewGet returns the command bugle get.
func NewGet(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "get ID",
		Short: "Print a campaign as JSON",
		Long: "To change the campaign, edit the output and pass it to `bugle update`, which refuses it if somebody else was faster:\n" +
			"revision says what was read.",
		Example:           "  bugle get 65f0a1b2c3d4e5f60718293a > campaign.json\n  $EDITOR campaign.json && bugle update campaign.json",
		Args:              cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Campaigns(cmd.Context())
			if err != nil {
				return err
			}
			c, err := svc.Get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return f.PrintDoc(engine.WithRevision(c.Record(), c.StateRevision()))
		},
	}
}
