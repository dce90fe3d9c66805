package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/phrase"
)

// contentNouns are the kinds of content and their names in the former commands.
var contentNouns = []struct {
	noun string
	kind engine.ContentKind
}{{"block", engine.KindBlock}, {"products", engine.KindProducts}, {"api", engine.KindAPI}, {"template", engine.KindTemplate}}

func nounOf(kind engine.ContentKind) string {
	for _, n := range contentNouns {
		if n.kind == kind {
			return n.noun
		}
	}
	return string(kind)
}

func kindOf(noun string) (engine.ContentKind, error) {
	var nouns []string
	for _, n := range contentNouns {
		if n.noun == noun {
			return n.kind, nil
		}
		nouns = append(nouns, n.noun)
	}
	return "", cli.Misused("unknown kind of content %q; choose from %s", noun, strings.Join(nouns, ", "))
}

func newWorkspaceContent(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "content",
		Short: "Manage content blocks, products, APIs and templates",
		Long: "List and change content. Use the sections content-blocks, product-sets, content-apis and templates of\n" +
			"`bugle workspace list`, `get`, `put`, `delete` and `test` instead.",
		Args:              cli.NoCommand,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keeper, err := contentKeeper(cmd.Context(), f)
			if err != nil {
				return err
			}
			return listContent(cmd.Context(), f, keeper)
		},
	}
	cmd.AddCommand(newContentShow(f), newContentBlock(f), newContentProducts(f), newContentAPI(f), newContentTemplate(f), newContentRemove(f), newContentTry(f))
	return cmd
}

func contentKeeper(ctx context.Context, f *cli.Factory) (engine.ContentStore, error) {
	return f.Service(ctx)
}

func listContent(ctx context.Context, f *cli.Factory, keeper engine.ContentStore) error {
	all := map[engine.ContentKind][]engine.ContentItem{}
	var rows [][]string
	for _, n := range contentNouns {
		items, err := keeper.Content(ctx, n.kind)
		if err != nil {
			return err
		}
		all[n.kind] = append([]engine.ContentItem{}, items...)
		for _, i := range items {
			rows = append(rows, []string{n.noun, i.Ref().Name, contentWords(i)})
		}
	}
	switch {
	case f.JSON:
		return f.PrintJSON(all)
	case len(rows) == 0:
		fmt.Fprintln(f.Err, "No content yet. Add some with `bugle workspace put content-blocks`.")
		return nil
	}
	return f.Rows([]string{"KIND", "NAME", "DESCRIPTION"}, rows)
}

// contentWords describes an item in a few words.
func contentWords(i engine.ContentItem) string {
	switch {
	case i.Block != nil:
		return phrase.Count(len([]rune(i.Block.Source)), "character")
	case i.Products != nil:
		return phrase.Count(len(i.Products.Products), "product")
	case i.API != nil:
		return strings.TrimSpace(fmt.Sprintf("%s(%s) %s", i.API.Name, strings.Join(i.API.Params, ", "), i.API.URL))
	case i.Template != nil:
		what := fmt.Sprintf("version %d, %s", i.Template.Version, i.Template.Channel)
		if i.Template.Platform != "" {
			what += " " + i.Template.Platform
		}
		if i.Template.Name != "" {
			what += ", " + i.Template.Name
		}
		return what
	}
	return ""
}

