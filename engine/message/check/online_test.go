package check_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bugle/engine"
	"bugle/engine/message/check"
	"bugle/engine/message/delivery/gatewaytest"
	"bugle/engine/publicnet"
)

// web is servers of all names, on this machine, and what was asked of them.
type web struct {
	mu    sync.Mutex
	asked []string
	busy  atomic.Int32
	most  atomic.Int32
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if n := w.busy.Add(1); n > w.most.Load() {
		w.most.Store(n)
	}
	defer w.busy.Add(-1)
	w.mu.Lock()
	w.asked = append(w.asked, r.Method+" "+r.Host+r.URL.Path)
	w.mu.Unlock()
	switch r.URL.Path {
	case "/gone":
		http.NotFound(out, r)
	case "/members":
		out.WriteHeader(http.StatusForbidden)
	case "/moved":
		http.Redirect(out, r, "https://other.eu/new", http.StatusFound)
	case "/sister":
		http.Redirect(out, r, "https://www.shop.eu/new", http.StatusFound)
	case "/leave":
		http.Redirect(out, r, "https://shop.eu/unsubscribe/now", http.StatusFound)
	case "/circle":
		http.Redirect(out, r, "/circle", http.StatusFound)
	case "/nohead":
		if r.Method == http.MethodHead {
			out.WriteHeader(http.StatusMethodNotAllowed)
		}
	case "/large.png":
		out.Header().Set("Content-Length", strconv.Itoa(3<<20))
	case "/ranged.png":
		if r.Method == http.MethodHead {
			out.WriteHeader(http.StatusNotImplemented)
			return
		}
		out.Header().Set("Content-Range", "bytes 0-1023/2097152")
		out.WriteHeader(http.StatusPartialContent)
	}
}

func (w *web) requests() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.asked)
	return strings.Join(w.asked, "\n")
}

// serve returns options by which every name leads to the web.
func serve(t *testing.T, w *web) check.OnlineOptions {
	s := httptest.NewTLSServer(w)
	t.Cleanup(s.Close)
	return check.OnlineOptions{
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		},
		TLS:      &tls.Config{InsecureSkipVerify: true}, // the certificate is for another name
		Resolver: records{"shop.eu": "v=spf1 -all", "_dmarc.shop.eu": "v=DMARC1; p=none"},
	}
}

// records are a DNS.
type records map[string]string

func (r records) LookupTXT(_ context.Context, name string) ([]string, error) {
	if text, ok := r[name]; ok {
		return []string{"other", text}, nil
	}
	return nil, &net.DNSError{Name: name, IsNotFound: true}
}

