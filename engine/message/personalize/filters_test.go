package personalize_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bugle/engine/message/personalize"
)

// odd is data of every kind, with numbers that no float holds.
func odd() personalize.Data {
	return personalize.Data{UserAttributes: map[string]any{
		"id": json.Number("9007199254740993"), "long": json.Number("123456789012345678901234567890"), "price": json.Number("19.90"),
		"exact": json.Number("0.12345678901234567890"), "vast": json.Number("1e400"), "endless": json.Number(strings.Repeat("9", 5000)),
		"u64": uint64(math.MaxUint64), "i64": int64(math.MaxInt64), "small": int8(-7), "nan": math.NaN(), "inf": math.Inf(1), "whole": float64(36),
		"text": "12", "word": "abc", "holed": []any{"a", nil, "c"}, "numbers": []any{1, json.Number("9007199254740993"), "2"}, "mixed": []any{1, "a"},
		"rows": []any{map[string]any{"n": 2, "t": "b"}, map[string]any{"n": 1, "t": "a"}, map[string]any{"t": "c"}}, "map": map[string]any{"b": 1, "a": nil},
		"ptr": new(int), "chan": make(chan int), "struct": struct{ A int }{1}, "yes": true,
	}}
}

// What each filter makes of its input: "hole" and why where it has no result. Where nothing else is said
// the results are those of Jinja 3.1. On purpose different are: whole numbers are written without a
// fraction, maps are in the order of their keys, texts that spell a number count as one, whole numbers
// stay exact where Jinja turns them into floats, and what is missing is a hole, never "None".
var filterTests = []struct{ expr, want string }{
	{"-7|abs", "7"}, {"-9223372036854775808|abs", "9223372036854775808"}, {"'-1.5'|abs", "1.5"}, {"true|abs", "1"}, {"'x'|abs", "hole: filter abs: it takes a number, not a text"}, {"1|abs(2)", "hole: filter abs: it takes at most 0 arguments"},
	{"[1,2,3]|batch(2)", "[[1, 2], [3]]"}, {"[1,2,3]|batch(2, 'x')", "[[1, 2], [3, 'x']]"}, {"[1]|batch", "hole: filter batch: the argument linecount is missing"}, {"[1]|batch(0)", "hole: filter batch: the argument linecount must be at least 1"}, {"[1]|batch('a')", "hole: filter batch: the argument linecount must be a whole number"}, {"5|batch(1)", "hole: filter batch: it takes a list, not a number"},
	{"'éCOLE b'|capitalize", "École b"}, {"5|capitalize", "5"},
	{"'ab'|center(5)", "  ab "}, {"'abc'|center(-5)", "abc"}, {"'ab'|center('5')", "hole: filter center: the argument width must be a whole number"},
	{"[1,2]|count", "2"}, {"'a😀'|length", "2"}, {"5|length", "hole: filter length: a number has no length"}, {"user.holed|length", "3"},
	{"user.none|default('x')", "x"}, {"''|d('x', true)", "x"}, {"('x'|int(base=1))|default('n/a')", "n/a"}, {"(1/0)|default('n/a')", "n/a"}, {"1|default('x', other=1)", "hole: filter default: it takes no argument other"},
	{"{'b': 1, 'a': 2}|dictsort", "[['a', 2], ['b', 1]]"}, {"{'b': 1, 'a': 2}|dictsort(by='value')", "[['b', 1], ['a', 2]]"}, {"{'b': 1, 'a': 'x'}|dictsort(by='value')", "hole: filter dictsort: a number and a text cannot be compared"}, {"{}|dictsort(by='x')", "hole: filter dictsort: the argument by is 'key' or 'value'"}, {"[1]|dictsort", "hole: filter dictsort: it takes a map, not a list"},
	{`'<a href="x">&\'</a>'|escape`, "&lt;a href=&#34;x&#34;&gt;&amp;&#39;&lt;/a&gt;"}, {"'<'|e", "&lt;"}, {"'<'|forceescape", "&lt;"}, {"5|e", "5"},
	{"1|filesizeformat", "1 Byte"}, {"12345|filesizeformat", "12.3 kB"}, {"12345|filesizeformat(true)", "12.1 KiB"}, {"(10**30)|filesizeformat", "1000000.0 YB"}, {"'x'|filesizeformat", "hole: filter filesizeformat: it takes a number, not a text"}, {"(10**400)|filesizeformat", "hole: filter filesizeformat: the number is too large"},
	{"[1,2]|first", "1"}, {"'é'|first", "é"}, {"[]|first", "hole: filter first: the list is empty"}, {"''|last", "hole: filter last: the text is empty"}, {"5|first", "hole: filter first: it takes a list, not a number"}, {"[user.holed[1:2]]|first|first", "hole: filter first: it has no value"},
	{"'1.50'|float", "1.5"}, {"'x'|float", "0"}, {"'x'|float(2)", "2"}, {"'nan'|float", "0"}, {"'inf'|float('-')", "-"}, {"'1e400'|float", "0"}, {"(10**400)|float", "hole: filter float: the number is too large for a fraction"}, {"[1]|float(7)", "7"},
	{"'%s and %s'|format('a', 1)", "a and 1"}, {"'%s and %s'|format('a')", "hole: filter format: the text has more placeholders than arguments"}, {"'%s'|format(1, 2)", "hole: filter format: there are more arguments than placeholders in the text"}, {"'%d'|format('x')", "hole: filter format: %d takes a number, not a text"}, {"'%d'|format(1.9)", "1"}, {"'%d'|format(9007199254740993)", "9007199254740993"}, {"'%5.1f|%-5d|%05d|%+d|%x|%#X|%o|%e|%g|%c|%%'|format(1.25, 3, -3, 4, 255, 255, 8, 12345, 0.00001, 65)", "  1.2|3    |-0003|+4|ff|0XFF|10|1.234500e+04|1e-05|A|%"}, {"'%r %a'|format(['é', true, 1], 'é')", `['é', True, 1] '\xe9'`}, {"'%(a)s-%(b)d'|format(a='x', b=2)", "x-2"}, {"'%(a)s'|format(b=2)", "hole: filter format: there is no argument a"}, {"'%v'|format(1)", "hole: filter format: %v is not a format; %s writes any value and %d a whole number"}, {"'%T %#v'|format(1, 2)", "hole: filter format: %T is not a format; %s writes any value and %d a whole number"}, {"'100%'|format", "hole: filter format: the text ends with a single %; write %% for a percent sign"}, {"'%[1]d'|format(1)", "hole: filter format: %[ is not a format; %s writes any value and %d a whole number"}, {"'%f'|format(10**400)", "hole: filter format: the number is too large for %f"}, {"'%c'|format(-1)", "hole: filter format: %c takes one character"}, {"'%s'|format(user.holed[1:])", "[None, 'c']"}, {"'%x'|format(1.5)", "hole: filter format: %x takes a whole number"},
	{"'a\nb'|indent(2)", "a\n  b"}, {"'a\n\nb'|indent('> ', true, true)", "> a\n> \n> b"}, {"'a'|indent(1.5)", "hole: filter indent: the argument width must be a whole number or a text"},
	{"'12'|int", "12"}, {"' -1_000 '|int", "-1000"}, {"2.9|int", "2"}, {"-2.9|int", "-2"}, {"'2.9'|int", "2"}, {"'x'|int", "0"}, {"'x'|int('?')", "?"}, {"'ff'|int(0, 16)", "255"}, {"'0x1F'|int(0, 16)", "31"}, {"'9007199254740993'|int", "9007199254740993"}, {"'123456789012345678901234567890'|int", "123456789012345678901234567890"}, {"1e22|int", "10000000000000000000000"}, {"'1e400'|int", "0"}, {"[]|int(5)", "5"}, {"true|int", "1"}, {"'1'|int(base=99)", "hole: filter int: the argument base must be 0, or 2 to 36"}, {"'1'|int(1, default=2)", "hole: filter int: the argument default is set twice"},
	{"{'a': 1}|items", "[['a', 1]]"}, {"[1]|items", "hole: filter items: it takes a map, not a list"},
	{"[1, 'a', true]|join('-')", "1-a-True"}, {"'abc'|join(',')", "a,b,c"}, {"user.holed|join(', ')", "hole: filter join: item 2 of the list has no value"}, {"user.rows|join(',', attribute='t')", "b,a,c"}, {"user.rows|join(',', attribute='n')", "hole: filter join: item 3 of the list has no value"}, {"5|join", "hole: filter join: it takes a list, not a number"}, {"user.numbers|join('+')", "1+9007199254740993+2"},
	{"[1,2]|last", "2"}, {"'ab'|list", "['a', 'b']"}, {"{'b': 1}|list", "['b']"}, {"1|list", "hole: filter list: it takes a list, not a number"},
	{"'ÀB'|lower", "àb"}, {"5|lower", "5"}, {"[ 'A' ]|lower", "['a']"}, {"'a'|lower(1)", "hole: filter lower: it takes at most 0 arguments"},
	{"['a', 'b']|map('upper')|join", "AB"}, {"user.rows|map(attribute='n', default=0)|join", "210"}, {"user.rows|map(attribute='n')|join", "hole: filter join: item 3 of the list has no value"}, {"user.holed|map('upper')|join", "hole: filter map: item 2 of the list has no value"}, {"user.holed|map('default', '-')|join", "a-c"}, {"['a']|map('abs')|join", "hole: filter abs: it takes a number, not a text"}, {"['%s %s']|map('format', 1)|join", "hole: filter format: the text has more placeholders than arguments"}, {"[1]|map('nope')", `hole: filter map: there is no filter "nope"`}, {"[1]|map", "hole: filter map: it takes the name of a filter, or attribute='…'"}, {"[1]|map(attribute='a', x=1)", "hole: filter map: it takes no argument x"},
	{"[1, 9007199254740993, 9007199254740992]|max", "9007199254740993"}, {"['b', 'A']|min", "A"}, {"['b', 'A', 'C']|max(true)", "b"}, {"user.rows[:2]|max(attribute='n')", "{'n': 2, 't': 'b'}"}, {"[]|max", "hole: filter max: the list is empty"}, {"user.mixed|max", "hole: filter max: a text and a number cannot be compared"}, {"user.holed|min", "hole: filter min: a value that is missing and a text cannot be compared"},
	{"[7]|random", "7"}, {"[]|random", "hole: filter random: the list is empty"}, {"{'a': 1}|random", "hole: filter random: it takes a list, not a map"},
	{"[0, 1, 2]|reject", "[0]"}, {"[0, 1, 2]|reject('odd')", "[0, 2]"}, {"user.rows|rejectattr('n')|map(attribute='t')|join", "c"}, {"[0, 1]|select", "[1]"}, {"[1, 2, 3]|select('gt', 1)", "[2, 3]"}, {"[1]|select('nope')", `hole: filter select: there is no test "nope"`}, {"[1]|select('gt')", "hole: filter select: the test gt takes 1 argument"}, {"['a']|select('gt', 1)", "hole: filter select: a text and a number cannot be compared"}, {"user.rows|selectattr('n', 'gt', 1)|map(attribute='t')|join", "b"}, {"[1]|selectattr", "hole: filter selectattr: it takes the name of an attribute"}, {"[1]|select(x=1)", "hole: filter select: it takes arguments without names"}, {"5|select('odd')", "hole: filter select: it takes a list, not a number"},
	{"'a-b-c'|replace('-', '+')", "a+b+c"}, {"'a-b-c'|replace('-', '+', 1)", "a+b-c"}, {"'ab'|replace('', '.')", ".a.b."}, {"12|replace(1, 2)", "22"}, {"'a'|replace('a')", "hole: filter replace: the argument new is missing"}, {"'a'|replace('a', 'b', 'c')", "hole: filter replace: the argument count must be a whole number"},
	{"'aé'|reverse", "éa"}, {"[1,2]|reverse", "[2, 1]"}, {"5|reverse", "hole: filter reverse: it takes a list, not a number"},
	{"2.5|round", "2"}, {"3.5|round", "4"}, {"2.675|round(2)", "2.67"}, {"42.55|round(1, 'floor')", "42.5"}, {"42.55|round(1, 'ceil')", "42.6"}, {"1250|round(-2)", "1200"}, {"9007199254740993|round(2, 'ceil')", "9007199254740993"}, {"user.long|round(-1)", "123456789012345678901234567890"}, {"user.long|round(-2, 'ceil')", "123456789012345678901234567900"}, {"1|round(99999999)", "1"}, {"1.5|round(99999999, 'ceil')", "hole: filter round: the result is not a number"}, {"1|round(-99999999)", "0"}, {"'x'|round", "hole: filter round: it takes a number, not a text"}, {"1|round(method='up')", "hole: filter round: the argument method is 'common', 'ceil' or 'floor'"}, {"1|round('x')", "hole: filter round: the argument precision must be a whole number"},
	{"'<b>'|safe", "<b>"}, {"[1, '2']|string|length", "8"},
	{"[1,2,3]|slice(2)", "[[1, 2], [3]]"}, {"[1,2,3]|slice(2, 'x')", "[[1, 2], [3, 'x']]"}, {"[1]|slice(0)", "hole: filter slice: the argument slices must be at least 1"}, {"5|slice(1)", "hole: filter slice: it takes a list, not a number"},
	{"[3, 1, 2.5]|sort", "[1, 2.5, 3]"}, {"['b', 'A', 'c']|sort", "['A', 'b', 'c']"}, {"['b', 'A', 'a']|sort(true, true)", "['b', 'a', 'A']"}, {"user.rows[:2]|sort(attribute='n')|map(attribute='t')|join", "ab"}, {"user.rows|sort(attribute='n')", "hole: filter sort: a value that is missing and a number cannot be compared"}, {"user.mixed|sort", "hole: filter sort: a text and a number cannot be compared"}, {"[9007199254740993, 9007199254740992]|sort", "[9007199254740992, 9007199254740993]"},
	{"'<p>a  &amp;<!-- x --> b</p>'|striptags", "a & b"},
	{"[1, 2]|sum", "3"}, {"user.numbers|sum", "9007199254740996"}, {"[0.1, 0.2]|sum", "0.30000000000000004"}, {"[]|sum", "0"}, {"user.rows[:2]|sum(attribute='n')", "3"}, {"[1]|sum(start=10)", "11"}, {"user.rows|sum('n')", "hole: filter sum: item 3 of the list is a value that is missing, not a number"}, {"user.mixed|sum", "hole: filter sum: item 2 of the list is a text, not a number"}, {"[9223372036854775807, 1]|sum", "9223372036854775808"}, {"5|sum", "hole: filter sum: it takes a list, not a number"},
	{"'o\\'neil mc-foo (bar)'|title", "O'neil Mc-Foo (Bar)"},
	{"{'b': [1, none, true, 'é<\\''], 'a': 9007199254740993}|tojson", `{"a": 9007199254740993, "b": [1, null, true, "\u00e9\u003c\u0027"]}`}, {"[1, {'a': []}]|tojson(1)", "[\n 1,\n {\n  \"a\": []\n }\n]"}, {"1|tojson('x')", "1"}, {"'😀'|tojson", `"\ud83d\ude00"`}, {"1|tojson([])", "hole: filter tojson: the argument indent must be a whole number or a text"},
	{"' a '|trim", "a"}, {"'xax'|trim('x')", "a"}, {"5|trim", "5"}, {"'a'|trim(1)", "hole: filter trim: the argument chars must be a text"},
	{"'foo bar baz qux'|truncate(9)", "foo..."}, {"'foo bar baz qux'|truncate(9, true)", "foo ba..."}, {"'foo bar'|truncate(5, false, '', 0)", "foo"}, {"'abc'|truncate(2)", "hole: filter truncate: the argument length must be at least 3"}, {"'abc'|truncate(5, leeway=-1)", "hole: filter truncate: the argument leeway must not be negative"}, {"'a'|truncate(10**30)", "a"}, {"'abcdef'|truncate('3')", "hole: filter truncate: the argument length must be a whole number"},
	{"['a', 'A', 1, 1.0, true]|unique", "['a', 1]"}, {"['a', 'A']|unique(true)", "['a', 'A']"}, {"user.rows|unique(attribute='t')|length", "3"}, {"[[1]]|unique", "hole: filter unique: a list cannot be compared with other items"}, {"[9007199254740993, 9007199254740992]|unique|length", "2"},
	{"'straße'|upper", "STRASSE"},
	{"'a b/c?&é'|urlencode", "a%20b/c%3F%26%C3%A9"}, {"{'a b': 'c/d', 'e': 1}|urlencode", "a+b=c%2Fd&e=1"}, {"[['a', 1]]|urlencode", "a=1"}, {"[1]|urlencode", "hole: filter urlencode: a list must hold pairs of a name and a value"}, {"user.map|urlencode", "hole: filter urlencode: an item has no value"}, {"5|urlencode", "5"},
	{"'a b-c, d_e'|wordcount", "4"}, {"'the well-known\nlonger'|wordwrap(6)", "the\nwell-\nknown\nlonger"}, {"'abcdef'|wordwrap(3, false)", "abcdef"}, {"'a'|wordwrap(0)", "hole: filter wordwrap: a width of 0 is not available, only 1 to 1000"}, {"'a b'|wordwrap(1, wrapstring='|')", "a|b"},
}

