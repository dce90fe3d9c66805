package resolve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"bugle/engine/doc"
)

// Values returns the fields of an object as expressions take them. Numbers keep their spelling.
func Values(v doc.Value) map[string]any {
	out := make(map[string]any, v.Len())
	for name, m := range v.Members() {
		out[name] = plain(m)
	}
	return out
}

func plain(v doc.Value) any {
	switch v.Kind() {
	case doc.Bool:
		return v.True()
	case doc.Number:
		return json.Number(v.Literal())
	case doc.String:
		return v.Text()
	case doc.Array:
		out := make([]any, 0, v.Len())
		for _, e := range v.Elems() {
			out = append(out, plain(e))
		}
		return out
	case doc.Object:
		return Values(v)
	}
	return nil
}

// Over returns values with others in their place.
func Over(own, instead map[string]any) map[string]any {
	out := make(map[string]any, len(own)+len(instead))
	maps.Copy(out, own)
	maps.Copy(out, instead)
	return out
}

// Document returns a value of an attribute as a request can carry it. Numbers keep their spelling. It reports false
// where no JSON stands for the value.
func Document(v any) (doc.Value, bool) {
	switch v := v.(type) {
	case nil:
		return doc.NullValue(), true
	case bool:
		return doc.NewBool(v), true
	case string:
		return doc.NewString(v), true
	case time.Time:
		return doc.NewString(v.Format(time.RFC3339)), true
	case json.Number:
		return doc.NewNumber(v.String())
	case []any:
		list := make([]doc.Value, len(v))
		for i, item := range v {
			var ok bool
			if list[i], ok = Document(item); !ok {
				return doc.Value{}, false
			}
		}
		return doc.NewArray(list...), true
	case map[string]any:
		var ms []doc.Member
		for _, name := range slices.Sorted(maps.Keys(v)) {
			m, ok := Document(v[name])
			if !ok {
				return doc.Value{}, false
			}
			ms = append(ms, doc.M(name, m))
		}
		return doc.NewObject(ms...), true
	}
	return doc.NewNumber(fmt.Sprint(v))
}
