package template

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// spec says how a value is written: by % or by format.
type spec struct {
	fill      rune
	align     byte // < > ^, or = for a fill between the sign and the digits
	sign      byte // - + or a space
	alternate bool // # puts 0x in front
	width     int
	group     string // between thousands
	precision int    // -1 if it is not set
	verb      byte   // 0 if it is not set
}

// placeholderWork is the work for one placeholder, in bytes.
const placeholderWork = 1024

var (
	formatSpec = regexp.MustCompile(`(?s)^(?:(.)?([<>=^]))?([-+ ]?)(#?)(0?)(\d{0,7})([,_]?)(?:\.(\d{1,3}))?([a-zA-Z%]?)$`)
	directive  = regexp.MustCompile(`^%(?:\(([^)]*)\))?([-+ #0]*)(\d{0,7})(?:\.(\d{0,3}))?([a-zA-Z])`)
)

// percent computes format % v.
func percent(e *evaluator, format, v any) (result any, err error) {
	defer rescue(&err)
	s, _ := isText(format)
	args, named := []any{v}, &Dict{}
	switch v := v.(type) {
	case TupleValue:
		args = v
	case *Dict:
		named = v
	}
	if _, ok := format.(Safe); ok {
		args, named = escapedTexts(args).([]any), escapedTexts(named).(*Dict)
	}
	return like(format, must(percents(e, s, args, named)).(string)), nil
}

// percents implements Python's % formatting.
func percents(e *evaluator, s string, args []any, named *Dict) (any, error) {
	o := output{e: e}
	next, byName := 0, false
	for {
		before, _, found := strings.Cut(s, "%")
		o.add(before)
		if !found {
			break
		}
		s = s[len(before):]
		if strings.HasPrefix(s, "%%") {
			o.WriteByte('%')
			s = s[2:]
			continue
		}
		try(e.work(placeholderWork))
		m := directive.FindStringSubmatch(s)
		if m == nil {
			return nil, fault("a % in a format is followed by what to write: %s writes any value, %d a whole number, %% a percent sign")
		}
		s = s[len(m[0]):]
		var arg any
		switch {
		case strings.HasPrefix(m[0], "%("):
			i, err := named.find(e, m[1])
			if i < 0 || err != nil {
				return nil, fault("the format has no argument " + shorten(m[1]))
			}
			arg, byName = named.values[i], true
		case next == len(args):
			return nil, fault("the format has more placeholders than arguments")
		default:
			arg = args[next]
			next++
		}
		f := spec{fill: ' ', align: '>', precision: -1, verb: m[5][0], alternate: strings.Contains(m[2], "#")}
		f.width, _ = strconv.Atoi(m[3]) // none is 0
		if strings.Contains(m[0], ".") {
			f.precision, _ = strconv.Atoi(m[4])
		}
		if f.verb == 'i' || f.verb == 'u' {
			f.verb = 'd'
		}
		switch {
		case strings.Contains(m[2], "-"):
			f.align = '<'
		case strings.Contains(m[2], "0") && f.verb != 's':
			f.align, f.fill = '=', '0'
		}
		if i := strings.IndexAny(m[2], "+ "); i >= 0 {
			f.sign = m[2][i]
			if strings.Contains(m[2], "+") {
				f.sign = '+'
			}
		}
		if x, ok := numeric(arg).(float64); ok && f.verb == 'd' && math.Abs(x) < 1<<63 {
			arg = int(x)
		}
		if f.verb == 's' {
			arg = must(str(e, arg))
		}
		f.write(&o, arg)
	}
	if _, isMap := anyOf(args).(*Dict); next < len(args) && !byName && !isMap {
		return nil, fault("there are more arguments than placeholders in the format")
	}
	return o.String(), nil
}

// anyOf returns the only item of a list.
func anyOf(items []any) any {
	if len(items) == 1 {
		return items[0]
	}
	return nil
}

// formatMethod implements Python's str.format, without what is inside of a value.
func formatMethod(e *evaluator, a []any) (any, error) {
	s, args, named := a[0].(string), a[1].(TupleValue), a[2].(*Dict)
	o := output{e: e}
	next := 0
	for s != "" {
		at := strings.IndexAny(s, "{}")
		if at < 0 {
			o.add(s)
			break
		}
		o.add(s[:at])
		if s = s[at:]; len(s) > 1 && s[1] == s[0] {
			o.WriteByte(s[0])
			s = s[2:]
			continue
		}
		try(e.work(placeholderWork))
		field, rest, ok := strings.Cut(s[1:], "}")
		if s[0] == '}' || !ok || strings.Contains(field, "{") {
			return nil, fault("a { or } in a format that is not a placeholder is written twice: {{ or }}")
		}
		s = rest
		name, how, _ := strings.Cut(field, ":")
		i, err := strconv.Atoi(name)
		if name == "" {
			i, err = next, nil
			next++
		}
		switch at := must(named.find(e, name)); {
		case err == nil && i >= 0 && i < len(args):
			writeFormat(&o, args[i], how)
		case err == nil:
			return nil, fault("the format has more placeholders than arguments")
		case at < 0:
			return nil, fault("the format has no argument " + shorten(name))
		default:
			writeFormat(&o, named.values[at], how)
		}
	}
	return o.String(), nil
}