var operatorTests = []struct{ expr, want string }{
	{"9007199254740993*1", "9007199254740993"}, {"9007199254740993 + 0", "9007199254740993"}, {"9007199254740993 - 1", "9007199254740992"}, {"-9007199254740993", "-9007199254740993"}, {"9223372036854775807 + 1", "9223372036854775808"}, {"-9223372036854775808 - 1", "-9223372036854775809"}, {"9223372036854775807 * 9223372036854775807", "85070591730234615847396907784232501249"}, {"123456789012345678901234567890 + 1", "123456789012345678901234567891"}, {"0xFFFFFFFFFFFFFFFFFF", "4722366482869645213695"}, {"1_000_000", "1000000"},
	{"user.id", "9007199254740993"}, {"user.id * 1", "9007199254740993"}, {"user.id + 1", "9007199254740994"}, {"user.long + 1", "123456789012345678901234567891"}, {"user.long", "123456789012345678901234567890"}, {"user.exact", "0.12345678901234567890"}, {"user.price", "19.90"}, {"user.price * 2", "39.8"}, {"user.u64 + 1", "18446744073709551616"}, {"user.i64 + 1", "9223372036854775808"}, {"user.small - 1", "-8"}, {"user.whole", "36"}, {"user.whole + 1", "37"}, {"user.text * 2", "1212"}, {"user.text - 1", "11"}, {"user.yes + 1", "2"},
	{"user.vast", "1e400"}, {"user.vast + 1", "hole: + cannot join a text and a number: write ~ to join them as texts"}, {"user.endless * 2.5", "hole: * needs numbers on both sides"}, {"user.nan", "hole: it has no value"}, {"user.inf + 1", "hole: it has no value"}, {"user.ptr", "hole: it has no value"}, {"user.chan", "hole: it has no value"}, {"user.struct", "hole: it has no value"},
	{"7 / 2", "3.5"}, {"6 / 3", "2"}, {"9007199254740993 / 1", "9007199254740993"}, {"1 / 3", "0.3333333333333333"}, {"10**30 / 3", "3.333333333333333e+29"}, {"1 / 0", "hole: division by zero"}, {"1.5 / 0", "hole: division by zero"}, {"0 / 0", "hole: division by zero"}, {"1 // 0", "hole: division by zero"}, {"1 % 0", "hole: division by zero"}, {"1 % 0.0", "hole: division by zero"}, {"10**400 / 3", "hole: the result is not a number"}, {"10**400 * 1.5", "hole: a whole number is too large to be computed with a fraction"},
	{"7 // 2", "3"}, {"-7 // 2", "-4"}, {"7 // -2", "-4"}, {"7.5 // 2", "3"}, {"-7 % 3", "2"}, {"7 % -3", "-2"}, {"-7.5 % 2", "0.5"}, {"9007199254740993 // 1", "9007199254740993"}, {"9007199254740993 % 2", "1"}, {"10**20 % 7", "2"}, {"10**20 // 7", "14285714285714285714"},
	{"2 ** 10", "1024"}, {"2 ** 100", "1267650600228229401496703205376"}, {"2 ** -1", "0.5"}, {"2 ** 0.5", "1.4142135623730951"}, {"0 ** -1", "hole: division by zero"}, {"(-8) ** 0.5", "hole: the result is not a number"}, {"(-1) ** (10**30)", "1"}, {"10.0 ** 400", "hole: the result is not a number"},
	{"10 ** 5000", "error: a number in this expression has more than 4300 digits"}, {"2 ** (10**30)", "error: a number in this expression has more than 4300 digits"}, {"(10**4000) * (10**4000)", "error: a number in this expression has more than 4300 digits"},
	{"9007199254740993 == 9007199254740992", "False"}, {"9007199254740993 == 9007199254740992.0", "False"}, {"9007199254740993 > 9007199254740992.0", "True"}, {"9007199254740992 == 9007199254740992.0", "True"}, {"user.id == 9007199254740993", "True"}, {"user.id != 9007199254740992", "True"}, {"user.long > 10**29", "True"}, {"1 == true", "True"}, {"1 == '1'", "False"}, {"'10' < '9'", "True"}, {"'10' < 9", "False"}, {"10 >= '9'", "True"}, {"'a' < 1", "hole: a text and a number cannot be compared"}, {"[1, 2] < [1, 3]", "True"}, {"[1] <= [1, 0]", "True"}, {"{} < {}", "hole: a map and a map cannot be compared"}, {"[1] == [1.0]", "True"}, {"user.none == none", "True"},
	{"'a' + 'b'", "ab"}, {"'1' + '2'", "12"}, {"'a' + 1", "hole: + cannot join a text and a number: write ~ to join them as texts"}, {"1 ~ 'a' ~ 2.50 ~ [1]", "1a2.5[1]"}, {"'a' ~ user.holed[1]", "hole: the item is empty"}, {"[1] + [2]", "[1, 2]"}, {"[1] - 1", "hole: - needs numbers on both sides"}, {"'ab' * 2", "abab"}, {"2 * 'ab'", "abab"}, {"'ab' * -1", ""}, {"{} + 1", "hole: + needs numbers on both sides"}, {"-'a'", "hole: - is followed by a value that is not a number"}, {"+'a'", "hole: + is followed by a value that is not a number"}, {"+'1'", "1"},
	{"1 in [1.0]", "True"}, {"9007199254740993 in [9007199254740992]", "False"}, {"'a' in 'abc'", "True"}, {"1 in 'a1'", "hole: only a text can be searched for in a text, not a number"}, {"'a' in 5", "hole: a number cannot be searched"}, {"'b' in user.map", "True"}, {"1 not in [2]", "True"}, {"'a' and 0", "0"}, {"'' or 'x'", "x"}, {"not 0", "True"}, {"not (1/0)", "hole: division by zero"}, {"(1/0) or 'x'", "hole: division by zero"}, {"(1/0) and 'x'", "hole: division by zero"}, {"(1/0) == (1/0)", "hole: division by zero"}, {"1 if (1/0) else 2", "hole: division by zero"}, {"[1, 1/0]", "hole: division by zero"}, {"(1/0).x", "hole: division by zero"}, {"[1][1/0]", "hole: division by zero"},
	{"0.1 + 0.2", "0.30000000000000004"}, {"1e22", "1e+22"}, {"1e15", "1000000000000000"}, {"0.00001", "1e-05"}, {"3.0", "3"}, {"1e999", "error: "}, {"[1, 'it\\'s', 2.5, true, none, {'k': 'v'}]", `[1, "it's", 2.5, True, None, {'k': 'v'}]`}, {"user.holed", "['a', None, 'c']"},
	{"'hello'[1:10**30]", "ello"}, {"'hello'['a':]", "hole: a slice takes whole numbers"}, {"[1,2][10**30]", "hole: the list has 2 items"}, {"[1,2][1.0]", "2"}, {"'aé'[-1]", "é"}, {"'aé'[2]", "hole: the text has 2 characters"}, {"range(9223372036854775806, 9223372036854775807, 5)|join(',')", "9223372036854775806"}, {"range('a')", "hole: range takes one to three whole numbers"}, {"range(0, 1, 0)", "hole: range cannot go in steps of 0"}, {"range(stop=2)", "hole: range takes its arguments without names"},
	{"'a'.startswith(1)", "hole: startswith takes one text"}, {"'a,b'.split('')", "hole: split needs a separator that is not empty"}, {"'a'.upper(x=1)", "hole: upper( ) takes its arguments without names"}, {"'a'.replace('a')", "hole: filter replace: the argument new is missing"}, {"5.5.upper()", "hole: upper( ) is not available on this value"}, {"user.map.get('a', 'x')", "x"},
}

