package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// change says what campaign to update, and from what.
type change struct {
	id   string // empty: the file names it
	file string
	by   string
}

func newUpdate(f *factory) *cobra.Command {
	var c change
	cmd := &cobra.Command{
		Use:   "update [ID] FILE|-",
		Short: "Change components of a campaign",
		Long: "Change components of a campaign: each one in the file replaces the campaign's, the others\n" +
			"stay. The file holds the body of the API's update request, or a campaign as `bugle get`\n" +
			"prints it, which names its id itself; of such a one the state, people and times are left out.",
		Example: "  bugle update 65f0a1b2c3d4e5f60718293a changes.json\n" +
			"  bugle get 65f0a1b2c3d4e5f60718293a | sed s/Spring/Summer/ | bugle update -",
		Args: between(1, 2, "the ID of a campaign and a file, or - for standard input"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			ids, _ := f.completeIDs()(cmd, args, typed)
			return ids, cobra.ShellCompDirectiveDefault // or a file
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c.file = args[len(args)-1]
			if len(args) == 2 {
				c.id = args[0]
			}
			up, err := c.update(cmd.Context(), f)
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"id": up.ID})
			}
			fmt.Fprintln(f.out, line("Updated "+up.ID))
			return nil
		},
	}
	cmd.Flags().StringVar(&c.by, "by", "", "`e-mail` address of who changes it (default: what the file says, or the workspace's author)")
	return cmd
}

func (c change) update(ctx context.Context, f *factory) (engine.Updated, error) {
	body, err := f.document(ctx, c.file)
	if err != nil {
		return engine.Updated{}, err
	}
	rec := engine.ParseRecord(body)
	id := c.id
	switch {
	case id == "" && rec.ID == "":
		return engine.Updated{}, misused("say which campaign: bugle update ID %s; the file does not name its id", c.file)
	case id == "":
		id = rec.ID
	case rec.ID != "" && rec.ID != id:
		return engine.Updated{}, misused("the file is of campaign %s, not %s", rec.ID, id)
	}
	svc, err := f.campaigns(ctx)
	if err != nil {
		return engine.Updated{}, err
	}
	if body, err = c.body(ctx, f, svc, body); err != nil {
		return engine.Updated{}, err
	}
	return svc.Update(ctx, engine.UpdateRequest{ID: id, Body: body})
}

// body gives the body of the request. Who updated a record last, as a record says, is not who
// updates it now.
func (c change) body(ctx context.Context, f *factory, svc engine.Service, body doc.Value) (doc.Value, error) {
	by, err := f.signer(ctx, svc, c.by)
	if err != nil {
		return body, err
	}
	rec := engine.ParseRecord(body)
	switch {
	case isRecord(body):
		return engine.UpdateBody(rec.Head, by, members(rec.Body)...), nil
	case rec.ID != "" && string(rec.Status) == string(catalog.Publish):
		return body, misused("`bugle publish %s` publishes; a file with an id holds components", rec.ID)
	case rec.ID != "":
		return engine.UpdateBody(rec.Head, cmp.Or(c.by, rec.UpdatedBy, by), members(rec.Body)...), nil
	case c.by == "":
		return engine.UpdatedBy(body, by), nil
	}
	for name, v := range engine.UpdateBody(engine.Head{}, by).Members() { // the signature alone
		if body, err = body.Set(doc.P(name), v); err != nil {
			return body, fmt.Errorf("signing the change: %w", err)
		}
	}
	return body, nil
}

func members(v doc.Value) []doc.Member {
	var ms []doc.Member
	for name, m := range v.Members() {
		ms = append(ms, doc.M(name, m))
	}
	return ms
}