// writeFormat writes v as what is behind a colon says.
func writeFormat(o *output, v any, how string) {
	if how == "" {
		o.add(must(str(o.e, v)))
		return
	}
	if t, ok := v.(time.Time); ok {
		o.add(must(strftime(t, how)))
		return
	}
	m := formatSpec.FindStringSubmatch(how)
	if m == nil {
		try(fault(shorten(how) + " is not a format: write as in {:,.2f} or {:>10}"))
	}
	f := spec{fill: ' ', align: '>', precision: -1, alternate: m[4] != "", group: m[7]}
	number := numeric(v)
	text, isText := isText(v)
	switch {
	case m[2] != "":
		f.align = m[2][0]
	case number == nil:
		f.align = '<'
	case m[5] != "":
		f.align = '='
	}
	if m[1] != "" {
		f.fill, _ = utf8.DecodeRuneInString(m[1])
	} else if m[5] != "" {
		f.fill = '0'
	}
	if m[3] != "" {
		f.sign = m[3][0]
	}
	f.width, _ = strconv.Atoi(m[6])
	if m[8] != "" {
		f.precision, _ = strconv.Atoi(m[8])
	}
	if m[9] != "" {
		f.verb = m[9][0]
	}
	switch n := number.(type) {
	case nil:
		if !isText || f.verb != 0 && f.verb != 's' || f.sign != 0 || f.group != "" || f.align == '=' || f.alternate {
			try(fault(kind(v) + " has no format " + shorten(how) + "; |int or |float makes a number of a text"))
		}
		f.verb, v = 's', text
	case int:
		if f.verb == 0 && f.precision < 0 {
			f.verb = 'd'
		}
	case float64:
		if f.verb == 'd' && n != math.Trunc(n) {
			try(fault("{:d} takes a whole number"))
		}
	}
	f.write(o, v)
}

// write writes v in its width.
func (f spec) write(o *output, v any) {
	sign, body := "", ""
	if s, ok := v.(string); ok && f.verb == 's' {
		if body = s; f.precision >= 0 {
			body = firstRunes(s, f.precision)
		}
	} else {
		n := numeric(v)
		if n == nil {
			try(fault("the format %" + string(f.verb) + " takes a number, not " + kind(v) + "; |int or |float makes one of a text"))
		}
		if body = f.digits(n); body == "" {
			try(fault("a number has no format " + string(f.verb)))
		}
		if strings.HasPrefix(body, "-") {
			sign, body = "-", body[1:]
		} else if f.sign == '+' || f.sign == ' ' {
			sign = string(f.sign)
		}
		if f.alternate && (f.verb|0x20 == 'x') {
			sign += "0" + string(f.verb)
		}
	}
	fill := max(f.width-utf8.RuneCountInString(sign+body), 0)
	try(o.e.room(4 * fill))
	before, between := fill, 0
	switch f.align {
	case '<':
		before = 0
	case '^':
		before = fill / 2
	case '=':
		before, between = 0, fill
	}
	padding := strings.Repeat(string(f.fill), fill)
	size := len(string(f.fill))
	o.add(padding[:before*size] + sign + padding[:between*size] + body + padding[:(fill-before-between)*size])
}

// digits returns a number without a plus sign, or "" if there is no such format.
func (f spec) digits(n any) string {
	s, most := "", f.precision
	switch f.verb {
	case 'd', 'x', 'X':
		i, ok := whole(n)
		if !ok {
			return ""
		}
		base := 10
		if f.verb != 'd' {
			base = 16
		}
		if s = strconv.FormatInt(int64(i), base); f.verb == 'X' {
			s = strings.ToUpper(s)
		}
		if digits := strings.TrimPrefix(s, "-"); len(digits) < most {
			s = s[:len(s)-len(digits)] + strings.Repeat("0", most-len(digits)) + digits
		}
	case 'f', 'F', 'e', 'E', 'g', 'G', '%':
		if most < 0 {
			most = 6
		}
		x, verb := float(n), f.verb|0x20
		if f.verb == '%' {
			x, verb = x*100, 'f'
		}
		if verb == 'g' {
			most = max(most, 1)
		}
		if s = strconv.FormatFloat(x, verb, most, 64); f.verb >= 'A' && f.verb <= 'Z' {
			s = strings.ToUpper(s)
		}
		if f.verb == '%' {
			s += "%"
		}
	case 0:
		if s = reprFloat(float(n)); most >= 0 {
			s = strconv.FormatFloat(float(n), 'g', max(most, 1), 64)
		}
	}
	if f.group == "" {
		return s
	}
	end := strings.IndexAny(s, ".e%")
	if end < 0 {
		end = len(s)
	}
	for i := end - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + f.group + s[i:]
	}
	return s
}
