package manual

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// tree is a program with what is hard in a page: macros and escapes in texts, columns, hidden commands, groups.
func tree() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "prog", Short: "Do things", Long: "Runs `prog sub`\nwell.", Run: run}
	root.PersistentFlags().String("data", "here", "`folder` of the \"store\"")
	root.AddGroup(&cobra.Group{ID: "a", Title: "First:"}, &cobra.Group{ID: "b", Title: "Empty:"})
	sub := &cobra.Command{
		Use: "sub FILE [ID]", Short: "Print 'a' file", GroupID: "a", Run: run,
		Long:    ".TH is no macro, \\fB no font.\n\n  one    the first\n  two    the second\n\n  a  b  c\n  d  e  f",
		Example: "  prog sub 'a b'\n  .hidden ~/x",
	}
	sub.Flags().BoolP("quick", "q", false, "be quick")
	root.AddCommand(sub, &cobra.Command{Use: "secret", Hidden: true, Run: run}, &cobra.Command{Use: "topic", Short: "A topic", Long: "Text."})
	return root
}

func TestPages(t *testing.T) {
	b := Book{
		Version: "1.2.0", Date: time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC), About: []string{"More."},
		Sections: []Section{{Title: "FILES", Text: "A note.", Rows: [][2]string{{"~/.x", "what is kept"}}}},
	}
	pages := b.Pages(tree())
	if got := slices.Sorted(maps.Keys(pages)); !slices.Equal(got, []string{"prog-sub.1", "prog.1"}) {
		t.Fatalf("the pages are %q", got)
	}
	for name, want := range map[string][]string{
		"prog.1": {
			`.TH "PROG" "1" "2026\-11\-24" "prog 1.2.0" "Manual of prog"` + "\n",
			".SH \"NAME\"\nprog \\- do things\n",
			".SH \"SYNOPSIS\"\n\\fBprog\\fR [\\fIoptions\\fR]\n.br\n\\fBprog\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n",
			".PP\nRuns \\fBprog sub\\fR well.\n.PP\nMore.\n",
			".SS \"First\"\n.TP\n.BR \"prog\\-sub\" \"(1)\"\nPrint \\(aqa\\(aq file\n.SH",
			".TP\n\\fB\\-\\-data\\fR \\fIfolder\\fR\nfolder of the \\(dqstore\\(dq (default \\(dqhere\\(dq)\n",
			".SH \"FILES\"\n.TP\n\\fB\\(ti/.x\\fR\nwhat is kept\n.PP\nA note.\n",
		},
		"prog-sub.1": {
			"\\fBprog sub\\fR \\fIfile\\fR [\\fIid\\fR] [\\fIoptions\\fR]\n",
			".PP\n\\&.TH is no macro, \\efB no font.\n.TP\n\\fBone\\fR\nthe first\n.TP\n\\fBtwo\\fR\nthe second\n.PP\n.nf\na  b  c\nd  e  f\n.fi\n",
			".TP\n\\fB\\-q\\fR, \\fB\\-\\-quick\\fR\nbe quick\n",
			".SH \"OPTIONS OF ALL COMMANDS\"\n.TP\n\\fB\\-\\-data\\fR",
			".SH \"EXAMPLES\"\n.PP\n.nf\nprog sub \\(aqa b\\(aq\n\\&.hidden \\(ti/x\n.fi\n.SH \"SEE ALSO\"\n.BR \"prog\" \"(1)\"\n",
		},
	} {
		for _, w := range want {
			if !strings.Contains(string(pages[name]), w) {
				t.Errorf("%s does not have %q:\n%s", name, w, pages[name])
			}
		}
	}
	if strings.Contains(string(pages["prog.1"]), "Empty") || strings.Contains(string(pages["prog-sub.1"]), "A note.") {
		t.Error("a page has a group without commands, or what only the first page has")
	}
}