var testTests = []struct{ expr, want string }{
	{"true is boolean", "True"}, {"1 is boolean", "False"}, {"user.none is defined", "False"}, {"user.none is undefined", "True"}, {"user.none is none", "True"}, {"none is none", "True"}, {"(1/0) is defined", "False"}, {"(1/0) is none", "hole: division by zero"}, {"(1/0) is number", "hole: division by zero"},
	{"9 is divisibleby(3)", "True"}, {"9 is divisibleby 2", "False"}, {"9007199254740993 is divisibleby(2)", "False"}, {"9 is divisibleby(0)", "hole: division by zero"}, {"9 is divisibleby('a')", "hole: the test divisibleby takes numbers, not a text"}, {"9 is divisibleby", "hole: the test divisibleby takes 1 argument"}, {"9 is divisibleby(num=3)", "error: \"=\" is not expected here"},
	{"4 is even", "True"}, {"9007199254740993 is even", "False"}, {"9007199254740993 is odd", "True"}, {"-3 is odd", "True"}, {"2.5 is odd", "False"}, {"'a' is even", "hole: the test even takes numbers, not a text"},
	{"false is false", "True"}, {"0 is false", "False"}, {"true is true", "True"}, {"1 is true", "False"}, {"1.5 is float", "True"}, {"1 is float", "False"}, {"1 is integer", "True"}, {"user.long is integer", "True"}, {"true is integer", "False"}, {"'1' is number", "False"}, {"user.price is number", "True"}, {"true is number", "True"},
	{"'a' is string", "True"}, {"1 is string", "False"}, {"{} is mapping", "True"}, {"[] is mapping", "False"}, {"'a' is iterable", "True"}, {"5 is iterable", "False"}, {"[] is sequence", "True"}, {"{} is sequence", "True"}, {"'a1' is lower", "True"}, {"'1' is lower", "False"}, {"'A' is upper", "True"}, {"'Aa' is upper", "False"}, {"5 is upper", "False"},
	{"1 is in [1]", "True"}, {"'a' is in 'b'", "False"}, {"1 is in 5", "hole: a number cannot be searched"}, {"1 is eq 1.0", "True"}, {"1 is equalto(2)", "False"}, {"1 is ne 1", "False"}, {"1 is lt 2", "True"}, {"1 is lessthan 2", "True"}, {"2 is gt 2", "False"}, {"2 is greaterthan 1", "True"}, {"2 is ge 2", "True"}, {"2 is le 1", "False"}, {"'a' is gt 1", "hole: a text and a number cannot be compared"}, {"9007199254740993 is gt 9007199254740992.0", "True"}, {"1 is eq", "hole: the test eq takes 1 argument"},
	{"[1, 2]|select('==', 2)|list", "[2]"}, {"[1, 2]|select('!=', 2)|list", "[1]"}, {"[1, 2]|select('<', 2)|list", "[1]"}, {"[1, 2]|select('<=', 1)|list", "[1]"}, {"[1, 2]|select('>', 1)|list", "[2]"}, {"[1, 2]|select('>=', 2)|list", "[2]"},
}

