package main

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/cmd/bugle/internal/cli"
	"bugle/store/postgres/pgtest"
)

// A server that is cut off from its database answers within its limit that the client can try again, and what the client
// then repeats is done once.
func TestServeCutOff(t *testing.T) {
	needSlow(t)
	t.Parallel()
	for _, how := range []pgtest.State{pgtest.Stalled, pgtest.Closed} {
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			p, through := pgtest.NewProxy(t, pgtest.URL(t))
			b := newBugle(t)
			b.env[cli.EnvData] = through
			b.run(cli.ExitDone, "", "init", "--id", "SHOP")
			key := b.key("SHOP", "")
			s := b.serve("--rate-limits", "off")
			id := idIn(t, s.do(http.StatusCreated, "POST", "/v5/campaigns", servedDraft, key))
			bodies := map[*http.Request]string{}
			request := func(method, path, body string) *http.Request {
				r := s.request(method, path, body, key)
				bodies[r] = body
				return r
			}
			create := request("POST", "/v5/campaigns", strings.Replace(servedDraft, "Flat white", "Happy", 1))
			update := request("PATCH", "/v5/campaigns/"+id, `{"basic_details":{"name":"Filter hour"},"updated_by":"ann@example.com"}`)
			search := request("POST", "/v5/campaigns/search", `{"limit":15,"page":1}`)
			send := func(r *http.Request) (status int, answer string, after string) {
				again := r.Clone(t.Context())
				again.Body = io.NopCloser(strings.NewReader(bodies[r]))
				res, err := s.client.Do(again)
				if err != nil {
					t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
					return 0, "", ""
				}
				defer res.Body.Close()
				b, err := io.ReadAll(res.Body)
				if err != nil {
					t.Error(err)
				}
				return res.StatusCode, string(b), res.Header.Get("Retry-After")
			}
			p.Set(how)
			began := time.Now()
			var all sync.WaitGroup
			for _, r := range []*http.Request{create, update, search} {
				all.Go(func() {
					if status, answer, after := send(r); status != http.StatusServiceUnavailable || after == "" {
						t.Errorf("%s %s: %d, try again after %q\n%s", r.Method, r.URL.Path, status, after, answer)
					}
				})
			}
			all.Wait()
			if took := time.Since(began); took > 25*time.Second {
				t.Errorf("the answers took %v", took)
			}
			if got := s.do(http.StatusOK, "GET", "/livez", "", credentials{}); got == "" {
				t.Error("/livez says nothing")
			}
			p.Set(pgtest.Open)
			repeat := func(r *http.Request) (status int, answer string) { // as often as the server asks for it
				for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
					if status, answer, _ = send(r); status != http.StatusServiceUnavailable || time.Now().After(end) {
						return status, answer
					}
				}
			}
			var first string
			for n := range 2 {
				status, answer := repeat(create)
				if status != http.StatusCreated {
					t.Errorf("repeated, the create is answered with %d\n%s", status, answer)
				}
				if n == 0 {
					first = answer
				} else if answer != first {
					t.Errorf("repeated, the create is answered with\n%s\nand before with\n%s", answer, first)
				}
			}
			if status, answer := repeat(update); status != http.StatusOK {
				t.Errorf("repeated, the update is answered with %d\n%s", status, answer)
			}
			out, _ := b.run(cli.ExitDone, "", "search", "--json")
			for _, name := range []string{"Happy hour", "Filter hour"} {
				if n := strings.Count(out, name); n != 1 {
					t.Errorf("%q is there %d times:\n%s", name, n, out)
				}
			}
			s.do(http.StatusOK, "GET", "/healthz", "", credentials{})
		})
	}
}
