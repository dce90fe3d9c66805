package settings

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/doc"
)

// same holds a record against what is left of it after it was a document.
func same[T any](t *testing.T, name string, gen *rapid.Generator[T]) {
	t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
		record := gen.Draw(t, name)
		v, err := toDoc(record)
		if err != nil {
			t.Fatal(err)
		}
		back, err := fromDoc[T](v)
		if err != nil {
			t.Fatalf("%v\n%s", err, v.Encode())
		}
		again, err := toDoc(back)
		if err != nil || string(again.Encode()) != string(v.Encode()) {
			t.Fatalf("%v\ngot  %s\nwant %s", err, again.Encode(), v.Encode())
		}
	}))
}

// anything is a JSON value as the store gives it: numbers keep their spelling.
func anything(depth int) *rapid.Generator[any] {
	number := rapid.Custom(func(t *rapid.T) any {
		return json.Number(fmt.Sprintf("%d.%02d", rapid.Int32().Draw(t, "whole"), rapid.IntRange(0, 99).Draw(t, "rest")))
	})
	plain := rapid.OneOf(rapid.String().AsAny(), number, rapid.Bool().AsAny(), rapid.Just[any](nil))
	if depth == 0 {
		return plain
	}
	return rapid.OneOf(plain, rapid.SliceOfN(anything(depth-1), 0, 3).AsAny(), object(depth-1).AsAny())
}

func object(depth int) *rapid.Generator[map[string]any] {
	return rapid.MapOfN(rapid.String(), anything(depth), 0, 4)
}

func moment() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()
	})
}

func TestARecordIsTheSameAfterItWasADocument(t *testing.T) {
	same(t, "features", rapid.MapOf(rapid.String(), rapid.Bool()))
	same(t, "settings", rapid.Map(rapid.Make[general](), func(g general) general {
		if len(g.ContentAPIs.Hosts) == 0 {
			g.ContentAPIs.Hosts = nil // as the store gives it
		}
		return g
	}))
	same(t, "names", rapid.Make[nameRecord]())
	same(t, "attributes", rapid.Make[engine.Attribute]())
	same(t, "events", rapid.Make[engine.EventType]())
	same(t, "connectors", rapid.Make[engine.Connector]())
	same(t, "gateways", rapid.Make[engine.Gateway]())
	same(t, "blocks", rapid.Make[engine.ContentBlock]())
	same(t, "apis", rapid.Make[engine.ContentAPI]())
	same(t, "products", rapid.Custom(func(t *rapid.T) engine.ProductSet {
		return engine.ProductSet{Name: rapid.String().Draw(t, "name"), Products: rapid.SliceOf(object(2)).Draw(t, "products")}
	}))
	same(t, "segments", rapid.Custom(func(t *rapid.T) engine.Segment {
		return engine.Segment{ID: rapid.String().Draw(t, "id"), Name: rapid.String().Draw(t, "name"), Members: rapid.SliceOf(rapid.String()).Draw(t, "members"), Filters: object(3).Draw(t, "filters")}
	}))
	same(t, "users", rapid.Custom(func(t *rapid.T) engine.User {
		return engine.User{
			ID: rapid.String().Draw(t, "id"), Attributes: object(2).Draw(t, "attributes"), Devices: rapid.SliceOf(rapid.Make[engine.Device]()).Draw(t, "devices"),
			Events: []engine.Event{{Name: rapid.String().Draw(t, "event"), At: moment().Draw(t, "at"), Attributes: object(1).Draw(t, "of")}}, OptedOut: rapid.Bool().Draw(t, "out"),
		}
	}))
	same(t, "templates", rapid.Custom(func(t *rapid.T) engine.ContentTemplate {
		content, err := toDoc(object(3).Draw(t, "content"))
		if err != nil {
			t.Fatal(err)
		}
		return engine.ContentTemplate{ID: rapid.String().Draw(t, "id"), Version: rapid.Int().Draw(t, "version"), Channel: "EMAIL", Content: content, SavedAt: moment().Draw(t, "at")}
	}))
	same(t, "keys", rapid.Custom(func(t *rapid.T) engine.APIKey {
		return engine.APIKey{ID: rapid.String().Draw(t, "id"), Hash: rapid.String().Draw(t, "hash"), Scopes: rapid.SliceOf(rapid.String()).Draw(t, "scopes"), CreatedAt: moment().Draw(t, "at")}
	}))
}

// What no record has is refused, not dropped.
func TestAnUnknownMemberIsNotDropped(t *testing.T) {
	if _, err := fromDoc[nameRecord](doc.NewObject(doc.M("name", doc.NewString("x")), doc.M("colour", doc.NewString("red")))); err == nil {
		t.Error("a member went")
	}
}