func online(t *testing.T, c engine.Campaign, o check.OnlineOptions) check.Result {
	t.Helper()
	out, err := check.Online(t.Context(), c, facts(), o, check.Result{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOnline(t *testing.T) {
	for name, test := range map[string]struct{ body, want, says string }{
		"good":      {"", "", ""},
		"gone":      {`<a href="https://shop.eu/gone">x y</a>`, "link-broken", "status 404"},
		"members":   {`<a href="https://shop.eu/members">x y</a>`, "", ""},
		"moved":     {`<a href="https://shop.eu/moved">x y</a>`, "(link-redirects)", "leads to other.eu"},
		"sister":    {`<a href="https://shop.eu/sister">x y</a>`, "", ""},
		"circle":    {`<a href="https://shop.eu/circle">x y</a>`, "link-broken", "redirects too often"},
		"no head":   {`<a href="https://shop.eu/nohead">x y</a>`, "", ""},
		"image":     {`<img src="https://cdn.shop.eu/gone" alt="" width="9">`, "image-broken", "404"},
		"large":     {`<img src="https://cdn.shop.eu/large.png" alt="" width="9">`, "image-heavy", "3.0 MB"},
		"ranged":    {`<img src="https://cdn.shop.eu/ranged.png" alt="" width="9">`, "image-heavy", "2.0 MB"},
		"tracking":  {`<img src="https://cdn.shop.eu/gone" alt="" width="1" height="1">`, "", ""},
		"two wrong": {`<a href="https://shop.eu/gone">x y</a><a href="https://shop.eu/gone?2">x y</a>`, "link-broken", "gone?2"},
	} {
		t.Run(name, func(t *testing.T) {
			var w web
			out := online(t, set(t, email(t), htmlAt, page(test.body)), serve(t, &w))
			if got := ids(out.Findings); got != test.want {
				t.Errorf("found %q, want %q: %+v", got, test.want, out.Findings)
			} else if got != "" && !strings.Contains(out.Findings[0].Message, test.says) {
				t.Errorf("it says %q", out.Findings[0].Message)
			}
			if asked := w.requests(); strings.Contains(asked, "unsubscribe") || !strings.Contains(asked, "shop.eu/shoes") {
				t.Errorf("asked were\n%s", asked)
			}
		})
	}
}

// Nobody is unsubscribed: neither by a link, nor by where a link leads.
func TestOnlineUnsubscribesNobody(t *testing.T) {
	var w web
	online(t, set(t, email(t), htmlAt, page(`<a href="https://shop.eu/leave">Your settings</a><a href="https://shop.eu/bye">Unsubscribe here</a>`)), serve(t, &w))
	if asked := w.requests(); strings.Contains(asked, "/unsubscribe") || strings.Contains(asked, "/bye") || !strings.Contains(asked, "/leave") {
		t.Errorf("asked were\n%s", asked)
	}
}

// Private addresses are refused once they are connected to, whatever name or redirect leads there.
func TestOnlineRefusesPrivateAddresses(t *testing.T) {
	var hits atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer private.Close()
	o := check.OnlineOptions{Resolver: records{}}                                                                                         // as it is by default
	out := online(t, set(t, email(t), htmlAt, `<a href="`+private.URL+`/x">x y</a><img src="http://[::1]:9/a.png" alt="" width="9">`), o) // no name is looked up
	var said string
	for _, f := range out.Findings {
		said += f.Check + ": " + f.Message + "\n"
	}
	if hits.Load() > 0 || !strings.Contains(said, "image-broken: “http://[::1]:9/a.png” has an address that is not public") ||
		!strings.Contains(said, "/x” has an address that is not public") {
		t.Errorf("%d requests arrived, found\n%s", hits.Load(), said)
	}

	// A public name that redirects into the network, and one that is there when it is asked again.
	gatewaytest.FakeDNS(t, map[string]string{"shop.eu.": "127.0.0.1"})
	_, port, _ := net.SplitHostPort(private.Listener.Addr().String())
	for _, to := range []string{
		"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port, "[::ffff:127.0.0.1]:" + port, "0.0.0.0:" + port, "127.1:" + port, "2130706433:" + port, "169.254.169.254", "[::ffff:a9fe:a9fe]",
		"shop.eu:" + port, "",
	} {
		s := httptest.NewTLSServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			if to == "" {
				out.WriteHeader(http.StatusMethodNotAllowed) // so that it is asked again
				return
			}
			http.Redirect(out, r, "http://"+to+"/inside", http.StatusFound)
		}))
		asked := map[string]bool{}
		var mu sync.Mutex
		o = check.OnlineOptions{
			Resolver: records{}, TLS: &tls.Config{InsecureSkipVerify: true},
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				mu.Lock()
				first := !asked[address]
				asked[address] = true
				mu.Unlock()
				if _, port, _ := net.SplitHostPort(address); port == "443" && (to != "" || first) {
					return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
				}
				return publicnet.Dialer().DialContext(ctx, network, address)
			},
		}
		out = online(t, email(t), o)
		if hits.Load() > 0 || !strings.Contains(ids(out.Findings), "link-broken") {
			t.Errorf("%s: %d requests arrived, found %q", to, hits.Load(), ids(out.Findings))
		}
		s.Close()
	}
}

// The number of addresses is bounded, and how many are asked at once of one host.
func TestOnlineIsBounded(t *testing.T) {
	var w web
	o := serve(t, &w)
	last := 0
	o.Progress = func(done, of int) { last = of - done }
	out := online(t, set(t, email(t), htmlAt, page(numbered(`<a href="https://shop.eu/%d">x %d</a>`, 400))), o)
	n := len(strings.Split(w.requests(), "\n"))
	if n > 200 || w.most.Load() > 4 || last != 0 {
		t.Errorf("%d requests, %d at once, %d not told", n, w.most.Load(), last)
	}
	if !slices.ContainsFunc(out.Skipped, func(s check.Skipped) bool { return s.Check == "link-broken" && strings.Contains(s.Why, "200") }) {
		t.Errorf("skipped is %v", out.Skipped)
	}
}

func TestSenderDomain(t *testing.T) {
	for name, test := range map[string]struct {
		dns      records
		selector string
		want     string
	}{
		"all":             {records{"shop.eu": "v=spf1 -all", "_dmarc.shop.eu": "v=DMARC1; p=none", "s1._domainkey.shop.eu": "v=DKIM1; p=x"}, "s1", ""},
		"nothing":         {records{}, "s1", "spf-missing dkim-missing dmarc-missing"},
		"unknown DKIM":    {records{"shop.eu": "v=spf1 -all", "_dmarc.shop.eu": "v=DMARC1; p=none"}, "", ""},
		"another TXT":     {records{"shop.eu": "google=1", "_dmarc.shop.eu": "v=DMARC1"}, "", "spf-missing"},
		"of organization": {records{"news.shop.eu": "v=spf1 -all", "_dmarc.shop.eu": "v=DMARC1"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var w web
			o := serve(t, &w)
			o.Resolver, o.Selector = test.dns, test.selector
			c := email(t)
			if name == "of organization" {
				c = set(t, c, mailAt+"from_address", "a@news.shop.eu")
			}
			out := online(t, c, o)
			if got := ids(out.Findings); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
			if skipped := slices.ContainsFunc(out.Skipped, func(s check.Skipped) bool { return s.Check == "dkim-missing" }); skipped != (test.selector == "") {
				t.Errorf("skipped is %v", out.Skipped)
			}
		})
	}
}

func TestOnlineIsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := check.OnlineOptions{Resolver: records{}, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	if _, err := check.Online(ctx, email(t), facts(), o, check.Result{}); err == nil {
		t.Error("an ended context ends nothing")
	}
}
