package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/service/activity"
	records "bugle/engine/workspace/settings"
	"bugle/forms"
)

// putting is what the command put stores.
type putting struct {
	noun
	file          string
	dryRun, force bool
}

func (n noun) newPut() *cobra.Command {
	p := putting{noun: n}
	name, fields := n.example()
	cmd := &cobra.Command{
		Use:   "put [NAME] [FIELD=VALUE...]",
		Short: "Add or change " + n.a(),
		Long:  "Changes the " + n.Singular + " with that name, or adds it. Fields that you do not set stay as they are.\n\n" + fieldsHelp(n.ID),
		Example: n.on("put") + " " + fields + "\n" +
			n.on("get") + " | bugle " + n.ID + " put --file -",
		Args: func(cmd *cobra.Command, args []string) error {
			if p.file == "" && (len(args) == 0 || strings.Contains(args[0], "=")) {
				return cli.Misused("%s", cli.Takes(cmd, n.what()+" and FIELD=VALUE, or --file"))
			}
			return nil
		},
		ValidArgsFunction: n.complete,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.run(cmd.Context(), args) },
	}
	if n.Single {
		cmd.Use, cmd.Short = "put [FIELD=VALUE...]", "Change the "+n.Singular
		cmd.Long = "Fields that you do not set stay as they are.\n\n" + fieldsHelp(n.ID)
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if p.file == "" && len(args) == 0 {
				return cli.Misused("%s", cli.Takes(cmd, "FIELD=VALUE, or --file"))
			}
			return nil
		}
	} else {
		cmd.Example += "\n  bugle " + n.ID + " put " + name + " " + n.Name + "=NEW"
		cli.AddForce(cmd, &p.force, "rename it even if something refers to the old name")
	}
	cmd.Flags().StringVarP(&p.file, "file", "f", "", "read the whole record from a JSON or YAML `file`, or - for standard input")
	cli.AddDryRun(cmd, &p.dryRun)
	return cmd
}

// fieldsHelp explains the arguments FIELD=VALUE.
func fieldsHelp(section string) string {
	return "A field is a path such as smtp.host. Its value is on or off for switches, has commas between the items of a list,\n" +
		"is read from a file for @FILE, and clears the field where it is empty. `bugle schema workspace-" + section + "`\nlists the fields."
}

// newCreate returns the command that creates a record that gets its id then, and a secret that is shown once.
func (n noun) newCreate() *cobra.Command {
	return &cobra.Command{
		Use:     "create [NAME] [FIELD=VALUE...]",
		Short:   "Create " + n.a(),
		Long:    "The " + n.Singular + " is shown only once, because only its hash is stored.\n\n" + fieldsHelp(n.ID),
		Example: "  bugle " + n.ID + " create " + n.Example,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !strings.Contains(args[0], "=") {
				args[0] = n.Label + "=" + args[0]
			}
			return putting{noun: n}.run(cmd.Context(), args)
		},
	}
}

func (p putting) run(ctx context.Context, args []string) error {
	svc, err := p.f.Service(ctx)
	if err != nil {
		return err
	}
	name := ""
	if !p.Single && len(args) > 0 && !strings.Contains(args[0], "=") {
		name, args = args[0], args[1:]
	}
	r, err := p.request(ctx, svc, name)
	if err != nil {
		return err
	}
	if r.Value, err = p.assign(ctx, r.Value, args); err != nil {
		return err
	}
	if p.dryRun {
		s, err := p.plan(ctx, svc, r)
		if err != nil {
			return cli.AsUsage(forced(err))
		}
		return p.f.Done(s, s.String())
	}
	return p.save(ctx, svc, r)
}

// request returns the record to start from: that of the file, the one with the name, or a new one. It has the name, or that in
// the file if there is no other.
func (p putting) request(ctx context.Context, svc activity.Service, name string) (r records.PutRequest, err error) {
	r = records.PutRequest{Value: p.New(), Force: p.force}
	if p.file != "" {
		if r.Value, err = recordFile(ctx, p.f.Streams, p.file); err != nil {
			return r, err
		}
	}
	if name == "" && !p.Single {
		name = p.NameOf(r.Value)
	}
	if p.Issued() {
		return r, nil // each has a name of its own
	}
	have, err := p.replaced(ctx, svc, name, &r)
	if err == nil && p.file == "" && have.Exists() {
		r.Value = have
	}
	if err != nil || p.Single {
		return r, err
	}
	r.Value, err = r.Value.Set(doc.P(p.Name), doc.NewString(name))
	return r, err
}

