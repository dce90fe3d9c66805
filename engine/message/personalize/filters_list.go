package personalize

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/nikolalohinski/gonja/v2/tokens"
)

// iterable returns the items of v: those of a list, the keys of a map, or the characters of a text.
func iterable(v any) ([]any, error) {
	if s, ok := v.(string); ok && len(s) > MaxItems {
		return nil, errors.New("the text is too long")
	}
	list, err := items(v, false)
	var why failure
	if errors.As(err, &why) || absent(v) {
		return nil, failf("it takes a list, not %s", kind(v))
	}
	return list, err
}

// kind returns the name of v's type for messages.
func kind(v any) string {
	switch v.(type) {
	case nil, *missing:
		return "a value that is missing"
	case bool:
		return "a yes or no"
	case int, *big.Int, float64, numeral:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	}
	return "this value"
}

// attributeOf follows a path such as address.city or 0 into an item. It returns nil if there is no such
// value.
func attributeOf(item, path any) any {
	if i, ok := integer(path); ok {
		return within(item, strconv.Itoa(i))
	}
	for _, step := range strings.Split(text(path), ".") {
		item = within(item, step)
	}
	return item
}

func within(item any, step string) any {
	switch item := item.(type) {
	case map[string]any:
		return item[step]
	case []any:
		i, err := strconv.Atoi(step)
		if i < 0 {
			i += len(item)
		}
		if err == nil && i >= 0 && i < len(item) {
			return item[i]
		}
	}
	return nil
}

// order compares two plain values: numbers, texts, or lists of them. A text that contains a number compares
// with a number as one.
func order(a, b any) (int, error) {
	if i, ok := a.(int); ok {
		if j, ok := b.(int); ok {
			return cmp.Compare(i, j), nil
		}
	}
	s, isText := a.(string)
	other, bothText := b.(string)
	if isText && bothText {
		return strings.Compare(s, other), nil
	}
	if isNumber(a) || isNumber(b) {
		x, xOK := number(a)
		y, yOK := number(b)
		if xOK && yOK {
			return x.cmp(y), nil
		}
	}
	list, isList := a.([]any)
	twin, bothList := b.([]any)
	if !isList || !bothList {
		return 0, failf("%s and %s cannot be compared", kind(a), kind(b))
	}
	for i := range min(len(list), len(twin)) {
		_, nested := list[i].([]any)
		_, alike := twin[i].([]any)
		if !(nested && alike) && equal(list[i], twin[i]) {
			continue // also where they have no order
		}
		if c, err := order(list[i], twin[i]); c != 0 || err != nil {
			return c, err
		}
	}
	return len(list) - len(twin), nil
}

// folded returns a value for case-insensitive comparison.
func folded(v any, caseSensitive bool) any {
	if s, ok := v.(string); ok && !caseSensitive {
		return strings.ToLower(s)
	}
	return v
}

