package report

import (
	"net/url"
	"path/filepath"
	"slices"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/message/check"
)

// object is an object of a SARIF log.
type object = map[string]any

// sarifLog returns diagnostics as a SARIF log with one run (SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/).
func sarifLog(list []Diagnostic) object {
	var ids []string
	rules, results := []object{}, []object{}
	for _, d := range list {
		i := slices.Index(ids, d.Rule)
		if i < 0 {
			i = len(ids)
			ids, rules = append(ids, d.Rule), append(rules, ruleOf(d))
		}
		result := object{"ruleId": d.Rule, "ruleIndex": i, "level": d.Level, "message": textOf(d.text())}
		if at := locationOf(d); len(at) > 0 {
			result["locations"] = []object{at}
		}
		results = append(results, result)
	}
	return object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{{
		"tool":       object{"driver": object{"name": "bugle", "version": cli.Version(), "rules": rules}},
		"columnKind": "unicodeCodePoints", "results": results,
	}}}
}

func textOf(text string) object { return object{"text": text} }

// locationOf returns where a diagnostic is: in a file, in the campaign, or both.
func locationOf(d Diagnostic) object {
	at := object{}
	if d.File != "" {
		file := object{"artifactLocation": object{"uri": fileURI(d.File)}}
		if d.Line > 0 {
			region := object{"startLine": d.Line}
			if d.Column > 0 {
				region["startColumn"] = d.Column
			}
			file["region"] = region
		}
		at["physicalLocation"] = file
	}
	if d.Path != "" {
		at["logicalLocations"] = []object{{"fullyQualifiedName": d.Path}}
	}
	return at
}

// ruleOf describes the rule of a diagnostic.
func ruleOf(d Diagnostic) object {
	r := object{"id": d.Rule}
	if d.Help != "" {
		r["helpUri"] = d.Help
	}
	if c, ok := check.Of(d.Rule); ok {
		r["shortDescription"], r["fullDescription"], r["help"] = textOf(c.Title), textOf(c.Why), textOf(c.Remedy)
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