// replaced returns the record that a request replaces, which has a name, and notes that in the request. It is absent if there
// is none.
func (n noun) replaced(ctx context.Context, svc activity.Service, name string, r *records.PutRequest) (doc.Value, error) {
	have, err := n.Get(ctx, svc, name)
	if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
		return doc.Value{}, nil
	}
	if err == nil {
		r.Name = name
	}
	return have, err
}

// recordFile reads a record from a JSON or YAML file.
func recordFile(ctx context.Context, s cli.Streams, file string) (doc.Value, error) {
	v, err := campaignfile.Object(ctx, s, file)
	if errors.As(err, new(cli.DocumentError)) { // a record is invalid, not a campaign
		err = cli.Misuse(err)
	}
	return v, err
}

// save stores a record and prints that, with its secret if it has one.
func (n noun) save(ctx context.Context, svc activity.Service, r records.PutRequest) error {
	saved, err := n.Put(ctx, svc, r)
	if err != nil {
		return cli.AsUsage(forced(err))
	}
	switch {
	case n.f.JSON && n.Issued():
		v, err := n.Get(ctx, svc, saved.Name)
		if err != nil {
			return err
		}
		return n.f.PrintDoc(doc.NewObject(append(cli.Members(v), doc.M("api_key", doc.NewString(saved.Secret)))...))
	case n.f.JSON:
		return n.f.PrintJSON(map[string]any{"section": n.ID, "name": saved.Name})
	}
	words := "Saved " + n.Singular + " " + saved.Name
	if n.Single {
		words = "Saved the " + n.Singular
	}
	if saved.Note != "" {
		fmt.Fprintln(n.f.Err, cli.Line(saved.Note))
	}
	_, err = fmt.Fprintln(n.f.Out, strings.TrimSpace(cli.Line(words)+"\n"+saved.Secret))
	return err
}

// assign returns the record with the fields of FIELD=VALUE arguments. The table of the section determines how values are
// parsed.
func (n noun) assign(ctx context.Context, v doc.Value, args []string) (doc.Value, error) {
	for _, arg := range args {
		field, text, ok := strings.Cut(arg, "=")
		if !ok || field == "" {
			return v, cli.Misused("%q must be FIELD=VALUE", arg)
		}
		p, err := doc.ParsePath(field)
		if err != nil {
			return v, cli.Misused("%q is not the path of a field: %w", field, err)
		}
		node := n.Table(v).At(p)
		if node == nil {
			return v, cli.Misused("%s has no field %q; `bugle schema workspace-%s` lists them", n.ID, field, n.ID)
		}
		if why := n.Fixed[field]; why != "" {
			return v, cli.Misused("%s cannot be set. %s", field, strings.TrimSuffix(why, "."))
		}
		if name, ok := strings.CutPrefix(text, "@"); ok && name != "" {
			if text, err = n.f.ReadText(ctx, name); err != nil {
				return v, err
			}
		}
		if v, err = v.Set(p, valueFor(node, text)); err != nil {
			return v, cli.Misuse(err)
		}
	}
	return v, nil
}

// valueFor parses a text as a value of a field's kind, as far as it is one: the table of the section reports what is not. An
// empty text removes the field, or empties a list.
func valueFor(n *schema.Node, text string) doc.Value {
	parsed, err := doc.Parse([]byte(text))
	switch n.Kind {
	case schema.Bool:
		if on, err := cli.ParseOnOff(text); err == nil {
			return doc.NewBool(on)
		}
	case schema.Integer, schema.Number:
		if v, ok := doc.NewNumber(text); ok {
			return v
		}
	case schema.List:
		if err == nil && parsed.Kind() == doc.Array {
			return parsed
		}
		if k := n.Element.Kind; k != schema.Object && k != schema.Map {
			var elems []doc.Value
			for _, word := range forms.SplitList(text) {
				elems = append(elems, valueFor(n.Element, word))
			}
			return doc.NewArray(elems...)
		}
	case schema.Object, schema.Map, schema.Any:
		if err == nil {
			return parsed
		}
	}
	if text == "" {
		return doc.Value{}
	}
	return doc.NewString(text)
}
