// Package campaign implements the commands for a single campaign: create, get, check, preview, test,
// publish, and those that change its status.
package campaign

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
)

// draft describes the draft to create.
type draft struct {
	file              string // if empty, the flags describe the draft
	channel, kind, by string
	name              string
}

// NewCreate returns the command bugle create.
func NewCreate(f *cli.Factory) *cobra.Command {
	var d draft
	cmd := &cobra.Command{
		Use:   "create [FILE | -]",
		Short: "Create a draft",
		Long: "Takes a JSON or YAML file, or --channel and --type. The file can be the body of the API's create\n" +
			"request, or the output of `bugle get`, which is copied. Everything in it is checked first.",
		Example: "  bugle create campaign.json\n" +
			"  bugle get 65f0a1b2c3d4e5f60718293a | bugle create - --name 'Spring sale, again'\n" +
			"  bugle create --channel EMAIL --type ONE_TIME --name 'Spring sale'",
		Args: cli.Between(0, 1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && (cmd.Flags().Changed("channel") || cmd.Flags().Changed("type")):
				return cli.Misused("--channel and --type cannot be combined with a file, which has its own")
			case len(args) == 1:
				d.file = args[0]
			case d.channel == "":
				return cli.Misused("nothing to create; use a file, - for standard input, or --channel and --type")
			}
			made, err := d.create(cmd.Context(), f)
			if err != nil {
				return err
			}
			return f.Done(map[string]any{"id": made.ID, "status": made.Status}, "Created draft "+made.ID)
		},
	}
	channels := slices.DeleteFunc(slices.Clone(catalog.Channels), func(c catalog.Channel) bool { return !c.Writable() })
	choices := cli.ChoicesOf(channels, catalog.Channel.Label)
	cli.ChoiceFlag(cmd, cli.OneOf(&d.channel, choices), "channel", "`channel` of the draft: "+strings.Join(choices.Values(), " or "))
	d.kind = string(catalog.OneTime)
	cli.ChoiceFlag(cmd, cli.OneOf(&d.kind, cli.TypeChoices(func(t catalog.DeliveryTypeInfo) bool { return t.Offered })), "type", "delivery `type` of the draft, such as PERIODIC")
	cmd.Flags().StringVar(&d.name, "name", "", "`name` of the campaign")
	cli.AddBy(cmd, &d.by)
	return cmd
}

func (d draft) create(ctx context.Context, f *cli.Factory) (engine.Created, error) {
	body := engine.NewDraftBody(catalog.Channel(d.channel), catalog.DeliveryType(d.kind), "", doc.NewObject())
	if d.file != "" {
		held := campaignfile.Read(ctx, f.Streams, campaignfile.File{Name: d.file})
		if body = held.Body; held.Err != nil {
			return engine.Created{}, held.Err
		}
	}
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return engine.Created{}, err
	}
	if body, err = d.signed(ctx, f, svc, body); err != nil {
		return engine.Created{}, err
	}
	if d.name != "" {
		body = engine.WithName(body, d.name)
	}
	if body, err = mjml.CompileBody(ctx, engine.ParseRecord(body).Channel, doc.Value{}, body); err != nil {
		return engine.Created{}, err
	}
	made, err := svc.Create(ctx, engine.CreateRequest{Body: body})
	if d.file == "" { // the flags are invalid, not a campaign
		err = cli.AsUsage(err)
	}
	return made, err
}

// signed returns the body with the creator of the draft. A record becomes the body of a copy.
func (d draft) signed(ctx context.Context, f *cli.Factory, svc engine.Service, body doc.Value) (doc.Value, error) {
	if d.file == "" || campaignfile.IsRecord(body) || campaignfile.IsExport(body) {
		rec := engine.ParseRecord(body)
		by, err := f.Signer(ctx, svc, d.by)
		return engine.NewDraftBody(rec.Channel, rec.DeliveryType, by, rec.Body), err
	}
	if d.by != "" {
		return engine.WithCreator(body, d.by), nil
	}
	by, err := f.Signer(ctx, svc, "")
	if err != nil {
		return body, err
	}
	// A creator in the file is kept, even an invalid one: the signature only counts if it adds a field.
	if signed := engine.WithCreator(body, by); signed.Len() > body.Len() {
		return signed, nil
	}
	return body, nil
}
