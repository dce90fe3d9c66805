package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bugle/engine/phrase"
)

// Env holds what parsing and completing need from the workspace. The zero value is valid.
type Env struct {
	// Values returns the values of campaigns for tag, by and team with the number of campaigns, and the
	// counts of keywords such as status. Texts are as [Text] returns them. May be nil.
	Values func(Key) []ValueCount
	// Now is the current time in the user's location.
	Now time.Time
}

// ValueCount is a value with the number of campaigns that have it.
type ValueCount struct {
	Text  string
	Count int
}

func (e Env) values(k Key) []ValueCount {
	if e.Values == nil {
		return nil
	}
	return e.Values(k)
}

// Problem is a part of a query that is invalid or matches no campaign's value.
type Problem struct {
	// From and To are byte offsets in the text.
	From, To int
	Message  string   // one sentence
	Allowed  []string // possible values; empty if there is no list
	Nearest  string   // suggested correction; empty if there is none
}

// String returns the message with the suggested correction.
func (p Problem) String() string {
	if p.Nearest == "" {
		return p.Message
	}
	return p.Message + " Did you mean " + p.Nearest + "?"
}

// Parse parses a query. It accepts any text; parts that are invalid filter nothing and are returned as
// problems.
func Parse(text string, env Env) (Query, []Problem) {
	var q Query
	var problems []Problem
	for _, tok := range scan(text) {
		t, ps := tok.term(env)
		problems = append(problems, ps...)
		q.Terms = append(q.Terms, t)
	}
	return q, problems
}

// token is one word of the text. Positions are in bytes.
type token struct {
	from, to int
	not      bool
	key      string // as it was typed; only where keyed
	keyed    bool
	keyFrom  int
	parts    []valueToken
}

// valueToken is one value in a token.
type valueToken struct {
	text   string
	quoted bool
	// from and to include the quotes.
	from, to int
}

// scan cuts the text into tokens.
func scan(text string) []token {
	var out []token
	for i := 0; i < len(text); {
		if r, n := utf8.DecodeRuneInString(text[i:]); isSpace(r) {
			i += n
			continue
		}
		tok := scanToken(text, i)
		i = tok.to
		if len(tok.parts) > 0 || tok.keyed {
			out = append(out, tok)
		}
	}
	return out
}

// scanToken reads the token that begins at i. It has no parts where it is a sign of negation that
// nothing follows yet.
func scanToken(text string, i int) token {
	tok := token{from: i}
	for i < len(text) && (text[i] == '-' || text[i] == '!') {
		tok.not = true
		i++
	}
	tok.keyFrom = i
	if key, rest, ok := cutKey(text[i:]); ok {
		tok.key, tok.keyed = key, true
		i = len(text) - len(rest)
	}
	for {
		p := scanPart(text, i, tok.keyed)
		if p.to > p.from {
			tok.parts = append(tok.parts, p)
		}
		i = p.to
		if !tok.keyed || i >= len(text) || text[i] != ',' {
			break
		}
		i++
	}
	tok.to = i
	return tok
}

// scanPart reads one value, up to a space, a comma in a list, or the closing quote. An open quote ends with
// the text.
func scanPart(text string, i int, list bool) valueToken {
	p := valueToken{from: i, to: i}
	if i < len(text) && text[i] == '"' {
		p.quoted = true
		p.text, p.to = unquote(text, i+1)
		return p
	}
	for p.to < len(text) {
		r, n := utf8.DecodeRuneInString(text[p.to:])
		if isSpace(r) || list && r == ',' {
			break
		}
		p.to += n
	}
	p.text = text[i:p.to]
	return p
}

func unquote(text string, i int) (string, int) {
	var b strings.Builder
	for ; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), i + 1
		case text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), i
}

// cutKey splits off a keyword and its colon. Keywords only have letters, so that 12:30 is a search word.
func cutKey(s string) (key, rest string, ok bool) {
	i := strings.IndexByte(s, ':')
	if i <= 0 || strings.ContainsFunc(s[:i], func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }) {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// term returns the meaning of a token.
func (t token) term(env Env) (Term, []Problem) {
	out := Term{Not: t.not}
	if !t.keyed {
		out.Values = []Value{{Text: t.parts[0].text, Quoted: t.parts[0].quoted}}
		return out, nil
	}
	w := findKeyword(Key(t.key))
	if w == nil {
		out.Key, out.Bad = Key(t.key), true
		for _, p := range t.parts {
			out.Values = append(out.Values, Value{Text: p.text, Quoted: p.quoted})
		}
		return out, []Problem{{
			From: t.keyFrom, To: t.keyFrom + len(t.key), Allowed: names(), Nearest: phrase.Nearest(t.key, names()),
			Message: fmt.Sprintf("Unknown filter %q. Put quotes around it to search for the text.", t.key),
		}}
	}
	out.Key = w.key
	var problems []Problem
	for _, p := range t.parts {
		v, problem := w.value(p, env)
		out.Values = append(out.Values, v)
		if problem.Message != "" {
			problem.From, problem.To = p.from, p.to
			problems = append(problems, problem)
		}
	}
	return out, problems
}

// value reads one value of the query word.
func (w *keyword) value(p valueToken, env Env) (Value, Problem) {
	v := Value{Text: p.text, Quoted: p.quoted}
	bad := func(format string, args ...any) (Value, Problem) {
		v.Bad = true
		return v, Problem{Message: fmt.Sprintf(format, args...)}
	}
	switch w.kind {
	case ofList:
		o, ok := w.find(p.text)
		if !ok {
			v, problem := bad("There is no %s %q.", w.help, p.text)
			for _, o := range w.options {
				problem.Allowed = append(problem.Allowed, o.text)
			}
			if problem.Nearest = phrase.Nearest(p.text, problem.Allowed); problem.Nearest == "" {
				problem.Nearest = filterWith(p.text)
			}
			return v, problem
		}
		return Value{Text: o.text}, Problem{}
	case ofTime:
		span, ok := parseSpan(p.text)
		if !ok {
			v, problem := bad("%q is not a date. Use 2026-01-31, today, this-month, or an age such as <7d.", p.text)
			problem.Nearest = phrase.Nearest(strings.TrimLeft(p.text, "<>="), timeWords())
			return v, problem
		}
		return Value{Text: span.text}, Problem{}
	case ofCount:
		n, err := strconv.ParseUint(p.text, 10, 31)
		if err != nil {
			return bad("%q is not a %s. Use a whole number.", p.text, w.help)
		}
		return Value{Text: strconv.FormatUint(n, 10)}, Problem{}
	case ofRows:
		return v, w.known(p, env)
	}
	return v, Problem{}
}

// filterWith returns the filter that has a value, such as is:live; empty if none has it.
func filterWith(value string) string {
	for i := range keywords {
		if w := &keywords[i]; w.key != Sort && slices.ContainsFunc(w.options, func(o option) bool { return o.text == slug(value) }) {
			return string(w.key) + ":" + slug(value)
		}
	}
	return ""
}

// known reports a value that no campaign has. It still filters, so that nothing matches.
func (w *keyword) known(p valueToken, env Env) Problem {
	values := env.values(w.key)
	if len(values) == 0 || p.text == "" {
		return Problem{}
	}
	all := make([]string, len(values))
	for i, k := range values {
		if Matches(k.Text, p.text, p.quoted) {
			return Problem{}
		}
		all[i] = k.Text
	}
	return Problem{Message: fmt.Sprintf("No campaign has the %s %q.", w.help, p.text), Allowed: all, Nearest: phrase.Nearest(p.text, all)}
}
