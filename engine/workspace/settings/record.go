package settings

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// toDoc encodes a record as a document.
func toDoc(record any) (doc.Value, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(record); err != nil {
		return doc.Value{}, refuse("", "the record cannot be written as JSON: %w", err)
	}
	v, err := doc.Parse(b.Bytes())
	if err != nil {
		return doc.Value{}, refuse("", "cannot read the record: %w", err)
	}
	return v, nil
}

// fromDoc decodes a record. Its numbers keep their spelling.
func fromDoc[T any](v doc.Value) (T, error) {
	var out T
	d := json.NewDecoder(bytes.NewReader(v.Encode()))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		return out, refuse("", "this is not a valid record: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return out, nil
}

func toDocs[T any](records []T) ([]doc.Value, error) {
	out := make([]doc.Value, 0, len(records))
	for _, r := range records {
		v, err := toDoc(r)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// canonical converts the times in a record to RFC 3339. Users may omit seconds, offsets and hours; a time without
// an offset is in the workspace's time zone, and a day begins at midnight there.
func canonical(s *schema.Schema, v doc.Value, zone string) doc.Value {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc = time.UTC
	}
	return spell(s.Root(), v, loc)
}

func spell(n *schema.Node, v doc.Value, loc *time.Location) doc.Value {
	if n == nil {
		return v
	}
	switch v.Kind() {
	case doc.String:
		if n.Kind != schema.Time {
			return v
		}
		if _, err := time.Parse(time.RFC3339Nano, v.Text()); err == nil {
			return v
		}
		if t, ok := schema.ParseTime(v.Text(), loc); ok {
			return doc.NewString(t.Format(time.RFC3339))
		}
		if day, err := time.ParseInLocation(time.DateOnly, v.Text(), loc); err == nil {
			return doc.NewString(day.Format(time.RFC3339))
		}
	case doc.Array:
		for i, e := range v.Elems() {
			v = replaced(v, doc.P(i), e, spell(n.Element, e, loc))
		}
	case doc.Object:
		for name, m := range v.Members() {
			v = replaced(v, doc.P(name), m, spell(n.Child(name), m, loc))
		}
	}
	return v
}

func replaced(v doc.Value, p doc.Path, was, now doc.Value) doc.Value {
	if now.Same(was) {
		return v
	}
	out, err := v.Set(p, now)
	if err != nil {
		return v
	}
	return out
}

// holds reports whether a name or value in a record contains a text, case-insensitively.
func holds(v doc.Value, text string) bool {
	return text == "" || strings.Contains(strings.ToLower(string(v.Encode())), strings.ToLower(text))
}
