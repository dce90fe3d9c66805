package campaign

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
)

// change is an update of a campaign from a file.
type change struct {
	id    string // if empty, the file names the campaign
	file  string
	by    string
	force bool
	yes   bool
}

// NewUpdate returns the command bugle update.
func NewUpdate(f *cli.Factory) *cobra.Command {
	var c change
	cmd := &cobra.Command{
		Use:   "update [ID] FILE|-",
		Short: "Update a campaign from a file",
		Long: "Each component in the JSON or YAML file replaces the one in the campaign; fields that are removed this\n" +
			"way are listed. Components that are not in the file stay as they are. The file can be the output of\n" +
			"`bugle get`, which includes the id, or the body of the API's update request.\n\n" +
			"If the file has the revision that `bugle get` or `bugle export` wrote into it, and somebody else changed the\n" +
			"campaign since then, nothing is changed and the exit code is 1. The new revision is written into the file.\n\n" +
			"Unless the campaign is a draft, it must be valid as for publishing, and you are asked before it is changed.",
		Example: "  bugle update 65f0a1b2c3d4e5f60718293a changes.json\n" +
			"  bugle get 65f0a1b2c3d4e5f60718293a | sed s/Spring/Summer/ | bugle update -",
		Args:              cli.Between(1, 2, "the ID of a campaign, and a file or - for standard input"),
		ValidArgsFunction: f.CompleteIDsOrFiles(),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.file = args[len(args)-1]
			if len(args) == 2 {
				c.id = args[0]
			} else if cli.NamesCampaign(c.file) {
				return cli.Misused("what should change? `bugle update %s FILE` takes a file, or - for standard input", c.file)
			}
			up, removed, err := c.update(cmd.Context(), f)
			if err != nil {
				return err
			}
			if up.ID == "" {
				fmt.Fprintln(f.Out, "No changes made.")
				return nil
			}
			if f.JSON {
				return f.PrintJSON(map[string]any{"id": up.ID, "removed": removed})
			}
			fmt.Fprintln(f.Out, cli.Line("Updated "+up.ID))
			if len(removed) > 0 {
				fmt.Fprintln(f.Out, cli.Line("Removed "+strings.Join(removed, ", ")))
			}
			return nil
		},
	}
	cli.AddBy(cmd, &c.by)
	cli.AddYes(cmd, &c.yes)
	cli.AddForce(cmd, &c.force, "overwrite what somebody else changed since the file was written")
	return cmd
}

// update sends the update, and returns the paths of the fields that the campaign had and the file does not. The id is empty
// if the user does not want the change.
func (c change) update(ctx context.Context, f *cli.Factory) (up engine.Updated, removed []string, err error) {
	held := campaignfile.Read(ctx, f.Streams, campaignfile.File{Name: c.file})
	if held.Err != nil {
		return engine.Updated{}, nil, held.Err
	}
	body := held.Body
	rec := engine.ParseRecord(body)
	if c.id == "" && rec.ID == "" {
		return engine.Updated{}, nil, cli.Misused("%s has no id; use `bugle update ID %s`", cli.InputName(c.file), c.file)
	}
	svc, id, err := f.Campaign(ctx, cmp.Or(c.id, rec.ID))
	if err != nil {
		return engine.Updated{}, nil, err
	}
	if rec.ID != "" && rec.ID != id {
		return engine.Updated{}, nil, cli.Misused("%s has campaign %s, not %s", cli.InputName(c.file), rec.ID, id)
	}
	if body, err = c.body(ctx, f, svc, body); err != nil {
		return engine.Updated{}, nil, err
	}
	before, err := svc.Get(ctx, id)
	if err != nil {
		return engine.Updated{}, nil, err
	}
	if body, err = mjml.CompileBody(ctx, before.Channel, before.Body, body); err != nil {
		return engine.Updated{}, nil, err
	}
	r := engine.UpdateRequest{ID: id, Body: body}
	if held.Revision != "" && !c.force {
		if err := before.CheckRevision(held.Revision); err != nil {
			return engine.Updated{}, nil, cli.OrForce(err, "overwrite it")
		}
		r.IfMatch = before.Tag()
	}
	if before.Status != catalog.Draft {
		if agreed, err := c.review(ctx, f, svc, before, body); err != nil || !agreed {
			return engine.Updated{}, nil, err
		}
		r.IfMatch = before.Tag() // what was checked
	}
	if up, err = svc.Update(ctx, r); err != nil {
		if c.force {
			return up, nil, cli.WithRemedy(err, "Run the command again.")
		}
		return up, nil, cli.OrForce(err, "overwrite it")
	}
	held.NoteRevision(ctx, f.Streams, svc, up)
	return up, removals(before, body), nil
}

// review checks the change of a campaign that is not a draft, and reports whether it may be made.
func (c change) review(ctx context.Context, f *cli.Factory, svc engine.Service, before engine.Campaign, body doc.Value) (bool, error) {
	env, err := cli.ChangeEnv(ctx, svc, before)
	if err != nil {
		return false, err
	}
	after := before
	var parts []doc.Member
	for _, info := range catalog.Components(before.Channel) {
		name := string(info.Name)
		if v := body.Get(name); v.Exists() {
			parts = append(parts, doc.M(name, v))
			if after.Body, err = after.Body.Set(doc.P(name), v); err != nil {
				return false, cli.DocumentError{Err: err}
			}
		}
	}
	if err := cli.CheckChange(before, after, engine.UpdateBody(before.Head, engine.ParseRecord(body).UpdatedBy, parts...), env); err != nil {
		return false, err
	}
	return f.ConfirmChange(ctx, svc, after, len(doc.Diff(before.InRequest().Body, after.InRequest().Body)), c.yes)
}

// removals returns the paths of the fields of a campaign that an update of their component would remove.
func removals(before engine.Campaign, body doc.Value) []string {
	out := []string{}
	for name, after := range body.Members() {
		have := catalog.InRequest(before.Channel, catalog.Component(name), before.Body.Get(name))
		for _, c := range doc.Diff(have, after) {
			if have.Exists() && !c.After.Exists() {
				out = append(out, doc.P(name).Join(c.Path...).String())
			}
		}
	}
	return out
}

// body returns the body of the request. The updated_by of a record is who last updated it, not who updates it now.
func (c change) body(ctx context.Context, f *cli.Factory, svc engine.Service, body doc.Value) (doc.Value, error) {
	by, err := f.Signer(ctx, svc, c.by)
	if err != nil {
		return body, err
	}
	rec := engine.ParseRecord(body)
	switch {
	case campaignfile.IsRecord(body):
		return engine.UpdateBody(rec.Head, by, cli.Members(rec.Body)...), nil
	case rec.ID != "" && string(rec.Status) == string(catalog.Publish):
		return body, cli.Misused("use `bugle publish %s` to publish; update takes components", rec.ID)
	case rec.ID != "":
		return engine.UpdateBody(rec.Head, cmp.Or(c.by, rec.UpdatedBy, by), cli.Members(rec.Body)...), nil
	case c.by == "":
		return engine.WithUpdater(body, by), nil
	}
	for name, v := range engine.UpdateBody(engine.Head{}, by).Members() { // only the signature
		if body, err = body.Set(doc.P(name), v); err != nil {
			return body, fmt.Errorf("signing the change: %w", err)
		}
	}
	return body, nil
}
