package template

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// placeholderWork is the work for one placeholder, in bytes.
const placeholderWork = 1024

var (
	directive   = regexp.MustCompile(`^%(?:%|(?:\(([^)]*)\))?(?:(0?\d{0,3}(?:\.\d{1,3})?)([df])|s))`)
	placeholder = regexp.MustCompile(`^(?:\{\{|\}\}|\{([^{}:]*):?([^{}]*)\})`)
	formatSpec  = regexp.MustCompile(`^(0?)(\d{0,3})(,?)(?:\.(\d{1,3}))?([df%]?)$`)
)

// fillIn returns a text with its placeholders, which start with one of some marks, replaced by arguments, and how many
// of these it has taken by their order. What the placeholder has first is a name or a number, if it is not empty.
func fillIn(e *evaluator, a []any, marks string, placeholder *regexp.Regexp, hint string, write func(o *output, v any, m []string)) (string, int) {
	s, args, named := a[0].(string), a[1].(*List).Items, a[2].(*Dict)
	o, next := output{e: e}, 0
	for {
		at := strings.IndexAny(s, marks)
		if at < 0 {
			o.add(s)
			return o.String(), next
		}
		o.add(s[:at])
		e.work(placeholderWork)
		m := placeholder.FindStringSubmatch(s[at:])
		if m == nil {
			try(fault(hint))
		}
		s = s[at+len(m[0]):]
		if len(m[0]) == 2 && m[0][0] == m[0][1] {
			o.add(m[0][:1])
			continue
		}
		v, ok := named.get(m[1])
		i, err := strconv.Atoi(cmp.Or(m[1], strconv.Itoa(next)))
		switch {
		case ok:
		case err != nil:
			try(fault("the format has no argument " + shorten(m[1])))
		case i < 0 || i >= len(args):
			try(fault("the format has more placeholders than arguments"))
		default:
			v = args[i]
		}
		if m[1] == "" {
			next++
		}
		write(&o, v, m[2:])
	}
}

// percent computes format % v with the filter.
func percent(e *evaluator, format, v any) any {
	args, names := []any{format, v}, []string(nil)
	switch v := v.(type) {
	case *List:
		if v.tuple {
			args = append(args[:1], v.Items...)
		}
	case *Dict:
		for i, key := range v.keys {
			if name, ok := isText(key); ok && name != "" {
				args, names = append(args, v.values[i]), append(names, name)
			}
		}
	}
	return e.apply(FilterKind, "format", args, names...)
}

// formatFilter implements Python's % formatting.
func formatFilter(e *evaluator, a []any) any {
	hint := "a % in a format is followed by what to write: %s writes any value, %d a whole number, %.2f two decimals, %% a percent sign"
	out, taken := fillIn(e, a, "%", directive, hint, func(o *output, v any, m []string) {
		x, isFloat := numeric(v).(float64)
		switch {
		case m[1] == "":
			v = str(e, v)
		case m[1] == "d" && isFloat && math.Abs(x) < 1<<63:
			v = int(x)
		}
		writeFormat(o, v, m[0]+m[1])
	})
	if taken < len(a[1].(*List).Items) && len(a[2].(*Dict).keys) == 0 {
		try(fault("there are more arguments than placeholders in the format"))
	}
	return out
}

// formatMethod implements Python's str.format, without what is inside of a value.
func formatMethod(e *evaluator, a []any) any {
	hint := "a { or } in a format that is not a placeholder is written twice: {{ or }}"
	out, _ := fillIn(e, a, "{}", placeholder, hint, func(o *output, v any, m []string) { writeFormat(o, v, m[0]) })
	return out
}

// writeFormat writes v as what is behind a colon says.
func writeFormat(o *output, v any, how string) {
	_, text := isText(v)
	if how == "" || how == "s" && text {
		o.add(str(o.e, v))
		return
	}
	if t, ok := v.(time.Time); ok {
		o.add(strftime(t, how))
		return
	}
	m := formatSpec.FindStringSubmatch(how)
	if m == nil {
		try(fault(shorten(how) + " is not a format: write as in {:,.2f} or {:03d}"))
	}
	zero, group, precision, verb := m[1], m[3], m[4], m[5]
	width, _ := strconv.Atoi(m[2])
	decimals := cmp.Or(precision, "6")
	number := numeric(v)
	i, isWhole := whole(v)
	body := ""
	switch {
	case number == nil:
		try(fault(kind(v) + " has no format " + shorten(how) + "; |int or |float makes a number of a text"))
	case verb == "f":
		body = fmt.Sprintf("%."+decimals+"f", float(number))
	case verb == "%":
		body = fmt.Sprintf("%."+decimals+"f%%", float(number)*100)
	case precision != "":
		try(fault("a number has no format " + shorten(how) + ": write as in {:.2f}"))
	case verb == "":
		body = str(o.e, number)
	case !isWhole:
		try(fault("the format d takes a whole number"))
	default:
		body = strconv.Itoa(i)
	}
	sign := ""
	if after, negative := strings.CutPrefix(body, "-"); negative {
		sign, body = "-", after
	}
	if group != "" {
		end := strings.IndexAny(body+".", ".e%")
		for at := end - 3; at > 0; at -= 3 {
			body = body[:at] + "," + body[at:]
		}
	}
	if zero == "" {
		sign, body = "", sign+body
	}
	o.add(sign + strings.Repeat(cmp.Or(zero, " "), max(width-len(sign+body), 0)) + body)
}
