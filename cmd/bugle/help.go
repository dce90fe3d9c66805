package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"bugle/cmd/bugle/internal/cli"
)

// maxHelpWidth keeps the lines of paragraphs readable on wide terminals.
const maxHelpWidth = 100

// printHelp prints the help of a command: a line about what it does, a paragraph, the usage, and examples, wrapped to
// the width of the terminal.
func printHelp(f *cli.Factory, cmd *cobra.Command) {
	width := 0 // not a terminal
	if file, ok := cli.FileOf(f.Out); ok && cli.IsTerminal(file) {
		if w, _, err := term.GetSize(int(file.Fd())); err == nil {
			width = w
		}
	}
	text := cmd.Short + "\n"
	if cmd.Long != "" {
		text += "\n" + wrapParagraphs(strings.TrimSpace(cmd.Long), min(cmp.Or(width, maxHelpWidth), maxHelpWidth)) + "\n"
	}
	if cmd.Runnable() || cmd.HasSubCommands() {
		text += "\n" + wrapFlags(cmd.UsageString(), width)
	}
	fmt.Fprint(cmd.OutOrStdout(), text)
}

// wrapParagraphs wraps paragraphs at a width. It does not change indented lines and lists, which are tables and
// examples.
func wrapParagraphs(text string, width int) string {
	parts := strings.Split(text, "\n\n")
	for i, p := range parts {
		if !strings.Contains(p, "\n ") && !strings.HasPrefix(p, " ") && !strings.Contains(p, "  ") {
			parts[i] = wrapped(p, width, "\n")
		}
	}
	return strings.Join(parts, "\n\n")
}

// flagLine matches a flag and its name up to the description.
var flagLine = regexp.MustCompile(`^ +-.*?\S   +`)

// wrapFlags wraps the descriptions of flags at a width and indents them. A width of 0 changes nothing.
func wrapFlags(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		name := flagLine.FindString(l)
		if name == "" || width-len(name) < 20 {
			continue
		}
		lines[i] = name + wrapped(l[len(name):], width-len(name), "\n"+strings.Repeat(" ", len(name)))
	}
	return strings.Join(lines, "\n")
}

// wrapped returns a paragraph in lines of a width, with a separator between them. It breaks lines at blanks only: a flag such
// as --dry-run stays whole.
func wrapped(text string, width int, separator string) string {
	var b strings.Builder
	left := width
	for i, word := range strings.Fields(text) {
		w := ansi.StringWidth(word)
		switch {
		case i == 0:
		case w < left:
			b.WriteByte(' ')
			left--
		default:
			b.WriteString(separator)
			left = width
		}
		b.WriteString(word)
		left -= w
	}
	return b.String()
}
