package personalize

import (
	"errors"
	"fmt"

	"github.com/nikolalohinski/gonja/v2/nodes"
)

// eval evaluates n. A missing value is a *missing that passes through operators and filters until a default,
// a condition or the output handles it. An error ends the render.
func (f *frame) eval(n nodes.Node) (any, error) {
	if err := f.spend(0); err != nil {
		return nil, err
	}
	return f.attempt(f.compute(n))
}

func (f *frame) compute(n nodes.Node) (any, error) {
	switch n := n.(type) {
	case *nodes.None:
		return nil, nil
	case *nodes.String:
		return n.Val, nil
	case *nodes.Integer:
		return n.Val, nil
	case *nodes.Float:
		if i, ok := f.large[n.Location]; ok {
			return i, nil
		}
		return finite(n.Val)
	case *nodes.Bool:
		return n.Val, nil
	case *nodes.List:
		return f.list(n.Val)
	case *nodes.Tuple:
		return f.list(n.Val)
	case *nodes.Dict:
		return f.dict(n)
	case *nodes.Name, *nodes.GetItem, *nodes.GetAttribute, *nodes.GetSlice, *nodes.Call:
		return f.access(n)
	case *nodes.FilteredExpression:
		return f.filtered(n)
	case *nodes.TestExpression:
		return f.test(n)
	case *nodes.BinaryExpression:
		return f.binary(n)
	case *nodes.UnaryExpression:
		return f.unary(n)
	case *nodes.Negation:
		v, err := f.eval(n.Term)
		if hole := failedValue(v); hole != nil {
			return hole, nil
		}
		return !truth(v), err
	}
	return nil, errors.New("this expression is not finished")
}

// all evaluates list. hole is the first missing value.
func (f *frame) all(list []nodes.Expression) (values []any, hole *missing, err error) {
	values = make([]any, len(list))
	for i, n := range list {
		v, err := f.eval(n)
		if err != nil {
			return nil, nil, err
		}
		if m, ok := v.(*missing); ok && hole == nil {
			hole = m
		}
		values[i] = v
	}
	return values, hole, nil
}

func (f *frame) named(m map[string]nodes.Expression) (values map[string]any, hole *missing, err error) {
	if len(m) == 0 {
		return nil, nil, nil
	}
	values = make(map[string]any, len(m))
	for _, name := range sortedKeys(m) {
		v, err := f.eval(m[name])
		if err != nil {
			return nil, nil, err
		}
		if m, ok := v.(*missing); ok && hole == nil {
			hole = m
		}
		values[name] = v
	}
	return values, hole, nil
}

func (f *frame) list(list []nodes.Expression) (any, error) {
	values, hole, err := f.all(list)
	if err != nil {
		return nil, err
	}
	if hole != nil {
		return hole, nil
	}
	return f.bounded(values)
}

func (f *frame) dict(n *nodes.Dict) (any, error) {
	m := make(map[string]any, len(n.Pairs))
	for _, pair := range n.Pairs {
		both, hole, err := f.all([]nodes.Expression{pair.Key, pair.Value})
		if err != nil {
			return nil, err
		}
		if hole != nil {
			return hole, nil
		}
		if err := f.work(writeSteps * stepsFor(both[0])); err != nil {
			return nil, err
		}
		m[text(both[0])] = both[1]
	}
	return f.bounded(m)
}

// bounded refuses a value that is too large, and counts its bytes.
func (f *frame) bounded(v any) (any, error) {
	n := size(v)
	if n > MaxOutput {
		return nil, errTooLarge
	}
	if list, ok := v.([]any); ok && len(list) > MaxItems {
		return nil, fmt.Errorf("a list has more than %d items", MaxItems)
	}
	return v, f.spend(n)
}

// access evaluates a name with its dots and brackets.
func (f *frame) access(n nodes.Node) (any, error) {
	var v any
	var reason string
	var err error
	switch n := n.(type) {
	case *nodes.Name:
		return f.name(n)
	case *nodes.GetAttribute:
		var from any
		if from, err = f.eval(n.Node); err != nil {
			return nil, err
		}
		if hole := wholeChainMissing(from); hole != nil {
			return hole, nil
		}
		var key any = n.Attribute
		if n.Attribute == "" {
			key = n.Index
		}
		v, reason, err = f.lookup(from, key)
	case *nodes.GetItem:
		var from, key any
		if from, err = f.eval(n.Node); err != nil {
			return nil, err
		}
		if n.Arg == nil {
			return nil, errors.New("there is nothing between [ and ]")
		}
		if hole := wholeChainMissing(from); hole != nil {
			return hole, nil
		}
		if key, err = f.eval(n.Arg); failedValue(key) != nil {
			return key, nil
		}
		if err == nil {
			v, reason, err = f.lookup(from, key)
		}
	case *nodes.GetSlice:
		v, reason, err = f.slice(n)
	case *nodes.Call:
		v, reason, err = f.call(n)
	}
	if err != nil {
		return nil, err
	}
	if v = value(v); v == nil || reason != "" {
		if reason == "" {
			reason = "it has no value"
		}
		pos := leftmost(n)
		return &missing{expression: f.chain(pos, false), pos: pos, reason: reason, whole: true}, nil
	}
	return v, nil
}

