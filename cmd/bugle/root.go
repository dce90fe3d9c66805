package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bugle/cmd/bugle/internal/storekey"
	"bugle/themes"
)

// The groups that `bugle help` lists the commands in.
const (
	groupBegin  = "begin"
	groupBuild  = "build"
	groupManage = "manage"
	groupFiles  = "files"
	groupServe  = "serve"
	groupStore  = "store"
	groupTool   = "tool"
)

// newRoot makes the command tree.
func newRoot(f *factory) *cobra.Command {
	var open terminalOptions
	root := &cobra.Command{
		Use:   "bugle",
		Short: "Build push and e-mail campaigns in the terminal",
		Long: "bugle is a terminal program in which push and e-mail campaigns are built component by\n" +
			"component, tested on a few people, and looked after. Without a command it opens; without\n" +
			"a terminal to open in it prints a summary of the workspace.",
		Args:              noCommand,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           version(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, _, ok := f.terminal(); ok {
				return runTerminal(cmd.Context(), f, open)
			}
			if open.query != "" {
				return misused("--query opens the list in a terminal, and there is none here; bugle search finds campaigns without one")
			}
			return printSummary(cmd.Context(), f)
		},
	}
	root.Flags().StringVarP(&open.query, "query", "q", "", "open the list of campaigns with this `search`: 'status:draft tag:sale'")
	addAccessible(f, root, &open)
	root.Flags().StringVar(&open.theme, "theme", "", "`name` of the terminal program's theme (default: "+envTheme+", or the one you chose last)")
	if err := root.RegisterFlagCompletionFunc("theme", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		set, _ := themes.Load(f.themesDir())
		return set.Names(), cobra.ShellCompDirectiveNoFileComp
	}); err != nil {
		panic(err) // the flag is the line above
	}
	cobra.EnableCommandSorting = false // they stand in the order of the work
	flags := root.PersistentFlags()
	flags.StringVar(&f.data, "data", "", "`folder` of the store (default: "+envData+", or the XDG data folder)")
	flags.StringVar(&f.workspace, "workspace", "", "`id` of the workspace, where there are several (default: "+envWorkspace+")")
	flags.StringVar(&f.remoteName, "profile", "", "`name` of a remote service, or local (default: "+envProfile+", or the one in use)")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	root.AddGroup(
		&cobra.Group{ID: groupBegin, Title: "To begin:"},
		&cobra.Group{ID: groupBuild, Title: "Build and test campaigns:"},
		&cobra.Group{ID: groupManage, Title: "Look after what is live:"},
		&cobra.Group{ID: groupFiles, Title: "Keep campaigns as files:"},
		&cobra.Group{ID: groupServe, Title: "Serve the API:"},
		&cobra.Group{ID: groupStore, Title: "Look after the store:"},
		&cobra.Group{ID: groupTool, Title: "Tools:"},
	)
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupBegin, newInit(f), newWorkspaceCmd(f), newProfile(f))
	add(groupBuild, newCreate(f), newGet(f), newUpdate(f), newValidate(f), newPreview(f), newTest(f), newPublish(f))
	add(groupManage, newSearch(f), newMeta(f), newStatus(f))
	add(groupFiles, newExport(f), newImport(f), newApply(f), newDiff(f))
	add(groupTool, newLint(f), newSchema(f))
	add(groupServe, newServe(f), newKeys(f))
	add(groupStore, newBackup(f), newRestore(f), newDoctor(f), newEncrypt(f), newDecrypt(f), newBench(f))
	root.AddCommand(topics()...)
	root.SetHelpCommand(newHelp(root))
	root.SetHelpCommandGroupID(groupTool)
	root.SetCompletionCommandGroupID(groupTool)
	root.SetIn(f.in)
	root.SetOut(f.out)
	root.SetErr(f.err)
	addCompletion(root)
	noteRunning(f, root)
	return root
}

// addCompletion adds cobra's command for shells, and makes it refuse a shell that it does not know.
// It writes to the output that root has now.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = noCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// noteRunning makes every command say when its arguments were taken, and refuse a data folder that is none.
func noteRunning(f *factory, cmd *cobra.Command) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			f.running = true
			if err := f.checkDataDir(); err != nil {
				return err
			}
			return run(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		noteRunning(f, c)
	}
}

// noCommand refuses arguments of a command that only has others below it, and says which of
// them was probably meant.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := ""
	if cmd.SuggestionsMinimumDistance == 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if names := cmd.SuggestionsFor(args[0]); len(names) > 0 {
		near = "; did you mean " + strings.Join(names, " or ") + "?"
	}
	return misused("there is no command %q%s", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "bugle "), near)
}

// exactly wants n arguments, and says what they are for otherwise.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return misused("this takes %s", what)
		}
		return nil
	}
}

// between wants from least to most arguments, and says what they are for otherwise.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return misused("this takes %s", what)
		}
		return nil
	}
}

// ownFlag gives the name of a flag of the command's own that was given; empty where none was.
func ownFlag(cmd *cobra.Command) (name string) {
	own := cmd.LocalNonPersistentFlags()
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		if own.Lookup(fl.Name) != nil {
			name = fl.Name
		}
	})
	return name
}

// newHelp is cobra's help command, which refuses what there is no help for.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show help for a command or a topic",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || cmd == nil || len(rest) > 0 {
				return misused("there is no help for %q", strings.Join(args, " "))
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
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
					out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// topics are what help tells of besides commands.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "environment",
			Short: "The environment variables that are read",
			Long: envData + "       folder of the store; --data goes before it\n" +
				envWorkspace + "  id of the workspace; --workspace goes before it\n" +
				envProfile + "    name of a remote service to work against; --profile goes before it\n" +
				envAuthor + "     e-mail address that changes are signed with\n" +
				envTheme + "      theme of the terminal program; --theme goes before it\n" +
				envBackups + "    off: no backup is made each day\n" +
				envPassphrase + " passphrase of encrypted backups\n" +
				storekey.Env + " key of an encrypted store, where no keyring has it; " + storekey.EnvCommand + "\n                 is a command that prints it\n" +
				storekey.EnvNew + ", " + storekey.EnvNewCommand + "\n                 the one that bugle encrypt --rotate gives it\n" +
				"XDG_CONFIG_HOME  keys.yaml, themes and profiles.json are in its folder bugle\n" +
				"XDG_STATE_HOME   what the terminal program remembers is in its folder bugle\n" +
				envAccessible + ", " + envOwnAccessible + "\n                 set to 1, the terminal program asks and answers in lines, as with --accessible\n" +
				"NO_COLOR         set to anything, the terminal program draws without colours\n" +
				"VISUAL, EDITOR   editor that the terminal program opens long texts in",
		},
		{
			Use:   "exit-codes",
			Short: "What the exit code of a command says",
			Long: "0  done\n1  failed: a file, the store or a test send\n2  misused: the command line does not say what it must\n" +
				"3  the campaign is invalid, found before it was sent\n4  the service refused, in its own words\n\n" +
				"With --json what failed is one JSON object on standard error: error.code, error.message,\n" +
				"error.details and what else the service says.",
		},
	}
}
