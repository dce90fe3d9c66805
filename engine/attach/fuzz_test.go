//go:build linux || darwin || freebsd

package attach_test

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/attach"
	"bugle/engine/enginetest"
	"bugle/engine/message/delivery"
	"bugle/engine/service/local"
	"bugle/store/mem"
)

// alone is a store in memory, whose mail and push reach nobody.
type alone struct{ db *mem.DB }

var errNobody = errors.New("nobody is reached")

func (a alone) Open(workspace string) (attach.Service, error) {
	return local.Open(a.db, workspace, local.Options{
		Clock:     func() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) },
		Providers: func(engine.Connector) (delivery.Sender, error) { return nil, errNobody },
		Gateways:  func(context.Context, engine.Gateway) (delivery.Sender, error) { return nil, errNobody },
		Fetcher:   &delivery.Fetcher{Timeout: 1},
	})
}

func (alone) Workspaces(context.Context) ([]string, error) { return []string{workspace}, nil }
func (alone) Create(context.Context, engine.Workspace, bool) (id, key string, err error) {
	return "", "", errNobody
}
func (alone) Close() error { return nil }

// Whatever another process of the person sends over the socket, each line of the answer is one that it reads,
// the last of them a result or a fault. $ID stands for the campaign that is there.
func FuzzSocket(f *testing.F) {
	db := mem.New()
	if _, err := local.CreateWorkspace(f.Context(), db, enginetest.Workspace()); err != nil {
		f.Fatal(err)
	}
	svc, err := alone{db}.Open(workspace)
	if err != nil {
		f.Fatal(err)
	}
	body := parse(f, draft)
	made, err := svc.Create(f.Context(), engine.CreateRequest{Body: body})
	if err != nil {
		f.Fatal(err)
	}
	methods := attach.Methods()
	for i := range methods {
		for _, in := range []string{
			`null`, `{}`, `"$ID"`, `{"ID":"$ID","By":"ann@example.com"}`, `{"ID":"$ID","N":1}`, `{"ID":"$ID","Revision":1,"Body":[` + draft + `]}`,
			`{"Body":[{"draft_id":"$ID","test_campaign_meta":{"identifier":"EMAIL","identifier_values":["a@example.com"]}}]}`, `{"Limit":1,"Page":1,"Text":"a"}`, `[`,
		} {
			f.Add(uint8(i), []byte(in), false)
		}
	}
	f.Add(uint8(0), []byte(`{"workspace":"`+workspace+`","node":"n","call":"c","in":{"a":1}}`), true)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, method uint8, in []byte, whole bool) {
		in = bytes.ReplaceAll(in, []byte("$ID"), []byte(made.ID))
		h, err := attach.Handler(dir, alone{db.Clone()})
		if err != nil {
			t.Fatal(err)
		}
		name := methods[int(method)%len(methods)]
		if !whole {
			in = []byte(`{"workspace":"` + workspace + `","node":"n","call":"c","in":` + string(in) + `}`)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/local/v1/"+name, bytes.NewReader(in)))
		lines := strings.Split(strings.TrimSuffix(w.Body.String(), "\n"), "\n")
		for i, line := range lines {
			var said struct {
				Step  *engine.TestProgress `json:"step"`
				Out   any                  `json:"out"`
				Fault *struct {
					Kind    string `json:"kind"`
					Message string `json:"message"`
				} `json:"fault"`
			}
			if err := attach.Decode([]byte(line), &said); err != nil {
				t.Fatalf("%s of %s answers %q, which cannot be read: %v", name, in, line, err)
			}
			if last := i == len(lines)-1; last && said.Step != nil || !last && said.Step == nil {
				t.Fatalf("%s of %s: line %d of %d is %q", name, in, i, len(lines), line)
			}
			if f := said.Fault; f != nil && (f.Kind == "" || f.Message == "" || w.Code < 400 && len(lines) == 1 && w.Header().Get("Content-Type") == "application/json") {
				t.Fatalf("%s of %s answers %d with %q", name, in, w.Code, line)
			}
		}
	})
}

// What is read from the socket is written so that it reads as the same again.
func FuzzCodec(f *testing.F) {
	kinds := []reflect.Type{
		reflect.TypeFor[engine.Campaign](), reflect.TypeFor[engine.Summary](), reflect.TypeFor[engine.CreateRequest](), reflect.TypeFor[engine.SaveRequest](), reflect.TypeFor[engine.WorkingCopy](),
		reflect.TypeFor[engine.Workspace](), reflect.TypeFor[engine.Profile](), reflect.TypeFor[engine.SearchRequest](), reflect.TypeFor[[]engine.Revision](), reflect.TypeFor[map[string]any](), reflect.TypeFor[engine.TestResult](),
	}
	for i, k := range kinds {
		b, err := attach.Encode(reflect.New(k).Interface())
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range []string{string(b), `{}`, `null`, `{"Body":[{"a":1.0}]}`, `{"Body":[]}`, `{"attributes":{"a":1.50,"b":[null,{"c":1e400}]}}`, `{"a":"\ud800","b":"` + "\xff" + `"}`, `{"created_at":"0001-01-01T00:00:00Z","tags":[]}`} {
			f.Add(uint8(i), []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, in []byte) {
		k := kinds[int(kind)%len(kinds)]
		v := reflect.New(k)
		if attach.Decode(in, v.Interface()) != nil {
			return
		}
		b, err := attach.Encode(v.Interface())
		if err != nil {
			t.Fatalf("%s is read as %#v, which cannot be written: %v", in, v.Elem(), err)
		}
		again := reflect.New(k)
		if err := attach.Decode(b, again.Interface()); err != nil {
			t.Fatalf("%s is written as %s, which cannot be read: %v", in, b, err)
		}
		if c, err := attach.Encode(again.Interface()); err != nil || !sameJSON(b, c) {
			t.Fatalf("%s is written as %s, and then as %s (%v)", in, b, c, err)
		}
	})
}

// sameJSON compares texts of JSON whose members may stand in another order.
func sameJSON(a, b []byte) bool {
	var x, y any
	return bytes.Equal(a, b) || attach.Decode(a, &x) == nil && attach.Decode(b, &y) == nil && reflect.DeepEqual(x, y)
}
