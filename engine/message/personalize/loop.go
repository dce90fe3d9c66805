package personalize

import "fmt"

// loop iterates over a list or the keys of a map. For a missing one it writes the else part, as in Jinja, or
// leaves it unresolved without one.
func (f *frame) loop(s *forNode, from, to int) error {
	v, err := f.eval(s.list)
	if err != nil {
		return err
	}
	hole, ok := v.(*missing)
	if ok && (hole.failed || s.empty == nil) {
		return f.leave(hole, from, to)
	}
	all, err := items(v, s.value != "")
	if v, err = f.attempt(nil, err); err != nil {
		return err
	}
	if hole := failedValue(v); hole != nil {
		return f.leave(hole, from, to)
	}
	var scopes []*scope
	for _, item := range all {
		if f.turns++; f.turns > MaxIterations {
			return fmt.Errorf("the loops of this template run more than %d times", MaxIterations)
		}
		inner := &scope{names: map[string]any{}, parent: f.scope}
		if err := inner.bind(s, item); err != nil {
			return err
		}
		keep, err := f.loopCondition(s, inner)
		if err != nil {
			return err
		}
		if hole := failedValue(keep); hole != nil {
			return f.leave(hole, from, to)
		}
		if truth(keep) {
			scopes = append(scopes, inner)
		}
	}
	if len(scopes) == 0 {
		return f.inScope(&scope{names: map[string]any{}, parent: f.scope}, s.empty)
	}
	for i, inner := range scopes {
		inner.names["loop"] = loopState(i, len(scopes))
		if err := f.spend(0); err != nil {
			return err
		}
		if err := f.inScope(inner, s.body); err != nil {
			return err
		}
	}
	return nil
}

func (s *scope) bind(loop *forNode, item any) error {
	if loop.value == "" {
		s.names[loop.key] = item
		return nil
	}
	pair, ok := item.([]any)
	if !ok || len(pair) != 2 {
		return fmt.Errorf("for %s, %s needs a map or a list of pairs", loop.key, loop.value)
	}
	s.names[loop.key], s.names[loop.value] = pair[0], pair[1]
	return nil
}

// loopCondition returns the condition of a loop for one item.
func (f *frame) loopCondition(loop *forNode, inner *scope) (any, error) {
	if loop.condition == nil {
		return true, nil
	}
	outer := f.scope
	f.scope = inner
	v, err := f.eval(loop.condition)
	f.scope = outer
	return v, err
}

func loopState(i, n int) map[string]any {
	return map[string]any{
		"index": i + 1, "index0": i, "revindex": n - i, "revindex0": n - i - 1,
		"first": i == 0, "last": i == n-1, "length": n,
	}
}

// items returns the items of a loop over v: values, sorted keys of a map, or key-value pairs.
func items(v any, pairs bool) ([]any, error) {
	var list []any
	switch v := value(v).(type) {
	case nil, *missing:
	case []any:
		list = v
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if pairs {
				list = append(list, []any{key, value(v[key])})
			} else {
				list = append(list, key)
			}
		}
	case string:
		if len(v) > MaxItems {
			return nil, fmt.Errorf("a list has more than %d items", MaxItems)
		}
		for _, c := range v {
			list = append(list, string(c))
		}
	default:
		return nil, failure("for needs a list")
	}
	if len(list) > MaxItems {
		return nil, fmt.Errorf("a list has more than %d items", MaxItems)
	}
	return list, nil
}
