package doc_test

import (
	"os"
	"path/filepath"
	"testing"

	"bugle/engine/doc"
)

// campaign is a push campaign of 4.5 KB and some 160 values.
func campaign(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "campaign.json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func BenchmarkDecode(b *testing.B) {
	body := campaign(b)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := doc.Parse(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	v := mustParse(b, string(campaign(b)))
	b.SetBytes(int64(len(v.Encode())))
	b.ReportAllocs()
	for b.Loop() {
		v.Encode()
	}
}

// BenchmarkSet changes one text seven levels down, as a keystroke in a form does.
func BenchmarkSet(b *testing.B) {
	v := mustParse(b, string(campaign(b)))
	at := doc.P("campaign_content", "content", "push", "android", "basic_details", "carousel_content", "slide_data", 1, "image_url")
	nv := doc.NewString("https://cdn.example.com/other.jpg")
	if !v.Lookup(at).Exists() {
		b.Fatal("there is nothing to change")
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Set(at, nv); err != nil {
			b.Fatal(err)
		}
	}
}
