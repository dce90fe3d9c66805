package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/service/activity"
	records "bugle/engine/workspace/settings"
)

// portable returns the sections that a file can have: all but the users, which have files of their own, and the keys, which
// cannot be copied.
func portable(f *cli.Factory) (out []noun) {
	for _, s := range records.Sections() {
		if !s.SearchOnly && !s.Issued() {
			out = append(out, noun{s, f})
		}
	}
	return out
}

func newExport(f *cli.Factory) *cobra.Command {
	var yaml bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print the settings and content of a workspace",
		Long: "Prints what `bugle workspace apply` reads: the settings, segments, connectors, content and all else but campaigns\n" +
			"(see `bugle export`), users (see `bugle users list`) and API keys. Passwords and keys are never stored in a\n" +
			"workspace, so they are not printed either.",
		Example: "  bugle workspace export > shop.json\n  bugle workspace export | bugle --workspace TEST workspace apply -",
		Args:    cli.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			out := doc.NewObject()
			for _, n := range portable(f) {
				all, err := n.List(cmd.Context(), svc, "", 0)
				if err != nil {
					return err
				}
				for i := range all {
					all[i] = n.Settable(all[i])
				}
				v := doc.NewArray(all...)
				if n.Single {
					v = all[0].Delete(doc.P("name")) // a workspace has a name of its own
				}
				if out, err = out.Set(doc.P(n.ID), v); err != nil {
					return err
				}
			}
			if !yaml {
				return f.PrintDoc(out)
			}
			text, err := yamldoc.Encode(out)
			if err != nil {
				return err
			}
			return f.WriteJSON(string(text))
		},
	}
	cmd.Flags().BoolVar(&yaml, "yaml", false, "print YAML instead of JSON")
	return cmd
}

// step is what happens to one record.
type step struct {
	Section string   `json:"section"`
	Name    string   `json:"name,omitempty"`
	Action  string   `json:"action"`
	Fields  []string `json:"fields,omitempty"` // that change

	of  noun
	put records.PutRequest
}

// The actions of steps.
const (
	actionCreate    = "create"
	actionUpdate    = "update"
	actionUnchanged = "unchanged"
)

// String describes a step on one line.
func (s step) String() string {
	name := strings.TrimSpace(s.of.Singular + " " + s.Name)
	switch s.Action {
	case actionCreate:
		return "+ " + name
	case actionUpdate:
		return "~ " + name + ": " + strings.Join(s.Fields, ", ")
	}
	return "= " + name
}

// plan returns what storing a record would do, or refuses it as storing it does.
func (n noun) plan(ctx context.Context, svc activity.Service, r records.PutRequest) (step, error) {
	s := step{Section: n.ID, Action: actionUpdate, of: n, put: r}
	changes, err := n.Changes(ctx, svc, r)
	switch {
	case err != nil:
		return s, err
	case !n.Single && r.Name == "":
		s.Action = actionCreate
	case len(changes) == 0:
		s.Action = actionUnchanged
	}
	if !n.Single {
		s.Name = n.NameOf(r.Value)
	}
	for _, c := range changes {
		if s.Action == actionUpdate {
			s.Fields = append(s.Fields, c.Path.String())
		}
	}
	return s, nil
}

func newApply(f *cli.Factory) *cobra.Command {
	var dryRun, yes bool
	cmd := &cobra.Command{
		Use:   "apply FILE|-",
		Short: "Change settings and content to those of a file",
		Long: "Reads a JSON or YAML file as `bugle workspace export` prints it, or a part of one, prints what would change, and\n" +
			"asks. What the file does not have stays as it is. A push gateway whose key comes from another file or a\n" +
			"command is not changed by a file: use `bugle gateways put`.",
		Example: "  bugle workspace apply shop.json --dry-run\n" +
			"  bugle --workspace SHOP workspace export | bugle --workspace TEST workspace apply - --yes",
		Args: cli.Exactly(1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.Service(cmd.Context())
			if err != nil {
				return err
			}
			file, err := recordFile(cmd.Context(), f.Streams, args[0])
			if err != nil {
				return err
			}
			steps, err := planFile(cmd.Context(), f, svc, file)
			if err != nil {
				return cli.AsUsage(err)
			}
			return applySteps(cmd.Context(), f, svc, steps, dryRun, yes)
		},
	}
	cli.AddDryRun(cmd, &dryRun)
	cli.AddYes(cmd, &yes)
	return cmd
}