func (f *frame) name(n *nodes.Name) (any, error) {
	name := n.Name.Val
	if v, ok := f.scope.lookup(name); ok {
		return value(v), nil
	}
	if long, ok := rootNames[name]; ok {
		return root(long), nil
	}
	if name == "none" { // the parser knows None alone
		return nil, nil
	}
	reason := "unknown name " + shorten(name)
	if hint := nearest(name, sortedKeys(rootNames)); hint != "" {
		reason += ", " + hint
	}
	return &missing{expression: name, pos: n.Name.Pos, reason: reason}, nil
}

// lookup finds key in v. If there is none, it returns the reason for the user.
func (f *frame) lookup(v, key any) (any, string, error) {
	if err := f.spendOn(key); err != nil {
		return nil, "", err
	}
	switch v := value(v).(type) {
	case *missing:
		return nil, v.reason, nil
	case root:
		name, ok := key.(string)
		if !ok {
			return nil, "a name in quotes is expected after " + string(v), nil
		}
		return f.lookupRoot(v, name)
	case map[string]any:
		name := text(key)
		if item := v[name]; item != nil {
			return item, "", nil
		}
		return nil, "it has no " + shorten(name), nil
	case []any:
		i, ok := integer(key)
		if !ok {
			return nil, "it is a list: a number is expected in the brackets", nil
		}
		if i < 0 {
			i += len(v)
		}
		if i < 0 || i >= len(v) {
			return nil, fmt.Sprintf("the list has %d items", len(v)), nil
		}
		if v[i] == nil {
			return nil, "the item is empty", nil
		}
		return v[i], "", nil
	case string:
		i, ok := integer(key)
		if !ok {
			return nil, "it has no " + shorten(text(key)), nil
		}
		runes := []rune(v)
		if i < 0 {
			i += len(runes)
		}
		if i < 0 || i >= len(runes) {
			return nil, fmt.Sprintf("the text has %d characters", len(runes)), nil
		}
		return string(runes[i]), "", f.spend(16 * len(v)) // the copy is four times as long
	case callable:
		return nil, v.name + " is called with parentheses", nil
	case nil:
		return nil, "it has no value", nil
	default:
		return nil, "it has no " + shorten(text(key)), nil
	}
}

func (f *frame) lookupRoot(r root, name string) (v any, reason string, err error) {
	var known []string
	switch r {
	case "UserAttribute":
		return f.lookupAttribute(f.data.UserAttributes, name, "the user has no attribute ")
	case "EventAttribute":
		return f.lookupAttribute(f.data.EventAttributes, name, "the event has no attribute ")
	case "BusinessEventAttribute":
		return f.lookupAttribute(f.data.BusinessEventAttributes, name, "the business event has no attribute ")
	case "ContentBlock":
		if v, err = f.contentBlock(name); err != nil || v != nil {
			return v, "", err
		}
		known, reason = sortedKeys(f.data.ContentBlocks), "there is no content block "
	case "ProductSet":
		if set, ok := f.data.ProductSets[name]; ok {
			return set, "", f.work(len(set)) // it becomes a list of another kind
		}
		known, reason = sortedKeys(f.data.ProductSets), "there is no product set "
	case "ContentApi":
		if call := f.data.ContentAPIs[name]; call != nil {
			return callable{name: name, call: call}, "", nil
		}
		known, reason = sortedKeys(f.data.ContentAPIs), "there is no content API "
	}
	hint, err := f.suggestion(name, known)
	return nil, reason + shorten(name) + hint, err
}

func (f *frame) lookupAttribute(values map[string]any, name, reason string) (any, string, error) {
	v, err := f.attribute(values, name)
	if err != nil || v != nil {
		return v, "", err
	}
	var known []string
	for _, full := range sortedKeys(values) {
		if values[full] != nil {
			known = append(known, full, snake(full))
		}
	}
	hint, err := f.suggestion(name, known)
	return nil, reason + shorten(name) + hint, err
}

