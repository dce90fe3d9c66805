package template_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/engine/message/template"
)

var update = flag.Bool("update", false, "record Jinja's answers to the corpus")

// jinja is the reference, as a process of testdata/jinja.py.
type jinja struct {
	questions *json.Encoder
	answers   *json.Decoder
}

// startJinja skips the test where there is no Jinja, unless BUGLE_NEED_JINJA is set.
func startJinja(t *testing.T, args ...string) *jinja {
	t.Helper()
	for _, python := range []string{"/usr/bin/python3", "python3"} { // Debian's own, which python3-jinja2 is for, may not be the first
		if exec.Command(python, "-c", "import jinja2; assert jinja2.__version__ >= '3.1'").Run() != nil {
			continue
		}
		cmd := exec.Command(python, append([]string{"-W", "ignore", filepath.Join("testdata", "jinja.py")}, args...)...)
		cmd.Stderr = os.Stderr
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err := errors.Join(err1, err2, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
		return &jinja{json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out))}
	}
	const missing = "Jinja is the reference of this test: install python3-jinja2"
	if os.Getenv("BUGLE_NEED_JINJA") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return nil
}

// answer is what a template comes to: a result, or else an error.
type answer struct {
	Result *string `json:"result,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// same ignores what errors say.
func (a answer) same(b answer) bool {
	return (a.Result == nil) == (b.Result == nil) && (a.Result == nil || *a.Result == *b.Result)
}

func (a answer) String() string {
	if a.Result == nil {
		return "error: " + a.Error
	}
	return fmt.Sprintf("%q", *a.Result)
}

func (j *jinja) render(t *testing.T, src, context string) (a answer) {
	t.Helper()
	if err := j.questions.Encode(map[string]string{"template": src, "context": context}); err != nil {
		t.Fatal(err)
	}
	if err := j.answers.Decode(&a); err != nil {
		t.Fatalf("%v, for %s", err, src)
	}
	return a
}

// render renders a template, and checks that [template.Parse] and [template.Preview] agree.
func render(t *testing.T, src, context string) answer {
	t.Helper()
	var values struct {
		UserAttribute, EventAttribute, BusinessEventAttribute map[string]any
		ProductSet                                            map[string][]map[string]any
	}
	decoder := json.NewDecoder(strings.NewReader(context))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil {
		t.Fatal(err)
	}
	data := template.Data{
		UserAttributes: values.UserAttribute, EventAttributes: values.EventAttribute,
		BusinessEventAttributes: values.BusinessEventAttribute, ProductSets: values.ProductSet,
	}
	out, err := template.Render(t.Context(), src, data)
	preview, unresolved, previewErr := template.Preview(t.Context(), src, data)
	if err == nil && (out != preview || len(unresolved) > 0 || previewErr != nil) {
		t.Errorf("%s\nRender: %q\nPreview: %q, %v, %v", src, out, preview, unresolved, previewErr)
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Result: &out}
}

// row is a template of the corpus, with Jinja's answer.
type row struct {
	About    string `json:"about,omitempty"` // of this row and those that follow
	In       string `json:"in"`              // names the context
	Template string `json:"template"`
	answer
}

type corpus struct {
	Contexts map[string]json.RawMessage `json:"contexts"`
	Rows     []row                      `json:"rows"`
}

const corpusFile = "testdata/corpus.json"

func readCorpus(t testing.TB) (c corpus) {
	t.Helper()
	text, err := os.ReadFile(corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCorpus renders templates as they are written for campaigns, and compares them with what Jinja made of them.
func TestCorpus(t *testing.T) {
	c := readCorpus(t)
	met, known := 0, 0
	for _, d := range differences {
		known += len(d.ours)
	}
	for _, row := range c.Rows {
		got, want := render(t, row.Template, string(c.Contexts[row.In])), row.answer
		for _, d := range differences {
			ours, ok := d.ours[row.Template]
			if !ok {
				continue
			}
			met++
			if want = (answer{Error: d.why}); ours != failed {
				want = answer{Result: &ours}
			}
			if want.same(row.answer) {
				t.Errorf("%s\nJinja has the same result: it is not a difference", row.Template)
			}
		}
		if !got.same(want) {
			t.Errorf("%s\ngot  %s\nwant %s", row.Template, got, want)
		}
	}
	if met != known {
		t.Errorf("%d of the differences are not in the corpus once", known-met)
	}
}

// TestCorpusOfJinja asks Jinja for the recorded answers.
func TestCorpusOfJinja(t *testing.T) {
	c, j := readCorpus(t), startJinja(t)
	for i, row := range c.Rows {
		c.Rows[i].answer = j.render(t, row.Template, string(c.Contexts[row.In]))
		if !*update && !row.same(c.Rows[i].answer) {
			t.Errorf("%s\nrecorded %s\nJinja    %s", row.Template, row.answer, c.Rows[i].answer)
		}
	}
	if *update {
		writeCorpus(t, c)
	}
}

// writeCorpus writes a line for each context and row.
func writeCorpus(t *testing.T, c corpus) {
	t.Helper()
	line := func(v any) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(b.String())
	}
	var contexts, rows []string
	for name, context := range c.Contexts {
		contexts = append(contexts, fmt.Sprintf("%q: %s", name, line(context)))
	}
	for _, row := range c.Rows {
		rows = append(rows, line(row))
	}
	slices.Sort(contexts)
	text := "{\"contexts\": {\n" + strings.Join(contexts, ",\n") + "\n}, \"rows\": [\n" + strings.Join(rows, ",\n") + "\n]}\n"
	if err := os.WriteFile(corpusFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