func TestFilters(t *testing.T)   { checkExpressions(t, filterTests) }
func TestOperators(t *testing.T) { checkExpressions(t, operatorTests) }
func TestTests(t *testing.T)     { checkExpressions(t, testTests) }

func checkExpressions(t *testing.T, tests []struct{ expr, want string }) {
	t.Helper()
	for _, tt := range tests {
		src := "{{ " + tt.expr + " }}"
		out, err := personalize.Render(t.Context(), src, odd())
		preview, unresolved, previewErr := personalize.Preview(t.Context(), src, odd())
		var hole *personalize.MissingError
		switch {
		case errors.As(err, &hole):
			out = "hole: " + hole.Unresolved[0].Reason
			if previewErr != nil || preview != src || len(unresolved) != 1 || unresolved[0] != hole.Unresolved[0] || unresolved[0].Expression == "" {
				t.Errorf("%s: a preview shows %q, %+v, %v", src, preview, unresolved, previewErr)
			}
		case err != nil:
			var located *personalize.Error
			if out = "error: "; errors.As(err, &located) && tt.want != out {
				out += located.Message
			}
		case preview != out:
			t.Errorf("%s: a preview shows %q, the message %q", src, preview, out)
		}
		if out != tt.want {
			t.Errorf("%s\ngot  %q\nwant %q", src, out, tt.want)
		}
	}
}

