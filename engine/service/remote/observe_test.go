package remote_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/service/remote"
)

func TestExchanges(t *testing.T) {
	var seen []remote.Exchange
	s, _ := scripted(t, remote.Config{Observe: func(x remote.Exchange) { seen = append(seen, x) }},
		says(201, `{"data":{"id":"x","echo":"s3cret-key","smtp_password":"hunter2"}}`, "Set-Cookie", "session=1"))
	body := parse(t, `{"channel":"PUSH","note":"it's 1.0","api_key":"abc","nested":[{"access_token":"t0k"}]}`)
	if _, err := s.Create(t.Context(), engine.CreateRequest{Call: engine.Call{RequestID: "mine", IdempotencyKey: "2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09"}, Body: body}); err != nil {
		t.Fatal(err)
	}
	x := seen[0]
	if x.Operation != "create" || x.Method != "POST" || x.Path != "/base/v5/campaigns" || x.Status != 201 || x.Attempt != 1 || x.Err != nil || x.Call.RequestID != "mine" || x.At.IsZero() {
		t.Errorf("%+v", x)
	}
	if got := string(x.Request); got != `{"channel":"PUSH","note":"it's 1.0","api_key":"[hidden]","nested":[{"access_token":"[hidden]"}]}` {
		t.Error(got)
	}
	if got := string(x.Response); got != `{"data":{"id":"x","echo":"[hidden]","smtp_password":"[hidden]"}}` {
		t.Error(got)
	}
	all := fmt.Sprintf("%+v %s %s", x, x.Request, x.Response)
	for _, secret := range []string{"s3cret-key", "hunter2", "abc\"", "t0k", "session=1", "Q09OVFJBQ1Q6"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is in %s", secret, all)
		}
	}
}

func TestTooLong(t *testing.T) {
	s, way := scripted(t, remote.Config{}, func() (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(io.LimitReader(endless{}, 1<<40))}, nil
	})
	_, err := s.Search(t.Context(), engine.SearchRequest{Status: catalog.States, Limit: 1, Page: 1})
	if err == nil || !strings.Contains(err.Error(), "larger than 32 MiB") || len(way.got) != 1 {
		t.Errorf("%d requests: %v", len(way.got), err)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return copy(b, bytes.Repeat([]byte(" "), len(b))), nil }
