//go:build ignore

// This program makes features.go of the data of caniemail.com, in the form in which the npm package caniemail carries
// it: data/caniemail.json. It is run by hand, with the file as its argument:
//
//	go run gen_features.go caniemail.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
)

type data struct {
	Updated string `json:"last_update_date"`
	Data    []struct {
		Slug, Title, Category string
		Stats                 map[string]map[string]map[string]string
	}
}

// clients are those that count, and which of their apps have to lack a feature.
var clients = []struct {
	name, family string
	apps         []string
}{
	{"Gmail", "gmail", []string{"desktop-webmail", "android"}},
	{"Outlook for Windows", "outlook", []string{"windows"}},
	{"Outlook.com", "outlook", []string{"outlook-com"}},
	{"Apple Mail", "apple-mail", []string{"macos", "ios"}},
	{"Yahoo Mail", "yahoo", []string{"desktop-webmail"}},
}

// skipped are features without which an email still looks as it should, or that say nothing to the eye.
var skipped = regexp.MustCompile(`^(css-(accent-color|animation|at-.*|left-right-top-bottom|z-index|transition|cursor|color-scheme|font-kerning|font-size-adjust|font-stretch|` +
	`hyphen.*|inert.*|orphans|widows|outline.*|overflow-wrap|pseudo-.*|resize|scroll-snap|tab-size|text-(decoration|underline|emphasis|justify|wrap|overflow|shadow).*|` +
	`text-align-last|user-select|list-style-image|box-shadow|box-sizing|border-spacing|background-(clip|origin|blend-mode)|selector-.*|backdrop-filter|nesting|` +
	`white-space-collapse|unit-(initial|vmax|vmin|ch))|html-(aria|abbr|acronym|anchor|bdi|body|doctype|loading|target|required|role|r[pt]$|ruby|wbr|meta|popover|hidden|srcset|semantics|marquee|form|input|button|select|textarea|link|picture).*|` +
	`image-(base64|apng|hdr|mp4))$`)

// alone are features that matter where Outlook for Windows is the only one that lacks them: without them columns
// fall below each other and text loses its ground.
var alone = []string{"css-display-flex", "css-display-grid", "css-float", "css-background-image", "image-webp"}

// spelled are how features are written, where their title does not say it.
var spelled = map[string][2]string{
	"css-display-flex":                   {"value", "display:flex display:inline-flex"},
	"css-display-grid":                   {"value", "display:grid display:inline-grid"},
	"css-flex-direction":                 {"property", "flex-direction"},
	"css-flex-wrap":                      {"property", "flex-wrap"},
	"css-gap":                            {"property", "gap column-gap row-gap"},
	"css-grid-template":                  {"property", "grid-template grid-template-columns grid-template-rows grid-template-areas"},
	"css-left-right-top-bottom":          {"property", "left right top bottom"},
	"css-margin-block-start-end":         {"property", "margin-block-start margin-block-end"},
	"css-margin-inline-block":            {"property", "margin-inline margin-block"},
	"css-margin-inline-start-end":        {"property", "margin-inline-start margin-inline-end"},
	"css-padding-block-start-end":        {"property", "padding-block-start padding-block-end"},
	"css-padding-inline-block":           {"property", "padding-inline padding-block"},
	"css-padding-inline-start-end":       {"property", "padding-inline-start padding-inline-end"},
	"css-block-inline-size":              {"property", "block-size inline-size"},
	"css-inline-size":                    {"", ""},
	"css-border-inline-block":            {"property", "border-inline border-block"},
	"css-border-inline-block-individual": {"property", "border-inline-start border-inline-end border-block-start border-block-end"},
	"css-border-inline-block-longhand":   {"", ""},
	"css-border-radius-logical":          {"property", "border-start-start-radius border-start-end-radius border-end-start-radius border-end-end-radius"},
	"css-column-layout-properties":       {"property", "columns column-width column-fill column-span"},
	"css-intrinsic-size":                 {"value", "width:fit-content width:min-content width:max-content"},
	"css-modern-color":                   {"function", "lch oklch lab oklab"},
	"css-variables":                      {"function", "var"},
	"css-unit-calc":                      {"function", "calc"},
	"css-position":                       {"value", "position:absolute position:fixed position:sticky"},
	"css-visibility":                     {"value", "visibility:hidden"},
	"css-unit-rem":                       {"", ""},
	"html-svg":                           {"element", "svg"},
	"image-svg":                          {"image", "svg"},
	"image-webp":                         {"image", "webp"},
	"image-avif":                         {"image", "avif"},
	"image-heif":                         {"image", "heif heic"},
	"image-tiff":                         {"image", "tiff tif"},
}

var forms = []struct {
	title *regexp.Regexp
	kind  string
}{
	{regexp.MustCompile(`^([a-z-]+)(?: property)?$`), "property"},
	{regexp.MustCompile(`^([a-z-]+)\(\)$`), "function"},
	{regexp.MustCompile(`^@([a-z-]+)$`), "rule"},
	{regexp.MustCompile(`^<([a-z0-9]+)> element$`), "element"},
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run gen_features.go caniemail.json")
	}
	b, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var d data
	if err := json.Unmarshal(b, &d); err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `// Code generated by gen_features.go. DO NOT EDIT.

package check

// The table of features that mail clients lack is made of the data of caniemail.com, as of %s:
//
// MIT License
//
// Copyright (c) 2019 HTeuMeuLeu
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
// documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
// rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
// permit persons to whom the Software is furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
// Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
// WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
// COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
// OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

// featuresDate is the day of the data.
const featuresDate = %q

var features = []feature{
`, d.Updated[:10], d.Updated[:10])
	for _, f := range d.Data {
		kind, written := written(f.Slug, f.Title)
		if kind == "" || skipped.MatchString(f.Slug) {
			continue
		}
		var lack []string
		for _, c := range clients {
			if lacks(f.Stats[c.family], c.apps) {
				lack = append(lack, c.name)
			}
		}
		if len(lack) < 2 && !(slices.Contains(alone, f.Slug) && len(lack) == 1) {
			continue
		}
		fmt.Fprintf(&out, "{%q, %q, %q, %#v},\n", f.Slug, kind, written, lack)
	}
	out.WriteString("}\n")
	src, err := format.Source(out.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("features.go", src, 0o644); err != nil {
		log.Fatal(err)
	}
}

func written(slug, title string) (kind, names string) {
	if n, ok := spelled[slug]; ok {
		return n[0], n[1]
	}
	for _, f := range forms {
		if m := f.title.FindStringSubmatch(strings.TrimSpace(title)); m != nil {
			return f.kind, m[1]
		}
	}
	return "", ""
}

// lacks reports whether the newest version of every one of the apps lacks a feature.
func lacks(stats map[string]map[string]string, apps []string) bool {
	for _, app := range apps {
		versions := stats[app]
		newest := ""
		for v := range versions {
			if newest == "" || number(v) > number(newest) {
				newest = v
			}
		}
		if newest == "" || !strings.HasPrefix(versions[newest], "n") {
			return false
		}
	}
	return true
}

// number spells a version or a month so that versions compare as texts.
func number(version string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(version, func(r rune) bool { return r == '.' || r == '-' }) {
		fmt.Fprintf(&b, "%08s", part)
	}
	return b.String()
}
