package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/browse"
	"bugle/cmd/bugle/campaign"
	"bugle/cmd/bugle/files"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/remotes"
	"bugle/cmd/bugle/mcp"
	"bugle/cmd/bugle/remote"
	"bugle/cmd/bugle/schema"
	"bugle/cmd/bugle/serve"
	"bugle/cmd/bugle/store"
	"bugle/cmd/bugle/terminal"
	"bugle/cmd/bugle/texts"
	"bugle/cmd/bugle/workspace"
	records "bugle/engine/workspace/settings"
	"bugle/themes"
)

// groupTool is the group of what cobra adds.
const groupTool = "Tools:"

// Commands are listed in workflow order. Cobra has one setting for the whole process, so it is set once.
func init() { cobra.EnableCommandSorting = false }

// newRoot returns the command tree.
func newRoot(f *cli.Factory) *cobra.Command {
	var open terminal.Options
	root := &cobra.Command{
		Use:   "bugle",
		Short: "Build push and email campaigns in the terminal",
		Long: "Run bugle without a command to open the terminal program. If the output is not a terminal, it prints\n" +
			"this help instead.",
		Example:       "  bugle\n  bugle -q 'status:draft tag:sale'\n  bugle search status:active --json",
		Args:          cli.NoCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       cli.Build(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := terminal.CheckTheme(f, open); err != nil {
				return err
			}
			if terminal.WantsPlain(f, cmd.Flag("accessible")) {
				return terminal.RunPlain(cmd.Context(), f, open)
			}
			if _, _, ok := f.Terminal(); ok {
				return terminal.Run(cmd.Context(), f, open)
			}
			if open.Query != "" {
				return cli.Misused("--query needs a terminal; use `bugle search` instead")
			}
			return cmd.Help()
		},
	}
	root.Flags().StringVarP(&open.Query, "query", "q", "", "open the list with this `search`, such as 'status:draft tag:sale'")
	root.Flags().Bool("accessible", false, "run in lines, for screen readers and pipes")
	root.Flags().StringVar(&open.Theme, "theme", "", "`name` of the color theme (default "+cli.EnvTheme+" or the one chosen last)")
	flags := root.PersistentFlags()
	flags.StringVarP(&f.Data, "data", "d", "", "`folder` or database URL of the store (default "+cli.EnvData+" or ~/.local/share/bugle)")
	flags.StringVarP(&f.Workspace, "workspace", "w", "", "`id` of the workspace, if there are several (default "+cli.EnvWorkspace+" or the one in use)")
	flags.StringVarP(&f.RemoteName, "remote", "r", "", "`name` of a remote, or local (default "+cli.EnvRemote+" or the one in use)")
	flags.BoolVar(&f.JSON, "json", false, "print JSON")
	complete := func(flag string, as cobra.CompletionFunc) {
		alone := func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return as(cmd, nil, typed)
		}
		if err := root.RegisterFlagCompletionFunc(flag, alone); err != nil {
			panic(err) // the flags were defined just above
		}
	}
	complete("remote", remote.Complete(&f.Environment, remotes.Local))
	complete("workspace", workspace.Complete(f))
	complete("theme", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		set, _ := themes.Load(f.ThemesDir())
		return set.Names(), cobra.ShellCompDirectiveNoFileComp
	})
	for _, group := range []struct {
		title string
		cmds  []*cobra.Command
	}{
		{"Set up:", []*cobra.Command{workspace.NewInit(f), workspace.New(f), remote.New(f)}},
		{"Build and test:", []*cobra.Command{
			campaign.NewCreate(f), campaign.NewGet(f), files.NewUpdate(f), files.NewEdit(f), campaign.NewCheck(f),
			campaign.NewPreview(f), campaign.NewTest(f), campaign.NewPublish(f),
		}},
		{"Browse:", []*cobra.Command{browse.NewSearch(f), files.NewHistory(f), campaign.NewOutbox(f)}},
		{"Manage campaigns:", append([]*cobra.Command{campaign.NewTag(f), campaign.NewClone(f)}, campaign.ActionCommands(f)...)},
		{"Work with files:", []*cobra.Command{
			files.NewExport(f), files.NewApply(f), files.NewWatch(f), files.NewDiff(f), texts.New(f),
		}},
		{"What is in a workspace:", workspace.NewNouns(f)},
		{"Serve the API:", []*cobra.Command{serve.New(f), mcp.New(f)}},
		{"Maintain the store:", []*cobra.Command{
			store.NewBackup(f), store.NewRestore(f), store.NewDoctor(f), store.NewEncrypt(f), store.NewRotate(f), store.NewDecrypt(f), store.NewKey(f),
		}},
		{groupTool, []*cobra.Command{files.NewLint(f), schema.New(f)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, c := range group.cmds {
			c.GroupID = group.title
			root.AddCommand(c)
		}
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(f, cmd) })
	root.SetHelpCommand(newHelp(f, root))
	root.SetHelpCommandGroupID(groupTool)
	root.SetCompletionCommandGroupID(groupTool)
	root.SetIn(f.In)
	root.SetOut(f.Out)
	root.SetErr(f.Err)
	root.InitDefaultCompletionCmd() // before Guard
	f.Guard(root, reach)
	return root
}

