package campaign

import (
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// NewGet returns the command bugle get.
func NewGet(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "get ID... | -",
		Short: "Print campaigns as JSON",
		Long: "A campaign is named by its id, by the beginning of its id, or by its exact name; so it is wherever a command takes\n" +
			"an ID. Of several campaigns, the output is an object with a list of them; with -, their ids are read from standard\n" +
			"input. To change a campaign, edit the output and pass it to `bugle update`, which refuses it if somebody else was\n" +
			"faster: revision says what was read.",
		Example: "  bugle get 65f0a1b2c3d4e5f60718293a > campaign.json\n" +
			"  $EDITOR campaign.json && bugle update campaign.json\n" +
			"  bugle get 'Spring sale' 'Summer sale' | jq '.campaigns[].status'",
		Args:              cli.SeveralIDs,
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Campaigns(cmd.Context())
			if err != nil {
				return err
			}
			all, err := f.Several(cmd.Context(), svc, args)
			if err != nil {
				return err
			}
			for _, c := range all.Campaigns {
				all.Results = append(all.Results, engine.WithRevision(c.Record(), c.StateRevision()))
			}
			return all.End()
		},
	}
}
