package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/contentapi"
)

// putContent saves an item and reports it.
func putContent(ctx context.Context, f *cli.Factory, item engine.ContentItem) error {
	keeper, err := contentKeeper(ctx, f)
	if err != nil {
		return err
	}
	ref, err := keeper.PutContent(ctx, item)
	if err != nil {
		return cli.AsUsage(err)
	}
	if f.JSON {
		return f.PrintJSON(ref)
	}
	fmt.Fprintln(f.Out, cli.Line("Saved "+ref.String()))
	return nil
}

func newContentBlock(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "block NAME FILE|-",
		Short:   "Add or change a content block",
		Long:    "Add or change a content block. The file is its source. Use\n`bugle workspace put content-blocks name=NAME source=@FILE` instead.",
		Example: "  bugle workspace content block footer footer.html",
		Args:    cli.Exactly(2, "a name, and a file or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := f.ReadText(cmd.Context(), args[1])
			if err != nil {
				return err
			}
			return putContent(cmd.Context(), f, engine.ContentItem{Block: &engine.ContentBlock{Name: args[0], Source: text}})
		},
	}
}

func newContentProducts(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "products NAME FILE|-",
		Short:   "Add or change a product set",
		Long:    "Add or change a product set. The file is a JSON array with one object per product. Use\n`bugle workspace put product-sets name=NAME products=@FILE` instead.",
		Example: `  echo '[{"title": "Boots", "price": 80.50}]' | bugle workspace content products shoes -`,
		Args:    cli.Exactly(2, "a name, and a file or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := f.ReadText(cmd.Context(), args[1])
			if err != nil {
				return err
			}
			set := &engine.ProductSet{Name: args[0]}
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			if err = d.Decode(&set.Products); err == nil && d.More() {
				err = errors.New("text after the end of the array")
			}
			if err != nil {
				return cli.Misused("%s is not a JSON array of products: %w", cli.InputName(args[1]), err)
			}
			return putContent(cmd.Context(), f, engine.ContentItem{Products: set})
		},
	}
}

func newContentTemplate(f *cli.Factory) *cobra.Command {
	var t engine.ContentTemplate
	var channel string
	cmd := &cobra.Command{
		Use:   "template ID FILE|-",
		Short: "Save a new version of a template",
		Long: "Save a template, or the next version of it. The file is the object under email, android or ios in a\n" +
			"campaign, in JSON or YAML. Use `bugle workspace put templates id=ID content=@FILE` instead.",
		Example: "  bugle workspace content template welcome welcome.json --channel EMAIL\n  bugle workspace content template card card.yaml --channel PUSH --platform ANDROID",
		Args:    cli.Exactly(2, "an id, and a file or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			t.ID, t.Channel = args[0], engine.Channel(channel)
			t.Content, err = f.Document(cmd.Context(), args[1])
			if errors.As(err, new(cli.DocumentError)) { // a template is invalid, not a campaign
				err = cli.Misuse(err)
			}
			if err != nil {
				return err
			}
			return putContent(cmd.Context(), f, engine.ContentItem{Template: &t})
		},
	}
	fl := cmd.Flags()
	channel = string(catalog.Email)
	cli.ChoiceFlag(cmd, cli.OneOf(&channel, cli.Choices{{Value: string(catalog.Email), Help: ""}, {Value: string(catalog.Push), Help: ""}}), "channel", "`channel` of the messages: EMAIL or PUSH")
	cli.ChoiceFlag(cmd, cli.OneOf(&t.Platform, cli.Choices{{Value: string(catalog.Android), Help: ""}, {Value: string(catalog.IOS), Help: ""}}), "platform", "`platform` of a push: ANDROID or IOS")
	fl.StringVar(&t.Name, "name", "", "display `name`")
	fl.IntVar(&t.Version, "version", 0, "version `number` (default the next one)")
	return cmd
}

// apiFlags describe a content API.
type apiFlags struct {
	api                  engine.ContentAPI
	headers, fromEnviron []string
}

func newContentAPI(f *cli.Factory) *cobra.Command {
	var a apiFlags
	cmd := &cobra.Command{
		Use:   "api NAME --url URL",
		Short: "Add or change a content API",
		Long: "Add or change a content API, which expressions call as {{ContentApi.NAME('Oslo').today}}. Use\n" +
			"`bugle workspace put content-apis` instead. Its host must be allowed with\n" +
			"`bugle workspace put general content_apis.hosts=HOST`.",
		Example: "  bugle workspace set content_hosts=api.example.com\n" +
			"  bugle workspace content api weather --url 'https://api.example.com/in/{city}' --param city \\\n    --header-env X-Key=WEATHER_KEY\n" +
			"  bugle workspace content try weather Oslo",
		Args:              cli.Exactly(1, "a name"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.api.Name = args[0]
			if err := a.complete(); err != nil {
				return err
			}
			if err := putContent(cmd.Context(), f, engine.ContentItem{API: &a.api}); err != nil {
				return err
			}
			return warnOfHost(cmd.Context(), f, a.api)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&a.api.URL, "url", "", "`URL`, such as https://api.example.com/in/{city}")
	fl.StringVar(&a.api.Method, "method", "", "HTTP `method`, GET or POST (default GET)")
	fl.StringArrayVar(&a.api.Params, "param", nil, "`name` of an argument, in order; can be repeated")
	fl.StringArrayVar(&a.headers, "header", nil, "header, as `NAME=VALUE`; can be repeated")
	fl.StringArrayVar(&a.fromEnviron, "header-env", nil, "header from an environment variable, as `NAME=VARIABLE`; can be repeated")
	fl.IntVar(&a.api.Timeout, "timeout-ms", 0, fmt.Sprintf("time limit in `milliseconds` (default %d)", engine.ContentTimeout.Milliseconds()))
	return cmd
}

func (a *apiFlags) complete() error {
	if a.api.URL == "" {
		return cli.Misused("set the URL with --url")
	}
	a.api.Method = strings.ToUpper(a.api.Method)
	for i, list := range [][]string{a.headers, a.fromEnviron} {
		for _, h := range list {
			name, value, ok := strings.Cut(h, "=")
			if !ok || name == "" || value == "" {
				return cli.Misused("a header must be NAME=VALUE, not %q", h)
			}
			header := engine.ContentHeader{Name: name, Value: value}
			if i == 1 {
				header = engine.ContentHeader{Name: name, Env: value}
			}
			a.api.Headers = append(a.api.Headers, header)
		}
	}
	return nil
}

// warnOfHost warns about a content API with a host that the workspace does not allow yet.
func warnOfHost(ctx context.Context, f *cli.Factory, api engine.ContentAPI) error {
	svc, err := f.Service(ctx)
	if err != nil {
		return err
	}
	w, err := svc.Workspace(ctx)
	if err != nil {
		return err
	}
	if err := contentapi.Allowed(w.ContentAPIs, api); err != nil {
		fmt.Fprintln(f.Err, cli.Line(fmt.Sprintf("It cannot be called yet: %v. Allow the host with `bugle workspace put general content_apis.hosts=HOST`.", err)))
	}
	return nil
}
