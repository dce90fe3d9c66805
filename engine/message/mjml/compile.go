package mjml

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bugle/engine/message/template"
	"bugle/engine/phrase"
	"bugle/engine/process"
)

// Limits of one run of the program.
const (
	timeout   = 30 * time.Second
	maxOutput = 4 << 20
	maxErrors = 256 << 10
	// maxProblems is how many problems of a source are listed.
	maxProblems = 50
)

// ErrNotInstalled reports that there is no program mjml.
var ErrNotInstalled = errors.New("mjml is not installed; install it with `npm install -g mjml`")

// Problem is one reason why a source cannot be compiled.
type Problem struct {
	Line    int    // of the source, from 1; 0 if it is about all of it
	Tag     string // the element that it is about; may be empty
	Message string // one sentence without a period
}

// String returns the problem as one clause: line 3: Element mj-txt doesn't exist or is not registered.
func (p Problem) String() string {
	text := p.Message
	if p.Tag != "" && !strings.Contains(text, p.Tag) {
		text = p.Tag + ": " + text
	}
	if p.Line > 0 {
		text = fmt.Sprintf("line %d: %s", p.Line, text)
	}
	return text
}

// Error reports that a source cannot be compiled. It has at least one problem; they are in the order of their lines.
type Error struct{ Problems []Problem }

// Error returns the first problem, and how many more there are.
func (e *Error) Error() string {
	text := "the MJML cannot be compiled: " + e.Problems[0].String()
	if n := len(e.Problems) - 1; n > 0 {
		text += fmt.Sprintf(", and %s more", phrase.Count(n, "problem"))
	}
	return text
}

func failed(problems ...Problem) error {
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	problems = slices.Compact(problems)
	return &Error{problems[:min(len(problems), maxProblems)]}
}

// Compile returns the HTML that the program mjml makes of a source. Its error is an [*Error] if there is something wrong
// with the source, [ErrNotInstalled], or that of ctx.
func Compile(ctx context.Context, source string) (string, error) {
	if len(source) > maxSource {
		return "", failed(Problem{Message: fmt.Sprintf("it has %d KiB; up to %d KiB are allowed", len(source)>>10, maxSource>>10)})
	}
	if problems := structure(source); len(problems) > 0 {
		return "", failed(problems...)
	}
	program, err := exec.LookPath("mjml")
	if err != nil {
		return "", ErrNotInstalled
	}
	// Each run takes a second of a processor, and there are never many sources.
	var last result
	select {
	case last = <-newest:
		defer func() { newest <- last }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if last.program == program && last.source == source {
		return last.html, last.err
	}
	html, problems, err := run(ctx, program, source)
	if err != nil {
		return "", err
	}
	if len(problems) == 0 {
		problems = lostExpressions(source, html)
	}
	if len(problems) == 0 {
		last = result{program, source, html, nil}
		return html, nil
	}
	err = failed(problems...)
	if slices.ContainsFunc(problems, func(p Problem) bool { return p.Line > 0 }) { // not one that the next run may not have
		last = result{program, source, "", err}
	}
	return "", err
}

// result is what one run of the program has made of a source.
type result struct {
	program, source, html string
	err                   error
}

// newest holds the newest result while the program does not run. The checks of a campaign compile what the builder or a
// command has just compiled.
var newest = make(chan result, 1)

func init() { newest <- result{} }

// passed are the variables of the environment that the program and node get: where they are installed, and what Windows
// needs to start programs. Others, such as NODE_OPTIONS, change what they do.
var passed = []string{"PATH", "HOME", "LANG", "SystemRoot", "ComSpec", "PATHEXT", "APPDATA", "USERPROFILE", "VOLTA_HOME", "ASDF_DATA_DIR"}

// run runs the program in an empty folder, because it reads a configuration file of the folder that it runs in.
func run(ctx context.Context, program, source string) (html string, problems []Problem, err error) {
	dir, err := os.MkdirTemp("", "bugle-mjml-")
	if err != nil {
		return "", nil, fmt.Errorf("cannot run mjml: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is empty
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, program, "-i", "-s")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(source), []string{"TMPDIR=" + dir, "TEMP=" + dir, "TMP=" + dir}
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	r, err := process.Run(cmd, process.Limits{Output: maxOutput, Errors: maxErrors})
	switch {
	case ctx.Err() != nil:
		return "", nil, ctx.Err()
	case limited.Err() != nil:
		return "", []Problem{{Message: fmt.Sprintf("mjml did not end within %s", timeout)}}, nil
	case r.Cut:
		return "", []Problem{{Message: fmt.Sprintf("the HTML has more than %d KiB", maxOutput>>10)}}, nil
	}
	if problems = reported(r.Errors); len(problems) > 0 {
		return "", problems, nil
	}
	html = fileComment().ReplaceAllString(r.Output, "")
	if err != nil || strings.TrimSpace(html) == "" {
		reason := firstLine(r.Errors)
		if reason == "" && err != nil {
			reason = err.Error()
		}
		return "", []Problem{{Message: "mjml failed: " + cmp.Or(reason, "it printed no HTML")}}, nil
	}
	return html, nil, nil
}

// fileComment is the name of the file that mjml writes before the HTML.
var fileComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A\s*<!-- FILE: [^\n]*? -->\s*`) })

// reportedLine matches what mjml prints about a line of its input.
var reportedLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*Line (\d+) of .*? \(([\w-]+)\) — (.+?)\s*$`)
})