// planFile returns what the records of a file change.
func planFile(ctx context.Context, f *cli.Factory, svc activity.Service, file doc.Value) (out []step, err error) {
	left := file
	for _, n := range portable(f) {
		v := file.Get(n.ID)
		left = left.Delete(doc.P(n.ID))
		switch {
		case !v.Exists():
			continue
		case n.Single:
			v = doc.NewArray(v)
		case v.Kind() != doc.Array:
			return nil, cli.Misused("%s must be a list of records", n.ID)
		}
		for _, v := range v.Elems() {
			r := records.PutRequest{Value: v}
			have, err := n.replaced(ctx, svc, n.NameOf(v), &r)
			if err != nil {
				return nil, err
			}
			if n.Single {
				if r.Value, err = over(have, v); err != nil {
					return nil, err
				}
			}
			s, err := n.plan(ctx, svc, r)
			if err == nil && n.ID == gateways && s.Action != actionUnchanged {
				err = checkKey(v)
			}
			if err != nil {
				return nil, about(n.Singular+" "+n.NameOf(v), err)
			}
			out = append(out, s)
		}
	}
	for name := range left.Members() {
		return nil, cli.Misused("unknown section %q; a file has those that `bugle workspace export` prints", name)
	}
	return out, nil
}

// checkKey returns an error for a push gateway whose key comes from a file or a command: a file of settings must not decide what
// runs on this machine, and what is sent away.
func checkKey(v doc.Value) error {
	var g engine.Gateway
	err := json.Unmarshal(v.Encode(), &g)
	if err == nil && secret.NeedsTrust(g) {
		return cli.Misused("a file must not set that its key comes from %s; use `bugle gateways put`", secret.DescribeFully(g.Key))
	}
	return err
}

// about returns an error whose message says what it is about.
func about(what string, err error) error {
	e := engine.AsError(err)
	if e == nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	out := *e
	out.Message = what + ": " + e.Message
	return &out
}

// over returns a record with the fields of another one in place of its own.
func over(have, v doc.Value) (doc.Value, error) {
	var err error
	for name, m := range v.Members() {
		if have, err = have.Set(doc.P(name), m); err != nil {
			return v, err
		}
	}
	return have, nil
}

// applySteps prints a plan, and carries it out if it is agreed to.
func applySteps(ctx context.Context, f *cli.Factory, svc activity.Service, steps []step, dryRun, yes bool) error {
	count := map[string]int{}
	for _, s := range steps {
		count[s.Action]++
		if !f.JSON && s.Action != actionUnchanged {
			fmt.Fprintln(f.Out, cli.Line(s.String()))
		}
	}
	if !f.JSON {
		fmt.Fprintf(f.Out, "Plan: %d to create, %d to update, %d unchanged.\n", count[actionCreate], count[actionUpdate], count[actionUnchanged])
	}
	todo := !dryRun && count[actionCreate]+count[actionUpdate] > 0
	if todo {
		if ok, err := f.Agreed(ctx, yes, "Apply this plan?", "to apply the plan, or --dry-run to only print it"); !ok {
			return err
		}
	}
	for _, s := range steps {
		if !todo || s.Action == actionUnchanged {
			continue
		}
		if _, err := s.of.Put(ctx, svc, s.put); err != nil {
			return cli.WithRemedy(about(s.of.Singular+" "+s.Name, err), "What comes before it is applied. Run the command again.")
		}
	}
	if f.JSON {
		return f.PrintJSON(map[string]any{"applied": todo, "plan": steps})
	}
	return nil
}
