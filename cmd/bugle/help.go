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

// helpWidth returns the width for the paragraphs of a help text.
func helpWidth(f *cli.Factory) int { return min(cmp.Or(terminalWidth(f), maxHelpWidth), maxHelpWidth) }

// terminalWidth returns the width of the terminal; 0 if the output is none.
func terminalWidth(f *cli.Factory) int {
	if file, ok := cli.FileOf(f.Out); ok && cli.IsTerminal(file) {
		if w, _, err := term.GetSize(int(file.Fd())); err == nil {
			return w
		}
	}
	return 0
}

// printHelp prints the help of a command: a line about what it does, a paragraph, the usage, and examples, wrapped to
// the width of the terminal. That of the whole program lists the topics.
func printHelp(f *cli.Factory, cmd *cobra.Command) {
	text := cmd.Short + "\n"
	if cmd.Long != "" {
		text += "\n" + readable(strings.TrimSpace(cmd.Long), helpWidth(f)) + "\n"
	}
	if cmd.Runnable() || cmd.HasSubCommands() {
		text += "\n" + wrapFlags(cmd.UsageString(), terminalWidth(f))
	}
	if !cmd.HasParent() {
		var list [][2]string
		for _, t := range topics() {
			list = append(list, [2]string{"  bugle help " + t.name, t.short})
		}
		text += "\nTopics:\n" + rows(25, list) + "\n"
	}
	fmt.Fprint(cmd.OutOrStdout(), text)
}

var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// readable formats Markdown for a terminal: paragraphs and the entries of lists are wrapped at a width, headings are in
// capitals, and code is indented. Lines that are aligned with blanks stay as they are.
func readable(text string, width int) string {
	var out, paragraph []string
	flush := func() {
		p := strings.Join(paragraph, "\n")
		switch {
		case p == "":
		case strings.HasPrefix(p, "- "):
			out = append(out, wrapped(plain(p), width, "\n  "))
		case strings.Contains(p, "\n ") || strings.Contains(p, "  ") || strings.HasPrefix(p, " "):
			out = append(out, p)
		default:
			out = append(out, wrapped(plain(p), width, "\n"))
		}
		paragraph = nil
	}
	code := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			flush()
			code = !code
		case code:
			out = append(out, strings.TrimRight("  "+line, " "))
		case line == "":
			flush()
			out = append(out, "")
		case strings.HasPrefix(line, "## "):
			flush()
			out = append(out, strings.ToUpper(strings.TrimPrefix(line, "## ")))
		case strings.HasPrefix(line, "- "):
			flush()
			paragraph = []string{line}
		default:
			paragraph = append(paragraph, line)
		}
	}
	flush()
	return strings.Join(out, "\n")
}

// plain removes emphasis and the targets of links.
func plain(text string) string {
	return strings.ReplaceAll(link.ReplaceAllString(text, "$1"), "**", "")
}

// flagLine matches a flag and its name up to the description.
var flagLine = regexp.MustCompile(`^ +-.*?\S   +`)

// wrapFlags wraps the descriptions of flags at a width and indents them. A width of 0 changes nothing. What pflag has for it
// needs a template, with which the linker keeps each method of the program (4.5 MB).
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
