package audience

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/timeparse"
)

func (a described) result(matched bool) engine.AudienceResult {
	return engine.AudienceResult{Path: a.path, Words: a.text, Matched: matched}
}

func (t *top) explain(p *engine.User, _ *engine.Event) engine.AudienceResult {
	r := t.result(t.match(p, nil))
	if !t.optOut {
		r.Children = append(r.Children, engine.AudienceResult{
			Path: doc.P(mOptOut), Words: "Has not opted out", Matched: !p.OptedOut,
			Found: map[bool]string{true: "has opted out", false: "has not opted out"}[p.OptedOut],
		})
	}
	if t.everybody {
		r.Children = append(r.Children, engine.AudienceResult{Path: doc.P(mEverybody), Words: "All users", Matched: true})
	}
	for _, in := range t.included {
		if !t.everybody {
			r.Children = append(r.Children, in.explain(p, nil))
		}
	}
	if t.excluded != nil {
		out := t.excluded.explain(p, nil)
		out.Excludes = true
		r.Children = append(r.Children, out)
	}
	return r
}

func (g *group) explain(p *engine.User, e *engine.Event) engine.AudienceResult {
	r := g.result(g.match(p, e))
	r.Any = g.any
	for _, part := range g.parts {
		r.Children = append(r.Children, part.explain(p, e))
	}
	return r
}

func (f *attribute) explain(p *engine.User, e *engine.Event) engine.AudienceResult {
	r := f.result(f.match(p, e))
	r.Found = found(f.name, f.value(p, e))
	return r
}

func (f *dynamic) explain(p *engine.User, e *engine.Event) engine.AudienceResult {
	r := f.result(f.match(p, e))
	r.Found = found(f.name, f.value(p, e))
	if _, ok := f.resolve(p); !ok {
		r.Found += ", and the personalization has no value to compare it with"
	}
	return r
}

// explain returns for each condition whether any event of that name fulfills it on its own. If all are
// fulfilled but the action does not match, no single event fulfills all of them.
func (f *action) explain(p *engine.User, _ *engine.Event) engine.AudienceResult {
	r := f.result(f.match(p, nil))
	all := *f
	all.condition = nil
	did, counted := all.count(p, len(p.Events)), f.count(p, len(p.Events))
	r.Found = "did it " + times(did)
	if did == 0 {
		r.Found = "never did it"
	} else if f.condition != nil {
		r.Found += fmt.Sprintf(", %d with these attributes", counted)
		r.Children = f.conditions(p, did)
		r.Any = f.condition.any
	}
	return r
}

func (f *action) conditions(p *engine.User, did int) []engine.AudienceResult {
	var out []engine.AudienceResult
	for _, condition := range f.condition.parts {
		alone := *f
		alone.condition = &group{parts: []part{condition}}
		n := alone.count(p, len(p.Events))
		r := condition.explain(p, f.newest(p))
		r.Matched, r.Found = n > 0, fmt.Sprintf("true of %d of %d", n, did)
		out = append(out, r)
	}
	return out
}

// newest returns the newest event with the name.
func (f *action) newest(p *engine.User) *engine.Event {
	for i := len(p.Events) - 1; i >= 0; i-- {
		if p.Events[i].Name == f.event {
			return &p.Events[i]
		}
	}
	return &engine.Event{}
}

func (f *membership) explain(p *engine.User, _ *engine.Event) engine.AudienceResult {
	r := f.result(f.match(p, nil))
	_, listed := f.members[p.ID]
	switch {
	case listed:
		r.Found = "is on the segment's list"
	case f.filters == nil:
		r.Found = "is not on the segment's list"
	default:
		inner := f.filters.explain(p, nil)
		r.Children = inner.Children
		r.Found = "does not match the segment's filters"
		if inner.Matched {
			r.Found = "matches the segment's filters"
		}
	}
	return r
}

// found describes a user's value.
func found(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return name + " is unknown"
	case time.Time:
		return name + " is " + timeparse.Moment(v, time.Time{})
	case string:
		if strings.TrimSpace(v) == "" {
			return name + " is empty"
		}
		return name + " is " + clip(v)
	case bool:
		return name + " is " + yesNo(v)
	case []any, map[string]any:
		b, err := json.Marshal(v)
		if err != nil {
			return name + " is something else"
		}
		return name + " is " + clip(string(b))
	}
	return name + " is " + fmt.Sprint(v)
}
