package files

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/texts"
)

// markdown returns what differs as a comment for the reviewers of a pull request.
func markdown(pairs []pair) string {
	var b strings.Builder
	for _, p := range pairs {
		if p.differs() {
			p.markdown(&b)
		}
	}
	if b.Len() == 0 {
		return "No campaign changed.\n"
	}
	return strings.TrimLeft(b.String(), "\n")
}

// maxCell is the most characters of a value in a table; longer ones, and those of several lines, are shown line by line.
const maxCell = 120

func (p pair) markdown(b *strings.Builder) {
	c := p.campaign()
	name := engine.CampaignName(c.Body)
	if name == "" {
		name = "Campaign without a name"
	}
	fmt.Fprintf(b, "\n### %s\n\n", inline(name))
	about := []string{c.Channel.Label(), c.DeliveryType.Label(), code(p.file)}
	fmt.Fprintf(b, "%s\n\n", strings.Join(about, " · "))
	switch {
	case p.before == nil:
		fmt.Fprint(b, "New campaign.\n")
		newTexts(b, c)
		return
	case p.after == nil:
		fmt.Fprint(b, "Removed. The campaign in the workspace stays as it is.\n")
		return
	}
	fmt.Fprintf(b, "%s:\n", phrase.Count(len(p.changes), "change"))
	table := catalog.Campaign(c.Channel)
	var long []doc.Change
	head := "\n| Field | Before | After |\n|---|---|---|\n"
	for _, change := range p.changes {
		if isLong(change.Before) || isLong(change.After) {
			long = append(long, change)
			continue
		}
		fmt.Fprintf(b, "%s| %s | %s | %s |\n", head, cell(fieldName(table, change.Path)), shown(change.Before), shown(change.After))
		head = ""
	}
	for _, change := range long {
		fmt.Fprintf(b, "\n**%s**\n\n%s", inline(fieldName(table, change.Path)), fenced(lineDiff(change)))
	}
}

// newTexts lists what users read of a new campaign. Long texts are in its file.
func newTexts(b *strings.Builder, c engine.Campaign) {
	head := "\n| Field | Text |\n|---|---|\n"
	for _, u := range texts.Of(c).Units {
		text := doc.NewString(u.Text)
		if u.Text == "" {
			continue
		}
		value := shown(text)
		if isLong(text) {
			value = phrase.Count(utf8.RuneCountInString(u.Text), "character")
		}
		fmt.Fprintf(b, "%s| %s | %s |\n", head, cell(u.Place), value)
		head = ""
	}
}

// fieldName returns the names of a place on the forms.
func fieldName(table *schema.Schema, p doc.Path) string { return strings.Join(table.Trail(p), " › ") }

// isLong reports whether a value needs more than a cell of a table.
func isLong(v doc.Value) bool {
	return utf8.RuneCountInString(textOf(v)) > maxCell || strings.ContainsAny(strings.TrimRight(textOf(v), "\n"), "\r\n")
}

// textOf returns the text of a string, and other values as JSON.
func textOf(v doc.Value) string {
	switch v.Kind() {
	case doc.Absent:
		return ""
	case doc.String:
		return v.Text()
	case doc.Array, doc.Object:
		return string(v.Indent())
	}
	return v.Literal()
}

// shown returns a short value for a cell.
func shown(v doc.Value) string {
	switch {
	case !v.Exists():
		return "—"
	case v.Kind() == doc.String && v.Text() == "":
		return "(empty)"
	case v.Kind() == doc.Array || v.Kind() == doc.Object:
		return cell(code(string(v.Encode())))
	}
	return cell(code(textOf(v)))
}

// lineDiff returns the changed lines of a text, with three lines around them.
func lineDiff(c doc.Change) string {
	lines := func(v doc.Value) []byte {
		if !v.Exists() || textOf(v) == "" {
			return nil
		}
		// A carriage return cannot be seen, and would split the lines of the comment.
		return []byte(strings.TrimSuffix(strings.ReplaceAll(textOf(v), "\r", "␍"), "\n") + "\n")
	}
	text := string(diff.Diff("before", lines(c.Before), "after", lines(c.After)))
	if _, after, ok := strings.Cut(text, "\n@@"); ok {
		return "@@" + after
	}
	return "(only the line breaks at the end differ)\n"
}

// code returns a text as code in a line. The fence is longer than any row of backticks in the text.
func code(s string) string {
	s = cli.Line(s)
	fence := strings.Repeat("`", longestRow(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

// fenced returns lines as a block of code.
func fenced(s string) string {
	fence := strings.Repeat("`", max(3, longestRow(s)+1))
	return fence + "diff\n" + cli.Clean(s) + fence + "\n"
}

// longestRow returns the length of the longest row of backticks.
func longestRow(s string) int {
	longest, n := 0, 0
	for _, r := range s {
		if n++; r != '`' {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}

// cell escapes what would end a cell of a table, also in code.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// inline escapes what would be markup or markdown in a text.
func inline(s string) string {
	var b strings.Builder
	for _, r := range cli.Line(s) {
		if strings.ContainsRune("\\`*_{}[]<>#|~@!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
