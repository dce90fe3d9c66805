package files

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
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

func (p pair) markdown(b *strings.Builder) {
	c := p.campaign()
	name := "Campaign without a name"
	if text := engine.CampaignName(c.Body); text != "" {
		name = code(text)
	}
	fmt.Fprintf(b, "\n### %s\n\n%s · %s · %s\n\n", name, code(c.Channel.Label()), code(c.DeliveryType.Label()), code(p.file))
	switch {
	case p.after == nil:
		fmt.Fprint(b, "Removed. The campaign in the workspace stays as it is.\n")
	case p.before == nil:
		fmt.Fprint(b, "New campaign.\n")
	default:
		fmt.Fprintf(b, "%s:\n", phrase.Count(len(p.changes), "change"))
	}
	table := catalog.Campaign(c.Channel)
	for _, change := range p.changes {
		fmt.Fprintf(b, "\n**%s**\n\n%s", fieldName(table, change.Path), fenced(lineDiff(change)))
	}
	if len(p.doubts) > 0 {
		fmt.Fprint(b, "\nThe HTML is what is sent. Read it as well as the MJML:\n\n")
	}
	for _, d := range p.doubts {
		fmt.Fprintf(b, "- %s\n", code(d))
	}
}

// fieldName returns the names of a place on the forms. What is not in the tables is code.
func fieldName(table *schema.Schema, p doc.Path) string {
	names := table.Trail(p)
	for i, step := range p {
		if n := table.At(p[:i+1]); !step.IsIndex && (n == nil || n.Name == "") {
			names[i] = code(names[i])
		}
	}
	return strings.Join(names, " › ")
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

// What a comment has from a campaign or the name of a file is code, of one line or several: in anything else, GitHub and
// others find links, mentions and markup, also where it is escaped.

// code returns a text as code in a line. The fence is longer than any row of backticks in the text.
func code(s string) string {
	s = strings.Join(strings.FieldsFunc(drawn(s), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
	fence := strings.Repeat("`", longestRow(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

// fenced returns lines as a block of code.
func fenced(s string) string {
	s = drawn(s)
	fence := strings.Repeat("`", max(3, longestRow(s)+1))
	return fence + "diff\n" + s + fence + "\n"
}

// drawn returns a text with what cannot be seen escaped, so that reviewers see that it is there.
func drawn(s string) string { return cli.Clean(cli.Escaped(strings.ToValidUTF8(s, "\uFFFD"))) }

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