// Every filter and every test stands in the tables above.
func TestFiltersAreAllTested(t *testing.T) {
	var all strings.Builder
	for _, tt := range slices.Concat(filterTests, testTests) {
		all.WriteString(tt.expr + "\n")
	}
	for _, name := range personalize.FilterNames() {
		if !strings.Contains(all.String(), "|"+name) {
			t.Errorf("no test of the filter %s", name)
		}
	}
	for _, name := range personalize.TestNames() {
		if !strings.Contains(all.String(), "is "+name) && !strings.Contains(all.String(), "('"+name+"'") {
			t.Errorf("no test of the test %s", name)
		}
	}
}

// A failure that is not shown to anybody is a hole all the same: a condition that cannot be computed
// says nothing of which text the reader should get.
func TestFailedExpressionsAreUnresolved(t *testing.T) {
	for _, tt := range []struct{ src, expression string }{
		{"{{ '%s and %s'|format('a') }}", "'%s and %s'|format('a')"},
		{"a {{- ('x'|abs)|string -}} b", "('x'|abs)|string"},
		{"{% if 'x'|abs > 1 %}a{% else %}b{% endif %}", "if 'x'|abs > 1"},
		{"{% if false %}a{% elif 1/0 %}b{% endif %}", "if false"},
		{"{% for x in 5 %}a{% else %}b{% endfor %}", "for x in 5"},
		{"{% for x in [1] if x / 0 %}a{% else %}b{% endfor %}", "for x in [1] if x / 0"},
		{"{% set x = 1 / 0 %}{{ x }}", "set x = 1 / 0"},
		{"{% with x = 1 / 0 %}{{ x }}{% endwith %}", "with x = 1 / 0"},
		{"{{ContentApi.echo('x'|abs)}}", "ContentApi.echo('x'|abs)"},
		{"{{ 'a' if user.word|abs else 'b' }}", "'a' if user.word|abs else 'b'"},
	} {
		_, err := personalize.Render(t.Context(), tt.src, odd())
		var hole *personalize.MissingError
		if !errors.As(err, &hole) || len(hole.Unresolved) != 1 || hole.Unresolved[0].Expression != tt.expression || !strings.Contains(err.Error(), "{{"+tt.expression+"}}") {
			t.Errorf("%s: error %v, want a hole named %s", tt.src, err, tt.expression)
		}
		_, unresolved, err := personalize.Preview(t.Context(), tt.src, odd())
		if err != nil || len(unresolved) != 1 || unresolved[0].Expression != tt.expression {
			t.Errorf("%s: a preview lists %+v, %v", tt.src, unresolved, err)
		}
	}
	out, unresolved, err := personalize.Preview(t.Context(), "Hi {{ user.word }}, {{ '%d'|format('x') }} {% if 1/0 %}a{% endif %}!", odd())
	if want := "Hi abc, {{ '%d'|format('x') }} {% if 1/0 %}a{% endif %}!"; err != nil || out != want || len(unresolved) != 2 {
		t.Errorf("preview %q, %+v, %v", out, unresolved, err)
	}
}

