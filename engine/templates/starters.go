// Package templates contains starting points for new drafts: typical campaigns with their generic parts
// filled in.
package templates

import (
	"embed"
	"fmt"
	"io/fs"

	"bugle/engine/doc"
)

// Template is a starting point for a draft. Doc is the body of a create request without created_by.
type Template struct {
	Title string
	Help  string // one clause on its purpose
	Doc   doc.Value
}

//go:embed drafts/*.json
var drafts embed.FS

// All returns the templates in the order of their file names.
func All() ([]Template, error) {
	var out []Template
	files, err := fs.Glob(drafts, "drafts/*.json")
	if err != nil {
		return nil, fmt.Errorf("listing the templates: %w", err)
	}
	for _, name := range files {
		b, err := drafts.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the template %s: %w", name, err)
		}
		v, err := doc.Parse(b)
		if err != nil {
			return nil, fmt.Errorf("reading the template %s: %w", name, err)
		}
		out = append(out, Template{Title: v.Get("title").Text(), Help: v.Get("help").Text(), Doc: v.Get("draft")})
	}
	return out, nil
}
