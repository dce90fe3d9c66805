package campaign

import (
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// NewClone returns the command bugle clone.
func NewClone(f *cli.Factory) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "clone ID",
		Short: "Create a draft that is a copy of a campaign",
		Long:  "The draft has the content of the campaign, and its name with (copy). For another name, use `bugle create`.",
		Example: "  bugle clone 65f0a1b2c3d4e5f60718293a --json | jq -r '.id'\n" +
			"  bugle get 65f0a1b2c3d4e5f60718293a | bugle create - --name 'Summer sale'",
		Args:              cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, id, err := f.Campaign(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if by, err = f.Signer(cmd.Context(), svc, by); err != nil {
				return err
			}
			made, err := engine.Clone(cmd.Context(), svc, id, by)
			if err != nil {
				return err
			}
			return f.Done(map[string]any{"id": made.ID, "status": made.Status}, "Created "+made.ID)
		},
	}
	cli.AddBy(cmd, &by)
	return cmd
}
