package engine

import (
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// field describes one field of a response, as shown in the OpenAPI document, and where the Go value stores
// it. Responses are written and read using tables of these, so a new field takes one line.
type field[T any] struct {
	schema.Field
	// at returns a *string, *int, *bool, *time.Time, *[]string or *doc.Value, or a [fieldCodec].
	at func(*T) any
	// empty reports that the field is written even if it is empty.
	empty bool
}

// fieldCodec is a field that contains other fields.
type fieldCodec interface {
	value() doc.Value
	read(doc.Value)
}

// write returns v in the form of the API.
func write[T any](fields []field[T], v *T) doc.Value { return doc.NewObject(membersOf(fields, v)...) }

func membersOf[T any](fields []field[T], v *T) []doc.Member {
	ms := make([]doc.Member, 0, len(fields))
	for i := range fields {
		f := &fields[i]
		var m doc.Value
		none := false
		switch at := f.at(v).(type) {
		case *string:
			m, none = doc.NewString(*at), *at == ""
		case *int:
			m, none = doc.NewInt(int64(*at)), *at <= 0
		case *bool:
			m, none = doc.NewBool(*at), !*at
		case *time.Time:
			m, none = doc.NewString(at.UTC().Format(time.RFC3339)), at.IsZero()
		case *[]string:
			m, none = doc.NewStrings(*at...), len(*at) == 0
		case *doc.Value:
			m = *at
		case fieldCodec:
			m = at.value()
			none = m.Empty()
		}
		if !none || f.empty {
			ms = append(ms, doc.M(f.Name, m))
		}
	}
	return ms
}

// read fills v with what from has of the fields. It takes what it receives liberally: what is empty or of
// another type leaves v as it is.
func read[T any](fields []field[T], v *T, from doc.Value) {
	for i := range fields {
		m := from.Get(fields[i].Name)
		if !m.Exists() {
			continue
		}
		switch at := fields[i].at(v).(type) {
		case *string:
			if s := m.Text(); s != "" {
				*at = s
			}
		case *int:
			if n, ok := m.Int(); ok {
				*at = int(n)
			}
		case *bool:
			*at = m.True()
		case *time.Time:
			if t := instant(m, time.UTC); !t.IsZero() {
				*at = t
			}
		case *[]string:
			*at = m.Strings()
		case *doc.Value:
			*at = m
		case fieldCodec:
			at.read(m)
		}
	}
}

// described returns the descriptions of fields.
func described[T any](fields []field[T]) []schema.Field {
	out := make([]schema.Field, len(fields))
	for i, f := range fields {
		out[i] = f.Field
	}
	return out
}

// optional is an object that may be null in a response.
type optional[T any] struct {
	at     **T
	fields []field[T]
}

func (o optional[T]) value() doc.Value {
	if *o.at == nil {
		return doc.NullValue()
	}
	return write(o.fields, *o.at)
}

func (o optional[T]) read(v doc.Value) {
	if v.Kind() == doc.Object {
		*o.at = new(T)
		read(o.fields, *o.at, v)
	}
}

// several is a list of objects.
type several[T any] struct {
	at     *[]T
	fields []field[T]
}

func (l several[T]) value() doc.Value {
	vs := make([]doc.Value, len(*l.at))
	for i := range *l.at {
		vs[i] = write(l.fields, &(*l.at)[i])
	}
	return doc.NewArray(vs...)
}

func (l several[T]) read(v doc.Value) {
	for _, e := range v.Elems() {
		var one T
		read(l.fields, &one, e)
		*l.at = append(*l.at, one)
	}
}

// The descriptions of fields, by kind.

func textField(name, help string) schema.Field {
	return schema.Field{Name: name, Kind: schema.String, Help: help}
}

func idField(name, help string) schema.Field {
	return schema.Field{Name: name, Kind: schema.String, Help: help, Rules: []schema.Rule{schema.Format{As: schema.ObjectID}}}
}

func choiceField[S ~string](name, help string, values ...S) schema.Field {
	f := textField(name, help)
	for _, v := range values {
		f.Options = append(f.Options, schema.Option{Value: string(v)})
	}
	return f
}

func timeField(name, help string) schema.Field {
	return schema.Field{Name: name, Kind: schema.Time, Help: help}
}

func countField(name, help string) schema.Field {
	return schema.Field{Name: name, Kind: schema.Integer, Help: help}
}

func textsField(name, help string) schema.Field {
	return schema.Field{Name: name, Kind: schema.List, Help: help, Elem: &schema.Field{Kind: schema.String}}
}

func objectField(name, help string, fields []schema.Field) schema.Field {
	return schema.Field{Name: name, Kind: schema.Object, Help: help, Fields: fields}
}

func objectsField(name, help string, fields []schema.Field) schema.Field {
	return schema.Field{Name: name, Kind: schema.List, Help: help, Elem: &schema.Field{Kind: schema.Object, Fields: fields}}
}

// always marks a field that every response of its kind has.
func always(f schema.Field) schema.Field {
	f.Required = []schema.Required{{}}
	return f
}

// everyDeliveryType returns all delivery types, in the order of CONTRACT.md.
func everyDeliveryType() []DeliveryType {
	var out []DeliveryType
	for _, t := range catalog.DeliveryTypes(catalog.Push) {
		out = append(out, t.Type)
	}
	return out
}
