package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bugle/cmd/bugle/internal/remotes"
	"bugle/cmd/bugle/internal/storekey"
	"bugle/themes"
)

// The groups of commands in `bugle help`.
const (
	groupBegin  = "begin"
	groupBuild  = "build"
	groupBrowse = "browse"
	groupManage = "manage"
	groupFiles  = "files"
	groupServe  = "serve"
	groupStore  = "store"
	groupTool   = "tool"
)

// newRoot returns the command tree.
func newRoot(f *factory) *cobra.Command {
	var open terminalOptions
	root := &cobra.Command{
		Use:   "bugle",
		Short: "Build push and email campaigns in the terminal",
		Long: "Run bugle without a command to open the terminal program. If the output is not a terminal, it prints\n" +
			"a summary of the workspace instead.",
		Example:           "  bugle\n  bugle -q 'status:draft tag:sale'\n  bugle search status:active --json",
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
				return misused("--query needs a terminal; use `bugle search` instead")
			}
			return printSummary(cmd.Context(), f)
		},
	}
	root.Flags().StringVarP(&open.query, "query", "q", "", "open the list with this `search`, such as 'status:draft tag:sale'")
	addAccessible(f, root, &open)
	checkTheme(f, root, &open)
	root.Flags().StringVar(&open.theme, "theme", "", "`name` of the color theme (default "+envTheme+" or the one chosen last)")
	if err := root.RegisterFlagCompletionFunc("theme", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		set, _ := themes.Load(f.themesDir())
		return set.Names(), cobra.ShellCompDirectiveNoFileComp
	}); err != nil {
		panic(err) // the flag is the line above
	}
	cobra.EnableCommandSorting = false // they are listed in the order of the work
	flags := root.PersistentFlags()
	flags.StringVar(&f.data, "data", "", "`folder` of the store (default "+envData+" or ~/.local/share/bugle)")
	flags.StringVar(&f.workspace, "workspace", "", "`id` of the workspace, if there are several (default "+envWorkspace+")")
	flags.StringVar(&f.remoteName, "remote", "", "`name` of a remote, or local (default "+envRemote+" or the one in use)")
	flags.StringVar(&f.remoteName, "profile", "", "the former name of --remote")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	if err := errors.Join(flags.MarkHidden("profile"), root.RegisterFlagCompletionFunc("remote", completeRemoteFlag(&f.environment))); err != nil {
		panic(err) // the flags are the lines above
	}
	root.AddGroup(
		&cobra.Group{ID: groupBegin, Title: "Set up:"},
		&cobra.Group{ID: groupBuild, Title: "Build and test:"},
		&cobra.Group{ID: groupBrowse, Title: "Browse:"},
		&cobra.Group{ID: groupManage, Title: "Manage live campaigns:"},
		&cobra.Group{ID: groupFiles, Title: "Work with files:"},
		&cobra.Group{ID: groupServe, Title: "Serve the API:"},
		&cobra.Group{ID: groupStore, Title: "Maintain the store:"},
		&cobra.Group{ID: groupTool, Title: "Tools:"},
	)
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupBegin, newInit(f), newWorkspaceCmd(f), newRemote(f, "remote"), newRemote(f, "profile"))
	add(groupBuild, newCreate(f), newGet(f), newUpdate(f), newValidate(f), newPreview(f), newTest(f), newPublish(f))
	add(groupBrowse, newSearch(f), newMeta(f))
	add(groupManage, append(statusCommands(f), newStatus(f))...)
	add(groupFiles, newExport(f), newImport(f), newApply(f), newDiff(f))
	add(groupTool, newLint(f), newSchema(f))
	add(groupServe, newServe(f), newKeys(f))
	add(groupStore, newBackup(f), newRestore(f), newDoctor(f), newEncrypt(f), newDecrypt(f))
	root.AddCommand(topics()...)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(f, cmd) })
	root.SetHelpCommand(newHelp(root))
	root.SetHelpCommandGroupID(groupTool)
	root.SetCompletionCommandGroupID(groupTool)
	root.SetIn(f.in)
	root.SetOut(f.out)
	root.SetErr(f.err)
	addCompletion(root)
	return root
}