func (f *frame) slice(n *nodes.GetSlice) (any, string, error) {
	from, err := f.eval(n.Node)
	if err != nil {
		return nil, "", err
	}
	if hole, ok := from.(*missing); ok {
		if hole.whole {
			return hole, "", nil
		}
		return nil, hole.reason, nil
	}
	if n.Step != nil {
		return nil, "", errors.New("slices cannot have a step")
	}
	bound := func(n nodes.Node, length, otherwise int) (int, error) {
		if n == nil {
			return otherwise, nil
		}
		v, err := f.eval(n)
		i, ok := integer(v)
		if err == nil && !ok {
			err = failure("a slice takes whole numbers")
		}
		if i < 0 {
			i += length
		}
		return min(max(i, 0), length), err
	}
	runes, isText := []rune(nil), false
	list, isList := from.([]any)
	if s, ok := from.(string); ok {
		if runes, isText = []rune(s), true; f.spend(len(s)) != nil {
			return nil, "", f.spend(len(s))
		}
	}
	if !isText && !isList {
		return nil, "only texts and lists can be sliced", nil
	}
	length := max(len(runes), len(list))
	start, err := bound(n.Start, length, 0)
	if err != nil {
		return nil, "", err
	}
	end, err := bound(n.End, length, length)
	if err != nil {
		return nil, "", err
	}
	end = max(start, end)
	if isText {
		return string(runes[start:end]), "", nil
	}
	return list[start:end:end], "", nil
}

// call implements content APIs, range, and a few methods of texts and maps.
func (f *frame) call(n *nodes.Call) (any, string, error) {
	args, hole, err := f.all(n.Args)
	if err != nil {
		return nil, "", err
	}
	if hole != nil && hole.failed {
		return hole, "", nil
	}
	if name, ok := n.Func.(*nodes.Name); ok && name.Name.Val == "range" {
		if hole != nil {
			return nil, hole.reason, nil
		}
		if len(n.Kwargs) > 0 {
			return nil, "", failure("range takes its arguments without names")
		}
		v, err := rangeOf(args)
		if err == nil {
			err = f.spendOn(v)
		}
		return v, "", err
	}
	var target any
	method := ""
	if at, ok := n.Func.(*nodes.GetAttribute); ok && at.Attribute != "" {
		if target, err = f.eval(at.Node); err != nil {
			return nil, "", err
		}
		if _, isRoot := target.(root); !isRoot {
			method = at.Attribute
		}
	}
	if method == "" {
		if target, err = f.eval(n.Func); err != nil {
			return nil, "", err
		}
	}
	if m, ok := target.(*missing); ok {
		if m.whole {
			return m, "", nil
		}
		return nil, m.reason, nil
	}
	if hole != nil {
		return nil, hole.expression + ": " + hole.reason, nil
	}
	if method != "" {
		if len(n.Kwargs) > 0 {
			return nil, "", failf("%s( ) takes its arguments without names", shorten(method))
		}
		v, err := f.method(target, method, args)
		return v, "", err
	}
	api, ok := target.(callable)
	if !ok {
		return nil, "this cannot be called", nil
	}
	return f.contentAPI(api, n, args)
}

func (f *frame) contentAPI(api callable, n *nodes.Call, args []any) (any, string, error) {
	if len(n.Kwargs) > 0 {
		return nil, "", fmt.Errorf("content API %s takes its arguments without names", api.name)
	}
	for i := range args {
		args[i] = plain(args[i])
	}
	if f.calls++; f.calls > MaxCalls {
		return nil, "", fmt.Errorf("this text calls content APIs more than %d times", MaxCalls)
	}
	v, err := api.call(f.ctx, args...)
	if f.ctx.Err() != nil {
		return nil, "", f.ctx.Err()
	}
	if err != nil {
		return nil, fmt.Sprintf("content API %s: %s", api.name, shorten(err.Error())), nil
	}
	if v == nil {
		return nil, fmt.Sprintf("content API %s returned nothing", api.name), nil
	}
	if v, err = f.bounded(v); err != nil {
		return nil, "", fmt.Errorf("content API %s: %w", api.name, err)
	}
	return v, "", nil
}

func rangeOf(args []any) (any, error) {
	bounds := [3]int{0, 0, 1}
	if len(args) == 0 || len(args) > 3 {
		return nil, failure("range takes one to three whole numbers")
	}
	for i, arg := range args {
		n, ok := integer(arg)
		if !ok {
			return nil, failure("range takes one to three whole numbers")
		}
		bounds[i] = n
	}
	switch {
	case len(args) == 1:
		bounds[0], bounds[1] = 0, bounds[0]
	case bounds[2] == 0:
		return nil, failure("range cannot go in steps of 0")
	}
	list := []any{}
	for i := bounds[0]; bounds[2] > 0 && i < bounds[1] || bounds[2] < 0 && i > bounds[1]; {
		if len(list) == MaxItems {
			return nil, fmt.Errorf("range returns more than %d numbers", MaxItems)
		}
		list = append(list, i)
		next := i + bounds[2]
		if (next > i) != (bounds[2] > 0) { // beyond the largest int
			break
		}
		i = next
	}
	return list, nil
}
