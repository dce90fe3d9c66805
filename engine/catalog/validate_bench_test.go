package catalog_test

import (
	"os"
	"path/filepath"
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// BenchmarkValidate measures the publish check of a whole campaign, decoded already.
func BenchmarkValidate(b *testing.B) {
	files, err := filepath.Glob("testdata/cases/campaign push/*.json")
	if err != nil || len(files) == 0 {
		b.Fatal("no fixture")
	}
	var best []byte
	for _, f := range files {
		if body, err := os.ReadFile(f); err == nil && len(body) > len(best) {
			best = body
		}
	}
	v, err := doc.Parse(best)
	if err != nil {
		b.Fatal(err)
	}
	s := catalog.Campaign(catalog.Push)
	b.SetBytes(int64(len(v.Encode())))
	b.ReportAllocs()
	for b.Loop() {
		s.Validate(v, schema.Env{Stage: schema.Publish})
	}
}
