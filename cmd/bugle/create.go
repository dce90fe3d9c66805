package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// draft describes the draft to create.
type draft struct {
	file              string // empty: from the flags
	channel, kind, by string
	name              string
}

func newCreate(f *factory) *cobra.Command {
	var d draft
	cmd := &cobra.Command{
		Use:   "create [FILE | -]",
		Short: "Create a draft",
		Long: "Takes a JSON or YAML file, or --channel and --type. The file can be the body of the API's create\n" +
			"request, or the output of `bugle get`, which is copied. Everything in it is checked first.",
		Example: "  bugle create campaign.json\n" +
			"  bugle get 65f0a1b2c3d4e5f60718293a | bugle create - --name 'Spring sale, again'\n" +
			"  bugle create --channel EMAIL --type ONE_TIME --name 'Spring sale'",
		Args: between(0, 1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && (cmd.Flags().Changed("channel") || cmd.Flags().Changed("type")):
				return misused("--channel and --type cannot be combined with a file, which has its own")
			case len(args) == 1:
				d.file = args[0]
			case d.channel == "":
				return misused("nothing to create; use a file, - for standard input, or --channel and --type")
			}
			made, err := d.create(cmd.Context(), f)
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"id": made.ID, "status": made.Status})
			}
			fmt.Fprintln(f.out, line("Created draft "+made.ID))
			return nil
		},
	}
	choiceFlag(cmd, oneOf(&d.channel, channelChoices(catalog.Channel.Writable)), "channel", "`channel` of the draft: "+strings.Join(channelChoices(catalog.Channel.Writable).values(), " or "))
	d.kind = string(catalog.OneTime)
	choiceFlag(cmd, oneOf(&d.kind, creatableTypes()), "type", "delivery `type` of the draft, such as PERIODIC")
	cmd.Flags().StringVar(&d.name, "name", "", "`name` of the campaign")
	cmd.Flags().StringVar(&d.by, "by", "", "`email` address of the creator (default from the file, or the author of the workspace)")
	return cmd
}

func (d draft) create(ctx context.Context, f *factory) (engine.Created, error) {
	body := engine.NewDraftBody(catalog.Channel(d.channel), catalog.DeliveryType(d.kind), "", doc.NewObject())
	if d.file != "" {
		var err error
		if body, err = f.document(ctx, d.file); err != nil {
			return engine.Created{}, err
		}
	}
	svc, err := f.campaigns(ctx)
	if err != nil {
		return engine.Created{}, err
	}
	if body, err = d.signed(ctx, f, svc, body); err != nil {
		return engine.Created{}, err
	}
	if d.name != "" {
		body = engine.WithName(body, d.name)
	}
	made, err := svc.Create(ctx, engine.CreateRequest{Body: body})
	if d.file == "" { // no campaign is invalid, the flags are
		err = asUsage(err)
	}
	return made, err
}

// signed returns the body with the creator of the draft; a record becomes the body of a copy.
func (d draft) signed(ctx context.Context, f *factory, svc engine.Service, body doc.Value) (doc.Value, error) {
	if d.file == "" || isRecord(body) || isExport(body) {
		rec := engine.ParseRecord(body)
		by, err := f.signer(ctx, svc, d.by)
		return engine.NewDraftBody(rec.Channel, rec.DeliveryType, by, rec.Body), err
	}
	if d.by != "" {
		return engine.SignedBy(body, d.by), nil
	}
	by, err := f.signer(ctx, svc, "")
	if err != nil {
		return body, err
	}
	// A creator in the file stays, even an invalid one: the signature counts only if it adds a field.
	if signed := engine.SignedBy(body, by); signed.Len() > body.Len() {
		return signed, nil
	}
	return body, nil
}

// isRecord reports whether a document is the output of `bugle get`, with id and state, and not the body of a request.
// A service can have states that are unknown here.
func isRecord(v doc.Value) bool {
	rec := engine.ParseRecord(v)
	return rec.ID != "" && rec.Status != "" && string(rec.Status) != string(catalog.Publish)
}
