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
			var made engine.Created
			if manager, ok := svc.(engine.CampaignManager); ok {
				made, err = manager.Clone(cmd.Context(), id, by)
			} else if c, gone := svc.Get(cmd.Context(), id); gone == nil {
				c = c.InRequest()
				body := engine.WithName(engine.NewDraftBody(c.Channel, c.DeliveryType, by, c.Body), engine.CampaignName(c.Body)+" (copy)")
				made, err = svc.Create(cmd.Context(), engine.CreateRequest{Call: engine.NewCall(), Body: body})
			} else {
				err = gone
			}
			if err != nil {
				return err
			}
			return f.Done(map[string]any{"id": made.ID, "status": made.Status}, "Created "+made.ID)
		},
	}
	cli.AddBy(cmd, &by)
	return cmd
}
