package yamldoc

import (
	"strings"
	"testing"
	"time"

	"bugle/engine/doc"
)

func parsed(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What people read: blocks, order kept, numbers as they were, quotes only where they are needed.
func TestEncode(t *testing.T) {
	v := parsed(t, `{"name":"Spring sale","b":1.50,"a":[1e2,-0,12345678901234567890123,true,null,{}],"html":"<p>\n  Hi\n</p>\n","zip":"010","answer":"No","e":{}}`)
	b, err := Encode(v)
	want := `name: Spring sale
b: 1.50
a:
  - 1e2
  - -0
  - 12345678901234567890123
  - true
  - null
  - {}
html: |
  <p>
    Hi
  </p>
zip: "010"
answer: "No"
e: {}
`
	if err != nil || string(b) != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, b, want)
	}
}

// texts are those that YAML may take for something else.
var texts = []string{
	"", " ", "a", "1", "1.0", "1e400", "0x1f", "010", "1_000", "true", "True", "yes", "y", "null", "~", "- a", "a: b", "a #b", "#x", "{{x}}", "[x",
	"  lead\nx", "a\n\n", "tab\there", "\ta\nb", "x\r\ny", "\x00", "\u0085", "\u2028x\ny", "trail \nx", "12:30", "2024-01-01", "*a", "&a", "!t", "%x",
	"@x", "`x", "a:", "|", ">", "'q'", `"q"`, `\n`, "é", "😀\n😀", "a\n ", "\n", "\n\na", "---", "a\n---\nb", "...", "=", "<<", ".inf", "?", "\ufeffx",
	"a\n\tb", "\n\ta", "x\n#y\n", "\x7f", "\x1b[0m", " \n a", strings.Repeat("long words ", 40),
}

// Every text comes back as it was, as a value, an element and a name.
func TestRoundTrip(t *testing.T) {
	for _, s := range texts {
		text := doc.NewString(s)
		checkRoundTrip(t, doc.NewObject(doc.M(s, text), doc.M("list", doc.NewArray(text, doc.NewObject(doc.M("in", text)))), doc.M("last", text)))
	}
}

func checkRoundTrip(t *testing.T, v doc.Value) {
	t.Helper()
	b, err := Encode(v)
	if err != nil {
		t.Errorf("%s: %v", v.Encode(), err)
		return
	}
	back, err := Parse(b)
	if err != nil || !Same(v, back) {
		t.Errorf("%s became %v (%v)\n%s", v.Encode(), back, err, b)
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range texts {
		b := doc.NewObject(doc.M("k", doc.NewString(s)), doc.M("n", doc.NewArray(doc.NewString(s)))).Encode()
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := Parse(b); err == nil && v.Kind() == doc.Object { // what was read can be written and read again
			checkRoundTrip(t, v)
		}
		if v, err := doc.Parse(b); err == nil && v.Kind() == doc.Object {
			checkRoundTrip(t, v)
		}
	})
}

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"a: 1.0\nb: [x, 'y', \"z\"]\n":         `{"a":1.0,"b":["x","y","z"]}`,
		"# a comment\n---\na: yes # another\n": `{"a":"yes"}`,
		"a: >-\n  one\n  two\n":                `{"a":"one two"}`,
		"{\"a\": 1, \"b\": null}":              `{"a":1,"b":null}`,
		"a:\nb: ~\n":                           `{"a":null,"b":null}`,
		"at: 2026-03-01T09:00:00Z\n1: one\n":   `{"at":"2026-03-01T09:00:00Z","1":"one"}`,
		"a: True":                              `{"a":true}`,
		"---\n---\na: 1\n---\n":                `{"a":1}`,
	} {
		got, err := Parse([]byte(in))
		if err != nil || string(got.Encode()) != want {
			t.Errorf("%q is %v (%v), want %s", in, got, err, want)
		}
	}
}

// What would mean something else than it looks like, or be too much, is refused with its line, and soon.
func TestParseRefuses(t *testing.T) {
	began := time.Now()
	for in, want := range map[string]string{
		"a: 1\n---\nb: 2\n":         "expected one document, found 2",
		"a: 1\na: 2\n":              `line 2, column 1: field "a" appears twice`,
		"a: &x [1]\nb: *x\n":        "line 2, column 4: aliases such as *x",
		"<<: {a: 1}\n":              "line 1, column 1: merging",
		"a: !!str 1\n":              "line 1, column 4: tags such as !!str",
		"a: !x 1\n":                 "line 1, column 4: tags such as !x",
		"? [a]\n: z\n":              "line 1, column 3: a field name must be a string",
		"a: 010\n":                  "line 1, column 4: 010 is ambiguous",
		"a: 0x1f\n":                 "0x1f is ambiguous",
		"a: .inf\n":                 ".inf is ambiguous",
		"a: b: c":                   "mapping values are not allowed",
		"a: \xff":                   "UTF-8",
		strings.Repeat("[", 1<<20):  "depth",
		strings.Repeat("- ", 1<<20): "depth",
		strings.Repeat("[", 300) + strings.Repeat("]", 300): "nested deeper than 200 levels",
	} {
		if got, err := Parse([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q gave %v and %v, want %s", in, got, err, want)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
