// Package commands has the commands that the user adds to the program in a file: shell commands on keys, for the
// campaign, the selection or the focused field.
//
// A command is run by sh as it stands in the file. Values are variables of its environment, such as $BUGLE_NAME, and never
// part of its text. What the command does with them, as with eval or in $((…)), is up to it.
package commands

import (
	"slices"
	"time"

	"bugle/ui/keymap"
)

// Output is where the standard output of a command goes.
type Output string

// The outputs.
const (
	OutputToast Output = "toast" // its first line is shown in a notice
	OutputPane  Output = "pane"  // it is shown in a box that scrolls
	OutputField Output = "field" // it replaces the value of the focused field
	OutputNone  Output = "none"
)

var outputs = []Output{OutputField, OutputPane, OutputToast, OutputNone}

// Command is one command of the file.
type Command struct {
	Key    string // as tea.KeyMsg spells it
	Name   string
	Screen string // the part before the dot in the names of the screen's actions; [keymap.App] for all screens
	// Prompts are asked for before it runs, in order.
	Prompts []Prompt
	Output  Output
	// Terminal hands the terminal over to the command; its output is not read.
	Terminal bool
	// Timeout is how long it may run. It does not apply to a command that has the terminal.
	Timeout time.Duration

	script  script
	confirm script // the question; empty if nothing is asked
}

// Prompt is a text that the user types before a command runs.
type Prompt struct{ Name, Title, Default string }

// Confirms reports whether the command asks before it runs.
func (c Command) Confirms() bool { return c.confirm.text != "" }

// UsesField reports whether the command works on the focused field.
func (c Command) UsesField() bool {
	return c.Output == OutputField || c.uses("FIELD") || c.uses("VALUE")
}

// UsesCampaign reports whether the command needs a campaign, or several.
func (c Command) UsesCampaign() bool {
	return c.uses("ID") || c.uses("NAME") || c.uses("CHANNEL") || c.uses("STATUS") || c.uses("IDS")
}

// UsesFile reports whether the command reads [Data.File].
func (c Command) UsesFile() bool { return c.uses("FILE") }

func (c Command) uses(name string) bool {
	return slices.Contains(c.script.names, name) || slices.Contains(c.confirm.names, name)
}

// On reports whether the command is available on a screen.
func (c Command) On(screen string) bool { return c.Screen == keymap.App || c.Screen == screen }

// Data is what a command is about.
type Data struct {
	// The campaign.
	ID, Name, Channel, Status string
	// IDs are the selected campaigns, or the campaign if none is selected.
	IDs []string
	// Field and Value are the path and the value of the focused field.
	Field, Value string
	// File is the path of a file with the value of the focused field or, if none is focused, the campaign as JSON.
	File string
	// Prompt has what the user typed, by the name of the prompt.
	Prompt map[string]string
}