// reported returns the problems that mjml printed. Some of its versions print them and compile the rest all the same.
func reported(stderr string) (problems []Problem) {
	for _, m := range reportedLine().FindAllStringSubmatch(stderr, -1) {
		line, _ := strconv.Atoi(m[1]) // digits only; a number that is too long is no line
		problems = append(problems, Problem{Line: line, Tag: m[2], Message: strings.TrimSuffix(m[3], ".")})
	}
	return problems
}

// maxReason is the longest first line of other errors that is shown.
const maxReason = 200

// firstLine returns the first line that says something.
func firstLine(stderr string) string {
	for line := range strings.Lines(stderr) {
		if line = strings.TrimSpace(line); line != "" {
			return strings.ToValidUTF8(line[:min(len(line), maxReason)], "")
		}
	}
	return ""
}

// tag matches a comment or a tag of MJML, whose attributes may have > between quotes.
var tag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<!--.*?(?:-->|\z)|<(/?)(mj[a-z-]*)(?:[\s/](?:[^<>"']|"[^"]*"|'[^']*')*)?>`)
})

// include matches an element that reads files, also in a comment: what mjml takes for a comment depends on its version.
var include = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<mj-include\b`) })

// structure returns what is wrong with the tags of a source. Of a tag that is not closed, mjml itself drops the content
// and says nothing.
func structure(source string) (problems []Problem) {
	for _, at := range include().FindAllStringIndex(source, -1) {
		problems = append(problems, Problem{lineOf(source, at[0]), "mj-include", "mj-include is not supported, because it reads files; put the content itself here"})
	}
	type open struct {
		name string
		at   int
	}
	var stack []open
	for _, m := range tag().FindAllStringSubmatchIndex(source, -1) {
		if m[4] < 0 { // a comment
			continue
		}
		name := source[m[4]:m[5]]
		switch closes, empty := m[3] > m[2], source[m[1]-2] == '/'; {
		case empty && !closes:
		case !closes:
			stack = append(stack, open{name, m[0]})
		case !slices.ContainsFunc(stack, func(o open) bool { return o.name == name }):
			return append(problems, Problem{lineOf(source, m[0]), name, name + " is closed here, but was not opened"})
		case stack[len(stack)-1].name != name:
			o := stack[len(stack)-1]
			return append(problems, Problem{lineOf(source, o.at), o.name, fmt.Sprintf("%s is not closed before the end of %s in line %d", o.name, name, lineOf(source, m[0]))})
		default:
			stack = stack[:len(stack)-1]
		}
	}
	if n := len(stack); n > 0 {
		o := stack[n-1]
		problems = append(problems, Problem{lineOf(source, o.at), o.name, o.name + " is not closed"})
	}
	return problems
}

func lineOf(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// lostExpressions returns the expressions that the HTML lacks, or has less often than the source. Text between elements
// that take none, for example, is dropped.
func lostExpressions(source, html string) (problems []Problem) {
	have, want := map[string]int{}, map[string]int{}
	for part := range template.Parts(html) {
		have[spaced(part.Source)]++
	}
	start := strings.Index(source, "<mjml") // a comment before it is not compiled
	for part := range template.Parts(source) {
		if part.Kind != template.OutputPart && part.Kind != template.StatementPart || part.Start < start {
			continue
		}
		e := spaced(part.Source)
		if want[e]++; want[e] > have[e] {
			problems = append(problems, Problem{lineOf(source, part.Start), "", shortened(e) + " is not in the compiled HTML; put it in the text of an element, or in <mj-raw>"})
		}
	}
	return problems
}

// spaced returns an expression with single spaces.
func spaced(e string) string { return strings.Join(strings.Fields(e), " ") }

func shortened(e string) string {
	if r := []rune(e); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return e
}
