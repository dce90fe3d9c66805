package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

func newCreate(f *factory) *cobra.Command {
	var channel, kind, name, by string
	cmd := &cobra.Command{
		Use:   "create [FILE|-]",
		Short: "Create a draft from a file, or from flags",
		Example: "  bugle create campaign.json\n" +
			"  jq … | bugle create - --json\n" +
			"  bugle create --channel EMAIL --type ONE_TIME --name 'Spring sale'",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body := doc.NewObject()
			if len(args) == 0 && channel == "" {
				return misused("give a file, - for standard input, or --channel and --type")
			}
			if len(args) == 1 {
				var err error
				if body, err = f.document(args[0]); err != nil {
					return err
				}
			}
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			ws, err := svc.Workspace(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 0 {
				body = engine.NewDraftBody(catalog.Channel(channel), catalog.DeliveryType(kind), f.author(ws.Author), doc.NewObject())
			}
			body = engine.SignedBy(body, by)
			if name != "" {
				body = engine.WithName(body, name)
			}
			made, err := svc.Create(cmd.Context(), engine.CreateRequest{Call: call(body), Body: body})
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"id": made.ID, "status": made.Status})
			}
			fmt.Fprintf(f.out, "Created draft %s\n", made.ID)
			return nil
		},
	}
	cmd.Flags().StringVar(&channel, "channel", "", "PUSH or EMAIL, without a file")
	cmd.Flags().StringVar(&kind, "type", string(catalog.OneTime), "delivery type, without a file")
	cmd.Flags().StringVar(&name, "name", "", "name of the campaign")
	cmd.Flags().StringVar(&by, "by", "", "e-mail address of who creates it (default: what the file says, or the workspace's author)")
	return cmd
}

func newUpdate(f *factory) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "update [ID] FILE|-",
		Short: "Change components of a campaign",
		Long: "Change components of a campaign. Each component in the file replaces the campaign's. Without\n" +
			"an ID the file names it in its member id, as what `bugle get` prints does.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := f.document(args[len(args)-1])
			if err != nil {
				return err
			}
			id := args[0]
			if len(args) == 1 {
				id = engine.ParseRecord(body).ID
				if id == "" {
					return misused("say which campaign: bugle update ID %s, or a file with a member id", args[0])
				}
			}
			if rec := engine.ParseRecord(body); rec.ID != "" {
				if rec.ID != id {
					return misused("the file is of campaign %s, not %s", rec.ID, id)
				}
				body = engine.UpdateBody(rec.Head, rec.UpdatedBy, members(rec.Body)...)
			}
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			if by == "" {
				ws, err := svc.Workspace(cmd.Context())
				if err != nil {
					return err
				}
				by = f.author(ws.Author)
			}
			body = engine.UpdatedBy(body, by)
			up, err := svc.Update(cmd.Context(), engine.UpdateRequest{Call: call(body), ID: id, Body: body})
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"id": up.ID})
			}
			fmt.Fprintf(f.out, "Updated %s\n", up.ID)
			return nil
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "e-mail address of who changes it")
	return cmd
}

func members(v doc.Value) []doc.Member {
	var ms []doc.Member
	for name, m := range v.Members() {
		ms = append(ms, doc.M(name, m))
	}
	return ms
}

func newPublish(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "publish ID",
		Short: "Publish a draft, as the API does",
		Long: "Publish a draft. The publish action of the API is in beta and refused in every workspace\n" +
			"whose setting is beta; `bugle workspace set publish=enabled` turns it on. The terminal\n" +
			"program publishes whatever the setting.",
		Args: exactly(1, "the ID of a draft"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			up, err := svc.Publish(cmd.Context(), engine.PublishRequest{Call: call(doc.Value{}), ID: args[0], By: f.getenv("BUGLE_AUTHOR")})
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"id": up.ID})
			}
			fmt.Fprintf(f.out, "Published %s\n", up.ID)
			return nil
		},
	}
}

func newStatus(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:       "status ID STOP|PAUSE|RESUME",
		Short:     "Stop, pause or resume a campaign",
		Args:      exactly(2, "the ID of a campaign and STOP, PAUSE or RESUME"),
		ValidArgs: []string{string(catalog.Stop), string(catalog.Pause), string(catalog.Resume)},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			done, err := svc.ChangeStatus(cmd.Context(), engine.StatusRequest{Call: call(doc.Value{}), ID: args[0], Action: actionOf(args[1]), By: f.getenv("BUGLE_AUTHOR")})
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"id": done.ID, "action": done.Action, "status": done.Status})
			}
			fmt.Fprintf(f.out, "%s is now %s\n", done.ID, done.Status)
			return nil
		},
	}
}
