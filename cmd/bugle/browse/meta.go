package browse

import (
	"strconv"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
)

// NewMeta returns the command bugle meta.
func NewMeta(f *cli.Factory) *cobra.Command {
	var (
		s    filters
		kind string
		id   string
	)
	cmd := &cobra.Command{
		Use:   "meta [ID | -]",
		Short: "Show campaign metadata and reach",
		Long: "Prints one campaign, or one page of the campaigns that match all flags, drafts included: creator,\n" +
			"number of runs, and how many users a scheduled campaign reaches. With - the body of the API's meta\n" +
			"request is read from standard input.",
		Example:           "  bugle meta 65f0a1b2c3d4e5f60718293a --json\n  bugle meta --status SCHEDULED",
		Args:              cli.Between(0, 1, "the ID of a campaign, or - for standard input"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			created, err := s.created()
			if err != nil {
				return err
			}
			body, err := request(f, cmd, args, &id, func() doc.Value {
				return engine.MetaRequest{
					ID: id, Channels: words[engine.Channel](s.channels), CreatedBy: s.by, Created: created,
					DeliveryType: engine.DeliveryType(kind), Name: s.name, Status: s.states(), Tags: s.tags,
					Limit: s.limit, Page: s.page, Children: s.children, Archived: s.archived,
				}.Document()
			})
			if err != nil {
				return err
			}
			r, err := engine.ParseMeta(body)
			if err != nil {
				return cli.AsUsage(err)
			}
			return runMeta(cmd, f, r)
		},
	}
	s.add(cmd)
	cli.ChoiceFlag(cmd, cli.OneOf(&kind, cli.TypeChoices(cli.Any)), "type", "only this delivery `type`, such as PERIODIC")
	return cmd
}

func runMeta(cmd *cobra.Command, f *cli.Factory, r engine.MetaRequest) error {
	svc, err := f.Campaigns(cmd.Context())
	if err != nil {
		return err
	}
	found, err := svc.Meta(cmd.Context(), r)
	if err != nil {
		return cli.AsUsage(err)
	}
	if f.JSON {
		metas := make([]doc.Value, len(found))
		for i, m := range found {
			metas[i] = m.Row()
		}
		return f.PrintDoc(doc.NewObject(doc.M("campaigns", doc.NewArray(metas...))))
	}
	var rows [][]string
	for _, m := range found {
		reach := "-"
		if m.Reachability != nil {
			reach = strconv.Itoa(m.Reachability.Count)
		}
		rows = append(rows, []string{
			m.ID, string(m.Status), string(m.Channel), string(m.DeliveryType), reach, strconv.Itoa(m.ChildCampaigns), m.CreatedBy, m.Title(),
		})
	}
	head := []string{"ID", "STATUS", "CHANNEL", "TYPE", "REACH", "CHILDREN", "CREATED BY", "NAME"}
	return printFound(&f.Printer, head, rows, r.Limit, r.Page)
}