// Nothing of Go is seen in a message, whatever is done to whatever.
func TestErrorsHaveNoGoTypes(t *testing.T) {
	values := []string{
		"-1", "2.5", "9223372036854775808", "true", "none", "'abc'", "'%s %d %v'", "[]", "[1, 'a', none, [2.5]]", "{}", "{'a': {'b': none}}",
		"user.rows", "user.holed", "user.vast", "user", "ProductSet", "'\u0000\U000e0041'",
	}
	calls := []string{"", "()", "(1)", "('a')", "('a', 'b')", "([])", "(attribute='n')", "('upper')", "('gt', 1)"}
	var src strings.Builder
	check := func() {
		t.Helper()
		out, unresolved, err := personalize.Preview(t.Context(), src.String(), odd())
		if err != nil && !strings.Contains(err.Error(), "is larger than") {
			t.Errorf("%.200s: %v", src.String(), err)
		}
		said := out
		for _, u := range unresolved {
			said += "\n" + u.Reason
		}
		for _, leak := range []string{"%!", "<nil>", "map[", "[]interface", "interface {}", "0xc0", "runtime error", "exec.", "personalize.", "*big", "strconv", "cannot be computed\n"} {
			if at := strings.Index(said, leak); at >= 0 {
				t.Errorf("%q in what %s gives: %.300s", leak, src.String(), said)
			}
		}
		src.Reset()
	}
	for _, v := range values {
		for _, name := range personalize.FilterNames() {
			for _, call := range calls {
				src.WriteString("{{ [(" + v + ")|" + name + call + "]|string|default('') }}\n")
			}
			check()
		}
		for _, name := range personalize.TestNames() {
			if strings.ContainsAny(name, "=<>") {
				continue
			}
			for _, arg := range []string{"", "(1)", "('a')", "([])"} {
				src.WriteString("{{ (" + v + ") is " + name + arg + " }}\n")
			}
		}
		check()
		for _, w := range values {
			for _, op := range []string{"+", "-", "/", "//", "%", "~", "==", "<", "in", "and", "or", "*"} {
				src.WriteString("{{ ((" + v + ") " + op + " (" + w + "))|default('') }}\n")
			}
			check()
		}
		src.WriteString("{{ -(" + v + ") }}{{ (" + v + ")[0] }}{{ (" + v + ")[1:] }}{{ (" + v + ").a }}{{ (" + v + ")() }}{{ (" + v + ").upper() }}{% for a in " + v + " %}{{ a }}{% endfor %}{{ " + v + " }}")
		check()
	}
}
