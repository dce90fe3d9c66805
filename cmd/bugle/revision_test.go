package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
)

// An update is refused if somebody else changed the campaign of a remote, whatever entity tags the remote sends.
func TestRevisionsOfARemote(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.env["XDG_CONFIG_HOME"] = t.TempDir()
	b.run(cli.ExitDone, "", "init", "--id", "DEMO")
	b.env["REMOTE_KEY"] = b.key("DEMO", "").key
	target, err := url.Parse(b.serve("--rate-limits", "off").url)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		before, after string // the tag has around its number
		sends         bool   // If-Match is sent
		revision      string // begins with
	}{
		"ours":   {`"`, `"`, true, "1"},
		"opaque": {`"rev-`, `-x"`, true, "rev-1-x"},
		"weak":   {`W/"`, `"`, false, "W/1"},
		"none":   {"", "", false, "20"}, // a time
	} {
		t.Run(name, func(t *testing.T) {
			b := bugle{t, b.env}
			id := b.create(`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "One"}}`)
			var meanwhile func() // before the next change arrives
			proxy := httputil.NewSingleHostReverseProxy(target)
			proxy.ModifyResponse = func(res *http.Response) error {
				if tag := strings.Trim(res.Header.Get("ETag"), `"`); tag != "" {
					res.Header.Set("ETag", tt.before+tag+tt.after)
				}
				if tt.before == "" {
					res.Header.Del("ETag")
				}
				if res.StatusCode == http.StatusConflict && name == "opaque" {
					res.StatusCode = http.StatusPreconditionFailed
				}
				return nil
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPatch {
					tag := r.Header.Get("If-Match")
					if tt.sends != strings.HasPrefix(tag, `"`) {
						t.Errorf("If-Match is %q", tag)
					}
					if tt.sends {
						r.Header.Set("If-Match", `"`+strings.TrimSuffix(strings.TrimPrefix(tag, tt.before), tt.after)+`"`)
					}
					if meanwhile != nil {
						meanwhile()
					}
				}
				proxy.ServeHTTP(w, r)
			}))
			defer server.Close()
			b.run(cli.ExitDone, "", "remote", "add", name, "--url", server.URL, "--workspace-id", "DEMO", "--key-env", "REMOTE_KEY")
			read, _ := b.run(cli.ExitDone, "", "get", id, "--remote", name)
			if !strings.Contains(read, `"revision": "`+tt.revision) {
				t.Errorf("it read %s", read)
			}
			b.run(cli.ExitDone, strings.Replace(read, "One", "Two", 1), "update", "-", "--remote", name)
			theirs := func(name string) func() {
				return func() {
					meanwhile = nil
					b.run(cli.ExitDone, `{"basic_details": {"name": "`+name+`"}}`, "update", id, "-", "--by", "eve@example.com")
				}
			}
			stale := func(body string) {
				t.Helper()
				if _, errs := b.run(cli.ExitFailed, strings.Replace(body, `"name": "`, `"name": "My `, 1), "update", "-", "--remote", name); !strings.Contains(errs, "changed by eve@example.com on ") {
					t.Errorf("it does not say who changed it, and when: %s", errs)
				}
			}
			theirs("Three")()
			stale(read)
			if read, _ = b.run(cli.ExitDone, "", "get", id, "--remote", name); tt.sends { // between the last look and the change
				meanwhile = theirs("Four")
				stale(read)
			}
			exported, _ := b.run(cli.ExitDone, "", "export", id, "--remote", name)
			theirs("Five")()
			stale(exported)
			if now, _ := b.run(cli.ExitDone, "", "get", id); !strings.Contains(now, `"name": "Five"`) {
				t.Errorf("it is %s", now)
			}
			b.run(cli.ExitDone, strings.Replace(exported, `"name": "`, `"name": "My `, 1), "update", "--force", "-", "--remote", "local")
		})
	}
}