// reach is what commands work on that do not work on campaigns everywhere. A group has one entry; what depends on a flag has
// an entry of its own.
var reach = withNouns(map[string]cli.Reach{
	"init":               {Places: cli.InStore},
	"init --encrypt":     {Places: cli.InFolder, Instead: onDisk},
	"workspace":          {Places: cli.InStore},
	"workspace list":     {Places: cli.InStore, Whole: true},
	"workspace create":   {Places: cli.InStore, Whole: true},
	"workspace use":      {Places: cli.InStore, Whole: true},
	"workspace delete":   {Places: cli.InStore, Whole: true},
	"remote":             {Places: cli.Nowhere},
	"archive":            {Places: cli.InStore, Instead: inDashboard},
	"unarchive":          {Places: cli.InStore, Instead: inDashboard},
	"delete":             {Places: cli.InStore, Instead: inDashboard},
	"history":            {Places: cli.InStore, Instead: inDashboard},
	"outbox":             {Places: cli.InStore},
	"lint":               {Places: cli.Nowhere},
	"schema":             {Places: cli.Nowhere},
	"completion":         {Places: cli.Nowhere},
	"serve":              {Places: cli.InStore},
	"backup":             {Places: cli.InStore, Whole: true, Instead: "To copy the campaigns of a remote, use `bugle export`."},
	"restore":            {Places: cli.InStore, Whole: true, Instead: "To create campaigns on a remote, use `bugle apply`."},
	"restore --campaign": {Places: cli.InStore, Instead: "Restore the backup to a folder with --data, export the campaign there, and apply it."},
	"doctor":             {Places: cli.InStore, Whole: true},
	"doctor --rescue":    {Places: cli.InFolder, Whole: true, Instead: "Restore a backup of the database instead."},
	"encrypt":            {Places: cli.InFolder, Whole: true, Instead: onDisk},
	"rotate":             {Places: cli.InFolder, Whole: true, Instead: onDisk},
	"decrypt":            {Places: cli.InFolder, Whole: true, Instead: onDisk},
	"key":                {Places: cli.InFolder, Whole: true, Instead: onDisk},
})

// withNouns adds the commands for what is in a workspace.
func withNouns(reach map[string]cli.Reach) map[string]cli.Reach {
	for _, s := range records.Sections() {
		reach[s.ID] = cli.Reach{Places: cli.InStore}
	}
	return reach
}

// inDashboard is where to do what the API of a remote cannot.
const inDashboard = "The API of a remote cannot do that; its own dashboard may."

// onDisk is how to encrypt a store in a database.
const onDisk = "Encrypt the disk of the database instead, or use a database service that does. Backups can be encrypted with `bugle backup --encrypt`."

// newHelp returns the help command, which has topics besides the commands, and fails for what is neither.
func newHelp(f *cli.Factory, root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show help for a command or a topic",
		Long:  "The topics are listed by `bugle --help`. Where one has the name of a command, as templates has, this shows the topic.",
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, t := range topics() {
				if len(args) == 1 && args[0] == t.name {
					fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n%s\n", t.short, readable(t.text, helpWidth(f)))
					return nil
				}
			}
			cmd, rest, err := root.Find(args)
			if err != nil || cmd == nil || len(rest) > 0 {
				return cli.Misused("no help for %q", strings.Join(args, " "))
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			cmd, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var out []cobra.Completion
			for _, t := range topics() {
				if len(args) == 0 {
					out = append(out, cobra.CompletionWithDesc(t.name, t.short))
				}
			}
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() {
					out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
