package report

import (
	"testing"

	"bugle/cmd/bugle/internal/campaignfile"
)

func TestGitHubCommand(t *testing.T) {
	d := Diagnostic{Location: campaignfile.Location{File: "a:b,c%.yaml", Line: 3, Column: 4}, Path: "x.y", Rule: "r", Level: Note, Message: "100%\nand \x1b[31mmore: this, that"}
	if got, want := githubCommand(d), "::notice file=a%3Ab%2Cc%25.yaml,line=3,col=4,title=r::x.y: 100%25%0Aand more: this, that"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
