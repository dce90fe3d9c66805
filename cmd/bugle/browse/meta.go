package browse

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// NewMeta returns the command bugle meta.
func NewMeta(f *cli.Factory) *cobra.Command {
	var (
		s    filters
		kind string
	)
	cmd := &cobra.Command{
		Use:   "meta [ID]",
		Short: "Show campaign metadata and reach",
		Long: "Prints one campaign, or one page of the campaigns that match all flags, drafts included: creator,\n" +
			"number of runs, and how many users a scheduled campaign reaches.",
		Example:           "  bugle meta 65f0a1b2c3d4e5f60718293a --json\n  bugle meta --status SCHEDULED",
		Args:              cli.Between(0, 1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			created, err := s.created()
			if err != nil {
				return err
			}
			w, err := s.window()
			if err != nil {
				return err
			}
			r := engine.MetaRequest{
				Channels: words[engine.Channel](s.channels), CreatedBy: s.by, Created: created,
				DeliveryType: engine.DeliveryType(kind), Name: s.name, Status: s.states(), Tags: s.tags,
				Children: s.children, Archived: s.archived,
			}
			svc, err := f.Campaigns(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) > 0 {
				if r.ID, err = cli.NewFinder(svc).ID(cmd.Context(), args[0]); err != nil {
					return err
				}
			}
			found, err := metas(cmd.Context(), svc, r, w)
			if err != nil {
				return err
			}
			return found.print(&f.Printer, []string{"ID", "STATUS", "CHANNEL", "TYPE", "REACH", "CHILDREN", "CREATED BY", "NAME"})
		},
	}
	s.add(cmd)
	cli.ChoiceFlag(cmd, cli.OneOf(&kind, cli.TypeChoices(cli.Any)), "type", "only this delivery `type`, such as PERIODIC")
	return cmd
}

// metas returns the metadata that a service has, page by page.
func metas(ctx context.Context, svc engine.Service, r engine.MetaRequest, w window) (results, error) {
	found, total, more, err := pages(w, func(m engine.Meta) string { return m.ID }, func(limit, page int) ([]engine.Meta, error) {
		r.Limit, r.Page = limit, page
		return svc.Meta(ctx, r)
	})
	out := results{window: w, total: total, more: more}
	for _, m := range found {
		reach := "-"
		if m.Reachability != nil {
			reach = strconv.Itoa(m.Reachability.Count)
		}
		out.docs = append(out.docs, m.Row())
		out.rows = append(out.rows, []string{
			m.ID, string(m.Status), string(m.Channel), string(m.DeliveryType), reach, strconv.Itoa(m.ChildCampaigns), m.CreatedBy, m.Title(),
		})
	}
	return out, cli.AsUsage(err)
}
