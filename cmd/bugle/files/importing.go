package files

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/doc"
)

// importing holds the flags of import.
type importing struct {
	by    string
	force bool
}

// NewImport returns the command bugle import.
func NewImport(f *cli.Factory) *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use:   "import FILE...|DIR",
		Short: "Create drafts from files",
		Long: "Each campaign in the JSON, YAML or JSON lines files, or in a folder of them, becomes a new draft. It can be the\n" +
			"output of `bugle get` or `bugle export`, or the body of a create request. All campaigns are checked first: if one\n" +
			"is invalid, none is created and the exit code is 3.\n\n" +
			"If an import is interrupted or fails, run it again to create the other drafts: what was created from the same\n" +
			"campaign of a file in the last 24 hours is not created again (a remote may remember it for another time).\n" +
			"`bugle create` always creates another draft. A file with a revision is not imported if somebody changed its\n" +
			"campaign since then, unless you use --force.",
		Example: "  bugle import campaigns/*.yaml\n  bugle import --by ann@example.com - < campaigns.jsonl",
		Args:    someFiles("files or a folder"),
		RunE:    func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), f, args) },
	}
	cli.AddBy(cmd, &i.by)
	cli.AddForce(cmd, &i.force, "import also files that are older than their campaigns")
	return cmd
}

// someFiles requires at least one file.
func someFiles(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cli.Misused("%s", cli.Takes(cmd, what+", or - for standard input"))
		}
		return nil
	}
}

func (i importing) run(ctx context.Context, f *cli.Factory, args []string) error {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	p, err := newPlanner(ctx, f, svc, i.by, i.force, true)
	if err != nil {
		return err
	}
	if err := p.read(ctx, args); err != nil {
		return err
	}
	code := p.exitCode()
	if !f.JSON {
		p.printErrors()
	}
	if code == cli.ExitDone {
		code = p.apply(ctx, true)
	}
	made := 0
	for _, s := range p.steps {
		s.Request = doc.Value{}
		if s.Result != "" {
			made++
		}
	}
	switch total := len(p.steps); {
	case f.JSON:
		if err := f.PrintJSON(map[string]any{"campaigns": p.steps}); err != nil {
			return err
		}
	case made == 0 && total > 0:
		fmt.Fprintln(f.Err, "No drafts were created.")
	case made < total:
		fmt.Fprintf(f.Err, "%d of %d drafts were created. Run the command again to create the others; none is created twice.\n", made, total)
	}
	return cli.Silent(code)
}

// worse returns the more severe of two exit codes: failure, then invalid input, then refusal.
func worse(a, b int) int {
	order := []int{cli.ExitDone, cli.ExitRefused, cli.ExitInvalid, cli.ExitMisused, cli.ExitFailed}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}