// contentArgs are the arguments KIND NAME.
func contentArgs(f *cli.Factory) (cobra.PositionalArgs, cobra.CompletionFunc) {
	complete := func(cmd *cobra.Command, args []string, _ string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			for _, n := range contentNouns {
				out = append(out, n.noun)
			}
		case 1:
			kind, err := kindOf(args[0])
			if err != nil {
				break
			}
			keeper, err := contentKeeper(cmd.Context(), f)
			if err != nil {
				break
			}
			items, _ := keeper.Content(cmd.Context(), kind) // on errors, complete nothing
			for _, i := range items {
				out = append(out, cobra.CompletionWithDesc(cli.Line(i.Ref().Name), cli.Line(contentWords(i))))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	return cli.Exactly(2, "a kind (block, products, api or template) and a name"), complete
}

// versionFlag is the version of a template.
func versionFlag(cmd *cobra.Command, version *int, all string) {
	cmd.Flags().IntVar(version, "version", 0, "version `number` of a template (default "+all+")")
}

func contentRef(args []string, version int) (engine.ContentRef, error) {
	kind, err := kindOf(args[0])
	switch {
	case err != nil:
		return engine.ContentRef{}, err
	case version < 0, version > 0 && kind != engine.KindTemplate:
		return engine.ContentRef{}, cli.Misused("--version must be at least 1, and only templates have versions")
	}
	return engine.ContentRef{Kind: kind, Name: args[1], Version: version}, nil
}

func newContentShow(f *cli.Factory) *cobra.Command {
	var version int
	args, complete := contentArgs(f)
	cmd := &cobra.Command{
		Use:   "show KIND NAME",
		Short: "Show content and what uses it",
		Long:  "Print the source of a content block, or anything else as JSON. Where it is used is printed on standard\nerror. Use `bugle workspace get` instead.",
		Args:  args, ValidArgsFunction: complete,
		Example: "  bugle workspace content show block footer > footer.html\n  bugle workspace content show template welcome --version 2",
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := contentRef(args, version)
			if err != nil {
				return err
			}
			keeper, err := contentKeeper(cmd.Context(), f)
			if err != nil {
				return err
			}
			item, err := keeper.ContentItem(cmd.Context(), ref)
			if err != nil {
				return err
			}
			if err := printContent(&f.Printer, item); err != nil || f.JSON {
				return err
			}
			uses, err := keeper.ContentUses(cmd.Context(), ref)
			for _, u := range uses {
				fmt.Fprintln(f.Err, cli.Line("Used by "+useWords(u)))
			}
			return err
		},
	}
	versionFlag(cmd, &version, "the newest")
	return cmd
}

func printContent(p *cli.Printer, item engine.ContentItem) error {
	switch {
	case p.JSON:
		return p.PrintJSON(item)
	case item.Block != nil:
		text := item.Block.Source
		if file, ok := cli.FileOf(p.Out); ok && cli.IsTerminal(file) {
			text = cli.Clean(text)
		}
		_, err := fmt.Fprint(p.Out, text)
		return err
	case item.Products != nil:
		return p.PrintJSON(item.Products.Products)
	case item.API != nil:
		return p.PrintJSON(item.API)
	}
	return p.PrintDoc(item.Template.Content)
}

func useWords(u engine.ContentUse) string {
	if u.Campaign != "" {
		return fmt.Sprintf("campaign %s (%s, %s)", u.Campaign, u.Name, u.Status)
	}
	return nounOf(u.In.Kind) + strings.TrimPrefix(u.In.String(), u.In.Kind.Label())
}

func newContentRemove(f *cli.Factory) *cobra.Command {
	var version int
	var force bool
	args, complete := contentArgs(f)
	cmd := &cobra.Command{
		Use:   "remove KIND NAME",
		Short: "Remove content that nothing uses",
		Long:  "Remove content. If other content or a campaign uses it, --force is required. Use `bugle workspace delete`\ninstead.",
		Args:  args, ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := contentRef(args, version)
			if err != nil {
				return err
			}
			keeper, err := contentKeeper(cmd.Context(), f)
			if err != nil {
				return err
			}
			uses, err := keeper.ContentUses(cmd.Context(), ref)
			if err != nil {
				return err
			}
			if len(uses) > 0 && !force {
				var by []string
				for _, u := range uses {
					by = append(by, useWords(u))
				}
				return fmt.Errorf("%s is used by %s; use --force to remove it anyway", ref, strings.Join(by, ", "))
			}
			if err := keeper.DeleteContent(cmd.Context(), ref); err != nil {
				return err
			}
			if f.JSON {
				return f.PrintJSON(map[string]any{"removed": ref})
			}
			fmt.Fprintln(f.Out, cli.Line("Removed "+ref.String()))
			return nil
		},
	}
	versionFlag(cmd, &version, "all of them")
	cmd.Flags().BoolVar(&force, "force", false, "remove it even if something uses it")
	return cmd
}

func newContentTry(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "try NAME [ARGUMENT…]",
		Short:   "Call a content API",
		Long:    "Call a content API as a message would, and print the result. Use `bugle workspace test content-apis`\ninstead.",
		Example: "  bugle workspace content try weather Oslo",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Misused("%s", cli.Takes(cmd, "the name of a content API, and its arguments"))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			keeper, err := contentKeeper(cmd.Context(), f)
			if err != nil {
				return err
			}
			out, err := keeper.TryContentAPI(cmd.Context(), args[0], engine.TextArguments(args[1:]))
			if err != nil {
				return err
			}
			if out.Call.Err != "" {
				return fmt.Errorf("the content API %s failed: %s", args[0], out.Call.Err)
			}
			if f.JSON {
				return f.PrintJSON(map[string]any{"value": out.Value, "status": out.Call.Status, "url": out.Call.URL, "took_ms": out.Call.End.Sub(out.Call.Start).Milliseconds()})
			}
			return f.PrintJSON(out.Value)
		},
	}
}
