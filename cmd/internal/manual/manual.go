// Package manual writes the manual pages of a tree of cobra commands, for man(1).
package manual

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Book is what the pages of a program have in common, and what only its first page has.
type Book struct {
	Version  string    // of the program
	Date     time.Time // of the version
	About    []string  // paragraphs that follow the description of the program
	Sections []Section // of the page of the program, in addition to those of every command
}

// Section is a part of a page: a paragraph, and lines of a name and a text. Either may be missing.
type Section struct {
	Title string
	Text  string
	Rows  [][2]string
}

// Pages returns the pages of a command and of all commands below it that its help lists, by the names of their files,
// such as bugle-create.1. Texts in the help that are indented or in columns become lists or stay as they are; what is
// between backquotes is printed bold.
func (b Book) Pages(root *cobra.Command) map[string][]byte {
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	pages := map[string][]byte{pageName(root) + ".1": b.page(root)}
	for _, c := range listed(root) {
		for name, page := range b.Pages(c) {
			pages[name] = page
		}
	}
	return pages
}

// listed returns the subcommands of a command that its help lists.
func listed(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() })
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func (b Book) page(c *cobra.Command) []byte {
	var p page
	program := c.Root().Name()
	p.macro("TH", strings.ToUpper(pageName(c)), "1", b.Date.Format(time.DateOnly), program+" "+b.Version, "Manual of "+program)
	p.macro("nh") // commands and files are whole
	p.WriteString(".ad l\n")
	p.macro("SH", "NAME")
	first, size := utf8.DecodeRuneInString(c.Short)
	p.line(pageName(c) + ` \- ` + escaped(string(unicode.ToLower(first))+c.Short[size:]))
	p.macro("SH", "SYNOPSIS")
	p.synopsis(c)
	p.macro("SH", "DESCRIPTION")
	p.text(c.Long)
	if !c.HasParent() {
		for _, text := range b.About {
			p.text(text)
		}
	}
	p.commands(c)
	p.options("OPTIONS", c.LocalFlags())
	p.options("OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if !c.HasParent() {
		for _, s := range b.Sections {
			p.macro("SH", s.Title)
			p.rows(s.Rows)
			p.text(s.Text)
		}
	}
	if c.Example != "" {
		p.macro("SH", "EXAMPLES")
		p.verbatim(c.Example)
	}
	if c.HasParent() {
		p.macro("SH", "SEE ALSO")
		p.macro("BR", pageName(c.Parent()), "(1)")
	}
	return []byte(p.String())
}

// page is the source of a page, in the macros of man(7).
type page struct{ strings.Builder }

// macro writes a macro with arguments that are texts.
func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, a := range args {
		p.WriteString(` "` + escaped(a) + `"`)
	}
	p.WriteString("\n")
}

// line writes a line of source that must not be taken for a macro.
func (p *page) line(source string) {
	if strings.HasPrefix(source, ".") || strings.HasPrefix(source, "'") {
		source = `\&` + source
	}
	p.WriteString(source + "\n")
}

// placeholder matches what a person replaces in the usage of a command.
var placeholder = regexp.MustCompile(`[A-Z][A-Z0-9_]+|\b[A-Z]\b`)

func (p *page) synopsis(c *cobra.Command) {
	if c.Runnable() || !c.HasSubCommands() {
		usage, _ := strings.CutPrefix(c.UseLine(), c.CommandPath())
		p.usage(c, strings.ReplaceAll(usage, "[flags]", "[OPTIONS]"))
	}
	if len(listed(c)) > 0 {
		if c.Runnable() {
			p.macro("br")
		}
		p.usage(c, " COMMAND [OPTIONS]")
	}
}

func (p *page) usage(c *cobra.Command, usage string) {
	p.line(`\fB` + escaped(c.CommandPath()) + `\fR` + placeholder.ReplaceAllStringFunc(escaped(usage), func(name string) string {
		return `\fI` + strings.ToLower(name) + `\fR`
	}))
}

// row matches a line of two columns.
var row = regexp.MustCompile(`^ *(\S+(?: \S+)*) {2,}(\S+(?: \S+)*)$`)

// text writes paragraphs.
func (p *page) text(text string) {
	for _, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		var rows [][2]string
		for _, l := range lines {
			if cells := row.FindStringSubmatch(l); cells != nil {
				rows = append(rows, [2]string{cells[1], cells[2]})
			}
		}
		switch {
		case paragraph == "":
		case len(rows) == len(lines):
			p.rows(rows)
		case len(rows) > 0 || strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n "):
			p.verbatim(paragraph)
		default:
			p.macro("PP")
			p.line(marked(strings.Join(lines, " ")))
		}
	}
}

// rows writes lines of a name and a text.
func (p *page) rows(rows [][2]string) {
	for _, r := range rows {
		p.macro("TP")
		p.line(`\fB` + escaped(r[0]) + `\fR`)
		p.line(marked(r[1]))
	}
}

// verbatim writes lines as they are, each below the one before.
func (p *page) verbatim(text string) {
	p.macro("PP")
	p.macro("nf")
	for _, l := range strings.Split(text, "\n") {
		p.line(escaped(strings.TrimPrefix(l, "  ")))
	}
	p.macro("fi")
}

// commands writes the commands below a command, in their groups.
func (p *page) commands(c *cobra.Command) {
	all := listed(c)
	if len(all) == 0 {
		return
	}
	p.macro("SH", "COMMANDS")
	list := func(group string) {
		for _, sub := range all {
			if sub.GroupID == group {
				p.macro("TP")
				p.macro("BR", pageName(sub), "(1)")
				p.line(escaped(sub.Short))
			}
		}
	}
	for _, g := range c.Groups() {
		if slices.ContainsFunc(all, func(sub *cobra.Command) bool { return sub.GroupID == g.ID }) {
			p.macro("SS", strings.TrimSuffix(g.Title, ":"))
			list(g.ID)
		}
	}
	list("")
}

// flagUsage matches a line of pflag's: short and long name, what it takes, and the description.
var flagUsage = regexp.MustCompile(`^ +(?:(-\w), )?(--[\w-]+)(\S*)(?: (.*?\S))?   +(\S.*)$`)

func (p *page) options(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.macro("SH", title)
	for _, l := range strings.Split(strings.TrimRight(flags.FlagUsages(), "\n"), "\n") {
		cells := flagUsage.FindStringSubmatch(l)
		if cells == nil {
			panic(fmt.Sprintf("a line of flags in another form: %q", l))
		}
		name := `\fB` + escaped(cells[2]) + `\fR` + escaped(cells[3])
		if cells[1] != "" {
			name = `\fB` + escaped(cells[1]) + `\fR, ` + name
		}
		if cells[4] != "" {
			name += ` \fI` + escaped(cells[4]) + `\fR`
		}
		p.macro("TP")
		p.line(name)
		p.line(marked(cells[5]))
	}
}

// quoted matches what is between backquotes, once it is escaped.
var quoted = regexp.MustCompile(`\\\(ga(.+?)\\\(ga`)

// marked is escaped, except that what is between backquotes is printed bold.
func marked(text string) string { return quoted.ReplaceAllString(escaped(text), `\fB$1\fR`) }

// escaped returns a text as source that is printed as it is. Hyphens stay hyphens, so that examples can be copied.
func escaped(text string) string { return escapes.Replace(text) }

var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)
