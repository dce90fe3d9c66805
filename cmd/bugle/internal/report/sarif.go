package report

import (
	"net/url"
	"path/filepath"
	"slices"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/message/check"
)

// The parts of a SARIF log that are written (SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/).
type (
	sarif struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string     `json:"id"`
		ShortDescription *sarifText `json:"shortDescription,omitempty"`
		FullDescription  *sarifText `json:"fullDescription,omitempty"`
		Help             *sarifText `json:"help,omitempty"`
		HelpURI          string     `json:"helpUri,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     Level           `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
)

// sarifLog returns diagnostics as a SARIF log with one run.
func sarifLog(list []Diagnostic) sarif {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "bugle", Version: cli.Version(), Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	rules := &run.Tool.Driver.Rules
	for _, d := range list {
		i := slices.IndexFunc(*rules, func(r sarifRule) bool { return r.ID == d.Rule })
		if i < 0 {
			i = len(*rules)
			*rules = append(*rules, ruleOf(d))
		}
		r := sarifResult{RuleID: d.Rule, RuleIndex: i, Level: d.Level, Message: sarifText{d.text()}}
		var l sarifLocation
		if d.File != "" {
			l.Physical = &sarifPhysical{Artifact: sarifArtifact{fileURI(d.File)}}
			if d.Line > 0 {
				l.Physical.Region = &sarifRegion{d.Line, d.Column}
			}
		}
		if d.Path != "" {
			l.Logical = []sarifLogical{{d.Path}}
		}
		if l.Physical != nil || l.Logical != nil {
			r.Locations = []sarifLocation{l}
		}
		run.Results = append(run.Results, r)
	}
	return sarif{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

// ruleOf describes the rule of a diagnostic.
func ruleOf(d Diagnostic) sarifRule {
	r := sarifRule{ID: d.Rule, HelpURI: d.Help}
	if c, ok := check.Of(d.Rule); ok {
		r.ShortDescription, r.FullDescription, r.Help = &sarifText{c.Title}, &sarifText{c.Why}, &sarifText{c.Remedy}
	}
	return r
}

// fileURI returns the name of a file as a URI: relative if the name is, so that it is found in any checkout.
func fileURI(name string) string {
	u := url.URL{Path: slashed(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}

// slashed returns the name of a file with slashes, as short as it can be.
func slashed(name string) string { return filepath.ToSlash(filepath.Clean(name)) }
