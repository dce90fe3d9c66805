package commands

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// script is the text of a shell command or of a question, with the variables that it uses.
type script struct {
	text  string
	names []string // without their prefix, such as ID and PROMPT_label
}

// prefix begins the names of all variables, prompted those of answers.
const (
	prefix   = "BUGLE_"
	prompted = "PROMPT_"
)

// variables are what a command can use, besides the answers to its prompts.
var variables = []struct {
	name  string
	value func(Data) string
}{
	{"ID", func(d Data) string { return d.ID }},
	{"NAME", func(d Data) string { return d.Name }},
	{"CHANNEL", func(d Data) string { return d.Channel }},
	{"STATUS", func(d Data) string { return d.Status }},
	{"IDS", func(d Data) string { return strings.Join(d.IDs, "\n") }},
	{"FIELD", func(d Data) string { return d.Field }},
	{"VALUE", func(d Data) string { return d.Value }},
	{"FILE", func(d Data) string { return d.File }},
}

// mention matches a name of a variable, with what makes the shell replace it, if it is there.
var mention = regexp.MustCompile(`(\$\{?)?\b` + prefix + `(\w+)`)

// parseScript finds the variables of a text. One that is neither ours nor in the environment is an error.
func parseScript(text string, prompts []Prompt) (script, error) {
	var known []string
	for _, v := range variables {
		known = append(known, v.name)
	}
	for _, p := range prompts {
		known = append(known, prompted+p.Name)
	}
	s := script{text: text}
	for _, m := range mention.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[4]:m[5]]
		switch _, set := os.LookupEnv(prefix + name); {
		case slices.Contains(known, name):
			s.names = append(s.names, name)
		case m[2] >= 0 && !set:
			return script{}, fmt.Errorf("there is no $%s%s; use $%[1]s%[3]s", prefix, name, strings.Join(known, ", $"+prefix))
		}
	}
	return s, nil
}

// value returns the value of a variable by its name without the prefix.
func (d Data) value(name string) string {
	if of, ok := strings.CutPrefix(name, prompted); ok {
		return d.Prompt[of]
	}
	for _, v := range variables {
		if v.name == name {
			return v.value(d)
		}
	}
	return ""
}

// filled returns the text with the values in the place of the variables. It is for people, not for a shell.
func (s script) filled(d Data) string {
	return expansion.ReplaceAllStringFunc(s.text, func(m string) string {
		name := strings.TrimPrefix(strings.Trim(m, "${}"), prefix)
		if !slices.Contains(s.names, name) {
			return m
		}
		return d.value(name)
	})
}

var expansion = regexp.MustCompile(`\$(\{` + prefix + `\w+\}|` + prefix + `\w+)`)

// maxVariable is the size of the longest value in the environment; the system's limit is 128 KB.
const maxVariable = 120_000

// environment returns the variables that the script uses, with their values.
func (s script) environment(d Data) (env []string, err error) {
	for _, name := range s.names {
		v := d.value(name)
		switch {
		case len(v) > maxVariable:
			return nil, fmt.Errorf("$%s%s is too long for the environment of a command; use $%[1]sFILE", prefix, name)
		case strings.ContainsRune(v, 0):
			return nil, fmt.Errorf("$%s%s has a null character, which the environment of a command cannot contain; use $%[1]sFILE", prefix, name)
		}
		env = append(env, prefix+name+"="+v)
	}
	return env, nil
}
