package main

import (
	"embed"
	"fmt"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/remotes"
	"bugle/cmd/bugle/internal/storekey"
	"bugle/cmd/bugle/store"
	"bugle/cmd/bugle/terminal"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/message/template"
)

//go:embed help/*.md
var pages embed.FS

// topic is a topic of the help that is no command.
type topic struct {
	name, short string
	text        string // in Markdown, without its title
}

// topics returns the help topics in the order in which they are listed. Those with a page are linked by README.
func topics() []topic {
	list := []topic{
		{name: "files"}, {name: "workspaces"}, {name: "api"}, {name: "team"}, {name: "encryption"}, {name: "keys"}, {name: "themes"},
	}
	for i, t := range list {
		page, err := pages.ReadFile("help/" + t.name + ".md")
		if err != nil {
			panic(err) // it is embedded
		}
		title, text, _ := strings.Cut(strings.TrimPrefix(string(page), "# "), "\n\n")
		list[i].short, list[i].text = title, text
	}
	return append(list,
		topic{"templates", "What expressions in texts can use", template.Help()},
		topic{"environment", "Variables and files that bugle reads and keeps", environmentNote + "\n\n" + rows(30, environment) + "\n\n## Files\n\n" + rows(32, places) + "\n\n" + placesNote},
		topic{"exit-codes", "Exit codes of the commands", rows(2, exitCodes) + "\n\n" + exitCodesNote},
	)
}

// rows returns lines with a name and a text each.
func rows(width int, all [][2]string) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "%-*s %s\n", width, r[0], r[1])
	}
	return strings.TrimRight(b.String(), "\n")
}

// A topic of the help is lines of a name and a text.
var (
	environment = [][2]string{
		{cli.EnvData, "folder of the store, or URL of its database (--data)"},
		{cli.EnvWorkspace, "id of the workspace (--workspace)"},
		{cli.EnvRemote, "name of the remote (--remote)"},
		{cli.EnvAuthor, "email address to sign changes with"},
		{cli.EnvTheme, "color theme of the terminal program (--theme)"},
		{terminal.EnvAccessible + ", " + terminal.EnvOwnAccessible, "1: run in lines (--accessible), as with TERM=dumb"},
		{"NO_COLOR", "any value: no colors in the terminal program"},
		{"VISUAL, EDITOR", "editor for long texts and `bugle edit`"},
		{cli.EnvBackups, "off: no daily backups"},
		{store.EnvPassphrase, "passphrase of encrypted backups"},
		{storekey.Env, "key of an encrypted store, if it is not in the keyring"},
		{storekey.EnvCommand, "command that prints the key of the store"},
		{storekey.EnvNew, "new key for `bugle rotate`"},
		{storekey.EnvNewCommand, "command that prints the new key"},
		{"XDG_CONFIG_HOME", "folder with bugle: keys.yaml, commands.yaml, themes, " + remotes.FileName + ", " + secret.TrustFile},
		{"XDG_DATA_HOME", "folder with the default store, bugle"},
		{"XDG_STATE_HOME", "folder with bugle, where the terminal program keeps its state"},
	}
	exitCodes = [][2]string{
		{"0", "success; for diff: no differences"},
		{"1", "failed: a file, the store or a test send; a damaged store; a conflict; interrupted; for diff: differences"},
		{"2", "invalid usage"},
		{"3", "the campaign is invalid; nothing was sent"},
		{"4", "the service refused the request"},
	}
	places = [][2]string{
		{"~/.local/share/bugle", "the store"},
		{"~/.local/share/bugle/backups", "daily backups of seven days and four weeks"},
		{"~/.local/share/bugle/bugle.sock", "socket of the API, for your user only"},
		{"~/.config/bugle/keys.yaml", "your key bindings"},
		{"~/.config/bugle/commands.yaml", "your own commands on keys"},
		{"~/.config/bugle/themes", "your color themes"},
		{"~/.config/bugle/" + remotes.FileName, "remotes, without their keys"},
		{"~/.config/bugle/" + secret.TrustFile, "files and commands that push gateways may use for their keys"},
		{"~/.local/state/bugle", "what the terminal program remembers, and texts that `bugle edit` could not save"},
	}
)

// What follows the lines of a topic, or comes before them.
const (
	environmentNote = "A flag overrides its variable."
	exitCodesNote   = "With --json, an error is a JSON object on standard error, with error.code, error.message and\nerror.details."
	placesNote      = "On macOS and Windows, these are in the folders of the system for data and settings; the settings of\nbugle (f9) list them."
)