// arrange sorts list by keys, each a list of values. It is stable.
func arrange(list []any, keys [][]any, reverse bool) ([]any, error) {
	at := make([]int, len(list))
	for i := range at {
		at[i] = i
	}
	var failed error
	slices.SortStableFunc(at, func(i, j int) int {
		for k := range keys[i] {
			c, err := order(keys[i][k], keys[j][k])
			if err != nil && failed == nil {
				failed = err
			}
			if reverse {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	if failed != nil {
		return nil, failed
	}
	out := make([]any, len(list))
	for i, from := range at {
		out[i] = list[from]
	}
	return out, nil
}

func sorted(_ *frame, v any, a arguments) (any, error) {
	list, err := iterable(v)
	if err != nil {
		return nil, err
	}
	paths := []any{nil}
	if path, ok := a["attribute"].(string); ok {
		paths = paths[:0]
		for _, p := range strings.Split(path, ",") {
			paths = append(paths, p)
		}
	} else if a.given("attribute") {
		paths[0] = a["attribute"]
	}
	if len(paths) > 10 {
		return nil, failure("it sorts by at most 10 attributes")
	}
	keys := make([][]any, len(list))
	for i, item := range list {
		for _, path := range paths {
			key := item
			if path != nil {
				key = attributeOf(item, path)
			}
			keys[i] = append(keys[i], folded(key, a.truth("case_sensitive")))
		}
	}
	return arrange(list, keys, a.truth("reverse"))
}

func dictSort(_ *frame, v any, a arguments) (any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, failf("it takes a map, not %s", kind(v))
	}
	by, err := a.text("by", "key")
	if err != nil {
		return nil, err
	}
	at := slices.Index([]string{"key", "value"}, by)
	if at < 0 {
		return nil, failure("the argument by is 'key' or 'value'")
	}
	list, err := items(m, true)
	if err != nil {
		return nil, err
	}
	keys := make([][]any, len(list))
	for i, pair := range list {
		keys[i] = []any{folded(pair.([]any)[at], a.truth("case_sensitive"))}
	}
	return arrange(list, keys, a.truth("reverse"))
}

// extreme is max for a sign of 1, and min for -1.
func extreme(sign int) func(*frame, any, arguments) (any, error) {
	return func(_ *frame, v any, a arguments) (any, error) {
		list, err := iterable(v)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, failure("the list is empty")
		}
		key := func(item any) any {
			if a.given("attribute") {
				item = attributeOf(item, a["attribute"])
			}
			return folded(item, a.truth("case_sensitive"))
		}
		best, bestKey := list[0], key(list[0])
		for _, item := range list[1:] {
			itemKey := key(item)
			c, err := order(itemKey, bestKey)
			if err != nil {
				return nil, err
			}
			if c*sign > 0 {
				best, bestKey = item, itemKey
			}
		}
		return best, nil
	}
}

func unique(_ *frame, v any, a arguments) (any, error) {
	list, err := iterable(v)
	if err != nil {
		return nil, err
	}
	seen, out := map[string]bool{}, []any{}
	for _, item := range list {
		key := item
		if a.given("attribute") {
			key = attributeOf(item, a["attribute"])
		}
		key = folded(key, a.truth("case_sensitive"))
		name := ""
		switch k := key.(type) {
		case nil:
		case string:
			name = "t" + k
		default:
			n, ok := number(k)
			if !ok {
				return nil, failf("%s cannot be compared with other items", kind(k))
			}
			if name = "n" + reprFloat(n.float); n.whole != nil || n.float == math.Trunc(n.float) {
				name = "n" + n.truncated().String()
			}
		}
		if !seen[name] {
			seen[name] = true
			out = append(out, item)
		}
	}
	return out, nil
}

func first(_ *frame, v any, _ arguments) (any, error) { return end(v, func(n int) int { return 0 }) }
func last(_ *frame, v any, _ arguments) (any, error)  { return end(v, func(n int) int { return n - 1 }) }

func random(_ *frame, v any, _ arguments) (any, error) {
	if _, isMap := v.(map[string]any); isMap {
		return nil, failure("it takes a list, not a map")
	}
	return end(v, rand.IntN)
}

// end is one item of what is gone through.
func end(v any, at func(n int) int) (any, error) {
	var list []any
	if s, ok := v.(string); ok { // however long it is
		runes := []rune(s)
		if len(runes) > 0 {
			return string(runes[at(len(runes))]), nil
		}
	} else {
		var err error
		if list, err = iterable(v); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, failure("the " + strings.TrimPrefix(kind(v), "a ") + " is empty")
	}
	return list[at(len(list))], nil
}

func length(_ *frame, v any, _ arguments) (any, error) {
	switch v := v.(type) {
	case string:
		return len([]rune(v)), nil
	case []any:
		return len(v), nil
	case map[string]any:
		return len(v), nil
	}
	return nil, failf("%s has no length", kind(v))
}

func list(_ *frame, v any, _ arguments) (any, error) {
	list, err := iterable(v)
	return slices.Clone(list), err
}

func pairs(_ *frame, v any, _ arguments) (any, error) {
	if _, ok := v.(map[string]any); !ok {
		return nil, failf("it takes a map, not %s", kind(v))
	}
	return items(v, true)
}

func reverse(_ *frame, v any, _ arguments) (any, error) {
	if s, ok := v.(string); ok {
		runes := []rune(s)
		slices.Reverse(runes)
		return string(runes), nil
	}
	list, err := iterable(v)
	list = slices.Clone(list)
	slices.Reverse(list)
	return list, err
}

func joined(_ *frame, v any, a arguments) (any, error) {
	list, err := iterable(v)
	if err != nil {
		return nil, err
	}
	seam := text(a["d"])
	var b strings.Builder
	for i, item := range list {
		if a.given("attribute") {
			item = attributeOf(item, a["attribute"])
		}
		if item == nil {
			return nil, failf("item %d of the list has no value", i+1)
		}
		if i > 0 {
			b.WriteString(seam)
		}
		b.WriteString(text(item))
		if b.Len() > MaxOutput {
			return nil, errTooLarge
		}
	}
	return b.String(), nil
}

func sum(_ *frame, v any, a arguments) (any, error) {
	list, err := iterable(v)
	if err != nil {
		return nil, err
	}
	total := amount{whole: new(big.Int)}
	if a.given("start") {
		var ok bool
		if total, ok = number(a["start"]); !ok {
			return nil, failure("the argument start must be a number")
		}
	}
	for i, item := range list {
		if a.given("attribute") {
			item = attributeOf(item, a["attribute"])
		}
		n, ok := number(item)
		if !ok {
			return nil, failf("item %d of the list is %s, not a number", i+1, kind(item))
		}
		v, err := arithmetic(tokens.Addition, total, n)
		if err != nil {
			return nil, err
		}
		total, _ = number(v)
	}
	return total.value(), nil
}

// groupsOf checks the number of items or groups for a filter.
func groupsOf(a arguments, name string) (int, error) {
	n, err := a.integer(name, 0)
	switch {
	case err != nil:
		return 0, err
	case n < 1:
		return 0, failf("the argument %s must be at least 1", name)
	case n > MaxItems:
		return 0, errTooLarge
	}
	return n, nil
}

func batch(f *frame, v any, a arguments) (any, error) {
	list, err := iterable(v)
	if err != nil {
		return nil, err
	}
	n, err := groupsOf(a, "linecount")
	if err != nil {
		return nil, err
	}
	out := []any{}
	for row := range slices.Chunk(list, n) {
		row = slices.Clone(row)
		for a.given("fill_with") && len(row) < n {
			row = append(row, a["fill_with"])
		}
		if err := f.spend(16 * len(row)); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

func slice(_ *frame, v any, a arguments) (any, error) {
	list, err := iterable(v)
	if err != nil {
		return nil, err
	}
	n, err := groupsOf(a, "slices")
	if err != nil {
		return nil, err
	}
	out := make([]any, n)
	each, more, from := len(list)/n, len(list)%n, 0
	for i := range out {
		size := each
		if i < more {
			size++
		}
		row := slices.Clone(list[from : from+size])
		if from += size; a.given("fill_with") && i >= more {
			row = append(row, a["fill_with"])
		}
		if row == nil {
			row = []any{}
		}
		out[i] = row
	}
	return out, nil
}

// mapped implements map('filter', …) and map(attribute='name', default=…).
func mapped(f *frame, v any, args []any, named map[string]any) (any, error) {
	list, err := iterable(v)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(list))
	if path, ok := named["attribute"]; ok && len(args) == 0 {
		for _, key := range sortedKeys(named) {
			if key != "attribute" && key != "default" {
				return nil, failf("it takes no argument %s", shorten(key))
			}
		}
		for i, item := range list {
			if out[i] = attributeOf(item, path); out[i] == nil {
				out[i] = named["default"]
			}
		}
		return out, nil
	}
	if len(args) == 0 {
		return nil, failure("it takes the name of a filter, or attribute='…'")
	}
	name, ok := args[0].(string)
	if !ok || !knownFilter(name) {
		return nil, failf("there is no filter %q", shorten(text(args[0])))
	}
	for i, item := range list {
		if item == nil && !isDefault(name) {
			return nil, failf("item %d of the list has no value", i+1)
		}
		if out[i], err = f.apply(name, item, slices.Clone(args[1:]), named); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// selecting keeps the items that pass a test, or that have a value if no test is given. With keep false it
// keeps the others.
func selecting(filter string, keep bool) func(*frame, any, []any, map[string]any) (any, error) {
	return func(f *frame, v any, args []any, named map[string]any) (any, error) {
		list, err := iterable(v)
		if err != nil {
			return nil, err
		}
		if len(named) > 0 {
			return nil, failure("it takes arguments without names")
		}
		var path any
		if strings.HasSuffix(filter, "attr") {
			if len(args) == 0 {
				return nil, failure("it takes the name of an attribute")
			}
			path, args = args[0], args[1:]
		}
		out := []any{}
		for _, item := range list {
			what := item
			if path != nil {
				what = attributeOf(item, path)
			}
			yes := truth(what)
			if len(args) > 0 {
				if yes, err = f.is(text(args[0]), what, args[1:]); err != nil {
					return nil, err
				}
			}
			if yes == keep {
				out = append(out, item)
			}
		}
		return out, nil
	}
}

func absolute(_ *frame, v any, _ arguments) (any, error) {
	a, ok := number(v)
	switch {
	case !ok:
		return nil, failf("it takes a number, not %s", kind(v))
	case a.whole != nil:
		return wholeValue(new(big.Int).Abs(a.whole)), nil
	}
	return math.Abs(a.float), nil
}

func round(_ *frame, v any, a arguments) (any, error) {
	n, ok := number(v)
	if !ok {
		return nil, failf("it takes a number, not %s", kind(v))
	}
	decimals, err := a.integer("precision", 0)
	if err != nil {
		return nil, err
	}
	method, err := a.text("method", "common")
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"common", "ceil", "floor"}, method) {
		return nil, failure("the argument method is 'common', 'ceil' or 'floor'")
	}
	return rounded(n, max(min(decimals, 2*MaxDigits), -2*MaxDigits), method)
}

func toFloat(_ *frame, v any, a arguments) (any, error) {
	n, ok := number(v)
	if !ok {
		if otherwise, ok := a["default"]; ok {
			return otherwise, nil
		}
		return 0, nil
	}
	x, ok := n.asFloat()
	if !ok {
		return nil, failure("the number is too large for a fraction")
	}
	return x, nil
}

func toInt(_ *frame, v any, a arguments) (any, error) {
	base, err := a.integer("base", 10)
	if err != nil || base != 0 && (base < 2 || base > 36) {
		return nil, failure("the argument base must be 0, or 2 to 36")
	}
	if s, ok := v.(string); ok {
		if i, ok := wholeText(s, base); ok {
			return wholeValue(i), nil
		}
	}
	if n, ok := number(v); ok {
		return fits(n.truncated())
	}
	if otherwise, ok := a["default"]; ok {
		return otherwise, nil
	}
	return 0, nil
}

// wholeText parses a whole number like Python's int: with spaces around it, a sign, _ between digits, and the
// prefixes 0x, 0o and 0b if the base allows them.
func wholeText(s string, base int) (*big.Int, bool) {
	s = strings.TrimSpace(s)
	if len(s) > MaxDigits {
		return nil, false
	}
	unsigned := strings.TrimLeft(s, "+-")
	negative := strings.HasPrefix(s, "-")
	if len(s)-len(unsigned) > 1 {
		return nil, false
	}
	if len(unsigned) > 2 && unsigned[0] == '0' {
		if b := map[byte]int{'x': 16, 'o': 8, 'b': 2}[unsigned[1]|0x20]; b > 0 && (base == b || base == 0) {
			base, unsigned = b, strings.TrimPrefix(unsigned[2:], "_")
		}
	}
	if base == 0 {
		if base = 10; len(unsigned) > 1 && unsigned[0] == '0' && strings.Trim(unsigned, "0_") != "" {
			return nil, false
		}
	}
	if unsigned == "" || unsigned[0] == '_' || strings.HasSuffix(unsigned, "_") || strings.Contains(unsigned, "__") ||
		strings.ContainsFunc(unsigned, func(r rune) bool {
			return r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
		}) {
		return nil, false
	}
	i, ok := new(big.Int).SetString(strings.ReplaceAll(unsigned, "_", ""), base)
	if ok && negative {
		i.Neg(i)
	}
	return i, ok
}

func fileSize(_ *frame, v any, a arguments) (any, error) {
	n, ok := number(v)
	if !ok {
		return nil, failf("it takes a number, not %s", kind(v))
	}
	bytes, ok := n.asFloat()
	if !ok {
		return nil, failure("the number is too large")
	}
	base, units := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if a.truth("binary") {
		base, units = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	switch {
	case bytes == 1:
		return "1 Byte", nil
	case bytes < base:
		return fmt.Sprintf("%.0f Bytes", math.Trunc(bytes)+0), nil
	}
	for i, unit := range units {
		if limit := math.Pow(base, float64(i+2)); bytes < limit || i == len(units)-1 {
			return fmt.Sprintf("%.1f %s", bytes/limit*base, unit), nil
		}
	}
	return "", nil
}