// checkTheme makes root refuse an unknown theme, also where nothing is drawn.
func checkTheme(f *factory, root *cobra.Command, open *terminalOptions) {
	run := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if env := f.getenv(envTheme); open.theme != "" || env != "" {
			shelf := &themeShelf{dir: f.themesDir()}
			shelf.Reload() // a broken theme file is reported by the terminal program
			if _, _, err := shelf.first(open.theme, env, nil); err != nil {
				return err
			}
		}
		return run(cmd, args)
	}
}

// addCompletion adds cobra's completion command, and makes it refuse an unknown shell. It writes to the output that
// root has now.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Print the completion script for a shell"
			c.Long = "The help of each subcommand describes how to use the script in that shell."
			for _, shell := range c.Commands() {
				shell.Short = "Print the completion script for " + shell.Name()
				_, rest, _ := strings.Cut(shell.Long, "\n")
				shell.Long = strings.TrimSpace(rest)
			}
			c.Args = noCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// noteRunning makes every command note when its arguments were parsed, and refuse a data folder or a remote that
// does not exist, whether the command needs it or not.
func noteRunning(f *factory, cmd *cobra.Command) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			f.running = true
			if err := f.checkDataDir(); err != nil {
				return err
			}
			if err := f.checkRemote(); err != nil {
				return err
			}
			return run(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		noteRunning(f, c)
	}
}

// noCommand refuses arguments of a command that only has subcommands, and suggests the closest one.
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
	return misused("unknown command %q%s", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "bugle "), near)
}

// exactly requires n arguments, described by what.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return misused("%s", takes(cmd, what))
		}
		return nil
	}
}

// between requires from least to most arguments, described by what.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return misused("%s", takes(cmd, what))
		}
		return nil
	}
}

// takes describes the arguments of a command for an error.
func takes(cmd *cobra.Command, what string) string {
	return strings.TrimPrefix(cmd.CommandPath(), "bugle ") + " takes " + what
}

// ownFlag returns the name of a set flag that is the command's own, empty if there is none.
func ownFlag(cmd *cobra.Command) (name string) {
	own := cmd.LocalNonPersistentFlags()
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		if own.Lookup(fl.Name) != nil {
			name = fl.Name
		}
	})
	return name
}

// newHelp is cobra's help command, except that it fails for an unknown topic.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show help for a command or a topic",
		Long:  "The topics are environment and exit-codes.",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || cmd == nil || len(rest) > 0 {
				return misused("no help for %q", strings.Join(args, " "))
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

// topics are the help topics that are not commands.
func topics() []*cobra.Command {
	rows := func(all [][2]string) string {
		var b strings.Builder
		for _, r := range all {
			fmt.Fprintf(&b, "%-30s %s\n", r[0], r[1])
		}
		return strings.TrimRight(b.String(), "\n")
	}
	return []*cobra.Command{
		{
			Use:   "environment",
			Short: "Environment variables that bugle reads",
			Long: "A flag overrides its variable.\n\n" + rows([][2]string{
				{envData, "folder of the store (--data)"},
				{envWorkspace, "id of the workspace (--workspace)"},
				{envRemote, "name of the remote (--remote)"},
				{envAuthor, "email address to sign changes with"},
				{envTheme, "color theme of the terminal program (--theme)"},
				{envAccessible + ", " + envOwnAccessible, "1: use plain questions and answers (--accessible)"},
				{"NO_COLOR", "any value: no colors in the terminal program"},
				{"VISUAL, EDITOR", "editor for long texts"},
				{envBackups, "off: no daily backups"},
				{envPassphrase, "passphrase of encrypted backups"},
				{storekey.Env, "key of an encrypted store, if it is not in the keyring"},
				{storekey.EnvCommand, "command that prints the key of the store"},
				{storekey.EnvNew, "new key for `bugle encrypt --rotate`"},
				{storekey.EnvNewCommand, "command that prints the new key"},
				{"XDG_CONFIG_HOME", "folder with bugle/keys.yaml, bugle/themes, bugle/" + remotes.FileName},
				{"XDG_DATA_HOME", "folder with the default store, bugle"},
				{"XDG_STATE_HOME", "folder with bugle, where the terminal program keeps its state"},
			}),
		},
		{
			Use:   "exit-codes",
			Short: "Exit codes of the commands",
			Long: "0  success; for diff: no differences\n1  failed: a file, the store or a test send; for diff: differences\n2  invalid usage\n" +
				"3  the campaign is invalid; nothing was sent\n4  the service refused the request\n\n" +
				"With --json, an error is a JSON object on standard error, with error.code, error.message and\n" +
				"error.details.",
		},
	}
}
