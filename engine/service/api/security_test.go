package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/service/api"
)

// raw sends bytes over a socket, and gives all that comes back until the server closes.
func raw(t *testing.T, addr, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(c) // a server that closes early resets the connection
	return string(got)
}

// good are the credentials of all scopes.
const good = "Authorization: Basic VEVTVDprZXktb2YtYWxsLXNjb3Blcw==\r\n"

// A request of which a proxy could think that it ends elsewhere smuggles no second one behind it: there is
// one answer, and then the connection is closed.
func TestNoRequestIsSmuggled(t *testing.T) {
	addr, _, _ := serve(t, newBench(t), api.Transport{}, api.ServeOptions{})
	const hidden = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, request := range map[string]string{
		"two lengths":              "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 99\r\n\r\n" + hidden,
		"two lengths in one":       "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nContent-Length: 0, 99\r\n\r\n" + hidden,
		"a length with a sign":     "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nContent-Length: +0\r\n\r\n" + hidden,
		"a length and an encoding": "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
		"an encoding and a length": "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\n" + good + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + hidden,
		"two encodings":            "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + hidden,
		"an odd encoding":          "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + hidden,
		"a space in the name":      "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nContent-Length : 99\r\n\r\n" + hidden,
		"a line that goes on":      "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nX-A: b\r\n Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
		"a bare line feed":         "POST /v5/campaigns/search HTTP/1.1\nHost: x\nContent-Length: 0\r\nContent-Length: 99\n\n" + hidden,
		"a NUL":                    "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nX-A: \x00\r\nContent-Length: 0\r\n\r\n" + hidden,
		"a wrong chunk":            "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\n" + good + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n" + hidden,
	} {
		t.Run(name, func(t *testing.T) {
			got := raw(t, addr, request)
			if n := strings.Count(got, "HTTP/1.1 "); n != 1 {
				t.Errorf("%d answers:\n%s", n, got)
			}
			if strings.Contains(got, "HTTP/1.1 2") {
				t.Errorf("it was done:\n%s", got)
			}
		})
	}
}

// Nobody without credentials gets a body read, nor is told to send it.
func TestNothingIsReadWithoutCredentials(t *testing.T) {
	addr, _, _ := serve(t, newBench(t), api.Transport{}, api.ServeOptions{})
	got := raw(t, addr, "POST /v5/campaigns HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 401") || strings.Contains(got, "100 Continue") {
		t.Errorf("%s", got)
	}
	read := &counted{Reader: strings.NewReader(strings.Repeat(" ", 1<<19))}
	r := httptest.NewRequest(http.MethodPost, campaigns, read)
	r.SetBasicAuth("TEST", "wrong")
	send(t, newBench(t), r).refused(401, engine.Unauthorized, "Authorization")
	if read.n != 0 {
		t.Errorf("%d bytes were read", read.n)
	}
}

type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// Headers are bounded, however many of them there are.
func TestManyHeaders(t *testing.T) {
	addr, _, _ := serve(t, newBench(t), api.Transport{}, api.ServeOptions{})
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, "X-%d: y\r\n", i)
	}
	if got := raw(t, addr, "GET /healthz HTTP/1.1\r\nHost: x\r\n"+many.String()+"\r\n"); !strings.HasPrefix(got, "HTTP/1.1 431") {
		t.Errorf("%.100s", got)
	}
	if got := raw(t, addr, "GET /"+strings.Repeat("a", 100<<10)+" HTTP/1.1\r\nHost: x\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 431") {
		t.Errorf("%.100s", got)
	}
}

// A client that never reads its answer is let go.
func TestAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := make(pipes)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- api.Serve(ctx, ln, newBench(t), api.ServeOptions{}) }()
		client, server := net.Pipe()
		closed := make(chan struct{})
		ln <- told{server, closed}
		start := time.Now()
		if _, err := io.WriteString(client, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Error(err)
		}
		<-closed
		if took := time.Since(start); took > 2*time.Minute+time.Second {
			t.Errorf("let go after %s", took)
		}
		client.Close()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// told is a connection that says when it is closed.
type told struct {
	net.Conn
	closed chan struct{}
}

func (c told) Close() error {
	select {
	case <-c.closed:
	default:
		close(c.closed)
	}
	return c.Conn.Close()
}

// A body that would be a bomb once unpacked is refused as it is, packed.
func TestABodyIsNeverUnpacked(t *testing.T) {
	b := newBench(t)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.Copy(z, io.LimitReader(spaces{}, 64<<20)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	for _, how := range []string{"gzip", "x-gzip", "deflate", "br", "zstd", "gzip, identity"} {
		b.do("POST", campaigns, bomb.String(), header("Content-Encoding", how)).refused(400, engine.BadRequest, "Content-Encoding")
	}
	b.do("POST", campaigns, bomb.String()).refused(400, engine.BadRequest, "body")
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// The worst bodies that fit cost no more than the time of a request.
func TestBodiesThatAreHardWork(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	fill := func(before, one, between, after string) string {
		n := (engine.MaxBody - len(before) - len(after)) / (len(one) + len(between) + 8)
		var s strings.Builder
		s.WriteString(before)
		for i := range n {
			if i > 0 {
				s.WriteString(between)
			}
			s.WriteString(strings.ReplaceAll(one, "#", fmt.Sprint(i)))
		}
		s.WriteString(after)
		return s.String()
	}
	digits := strings.Repeat("9", 1<<19)
	for name, body := range map[string]string{
		"unknown members":     fill(`{`, `"nam#":1`, `,`, `}`),
		"unknown deep inside": fill(`{"basic_details":{`, `"tag#":1`, `,`, `}}`),
		"many tags":           fill(`{"basic_details":{"tags":[`, `"t#"`, `,`, `]}}`),
		"many of the wrong":   fill(`{"basic_details":{"tags":[`, `[#]`, `,`, `]}}`),
		"deep over and over":  fill(`{"a":[`, strings.Repeat("[", 190)+strings.Repeat("]", 190), `,`, `]}`),
		"a long number":       `{"basic_details":{"name":"x"},"campaign_throttle_rpm":` + digits + `}`,
		"a long fraction":     `{"campaign_throttle_rpm":0.` + digits + `}`,
		"a large exponent":    `{"campaign_throttle_rpm":1e999999999,"x":-1E+99999999999999999999}`,
		"a small exponent":    `{"campaign_throttle_rpm":1e-999999999}`,
		"a long name":         `{"` + digits + `":1}`,
		"a long text":         `{"basic_details":{"name":"` + digits + `"}}`,
		"expressions":         fill(`{"campaign_content":{"content":{"email":{"subject":"`, `{{a|b}}`, ``, `"}}}}`),
		"an open expression":  `{"campaign_content":{"content":{"email":{"subject":"` + strings.Repeat("{{", 200_000) + `"}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			for _, at := range [][2]string{{"POST", campaigns}, {"PATCH", campaigns + "/" + id}, {"POST", campaigns + "/search"}, {"POST", "/v5/personalization/preview"}} {
				if a := b.do(at[0], at[1], body); a.status >= 500 {
					t.Errorf("%s %s: %d %.200s", at[0], at[1], a.status, a.raw)
				} else if len(a.raw) > 2*engine.MaxBody {
					t.Errorf("%s %s: an answer of %d bytes", at[0], at[1], len(a.raw))
				}
			}
			if took := time.Since(start); took > 20*time.Second { // far less, and the machine may be busy
				t.Errorf("it took %s", took)
			}
		})
	}
}

// No spelling of a path leads around the credentials, out of the workspace, or to a page with a redirect.
func TestPathsLeadNowhereElse(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	for _, path := range []string{
		"/v5/campaigns/" + id, "/v5/campaigns/%2e%2e/campaigns/" + id, "/v5/campaigns/..%2fcampaigns%2f" + id, "/v5//campaigns/" + id, "/./v5/campaigns/" + id,
		"/v5/campaigns/" + id + "/.", "/v5/campaigns/" + id + "%00", "/v5/campaigns/" + id + "%2f", "/healthz/../v5/campaigns/" + id, "/healthz%2f..%2fv5%2fcampaigns%2f" + id,
		"/v5/campaigns/" + id + ";x=y", "/v5/campaigns\\" + id, "/v5/campaigns/%252e%252e/" + id,
	} {
		r := request(t.Context(), "GET", "/x", "", header("Authorization", ""))
		var err error
		if r.URL, err = url.ParseRequestURI(path); err != nil {
			continue // net/http refuses it as well
		}
		if a := send(t, b, r); a.status != 401 && a.status != 404 || strings.Contains(a.raw, "Spring") || a.header.Get("Location") != "" {
			t.Errorf("%s without credentials: %d %s", path, a.status, a.raw)
		}
	}
	for _, path := range []string{"/v5/campaigns/..%2f..%2fTEST%2f" + id, "/v5/campaigns/TEST%00%01" + id, "/v5/campaigns/%2e%2e", "/v5/campaigns/" + id} {
		r := request(t.Context(), "GET", "/x", "", as("OTHER", "key-of-other"))
		r.URL, _ = url.ParseRequestURI(path)
		send(t, b, r).is(404, "error.code", "NOT_FOUND")
	}
}

// A workspace's keys, ids and answers are no other's.
func TestWorkspacesAreApart(t *testing.T) {
	b := newBench(t)
	other := as("OTHER", "key-of-other")
	key, rid := uuid.NewString(), uuid.NewString()
	mine := b.do("POST", campaigns, `{`+emailHead+`}`, idemKey(key), requestID(rid))
	mine.is(201)
	theirs := b.do("POST", campaigns, `{`+emailHead+`}`, idemKey(key), requestID(rid), other)
	theirs.is(201)
	if theirs.at("data.id") == mine.at("data.id") || theirs.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("another workspace got the answer of the key: %s", theirs.raw)
	}
	id := mine.at("data.id")
	for _, op := range [][3]string{
		{"GET", campaigns + "/" + id, ""}, {"PATCH", campaigns + "/" + id, `{"basic_details":{"name":"x"}}`}, {"POST", campaigns + "/" + id + "/validate", ""},
		{"POST", campaigns + "/" + id + "/status", `{"action":"STOP"}`}, {"POST", campaigns + "/test", `{"draft_id":"` + id + `",` + idaTo + `}`},
		{"PATCH", campaigns + "/" + id, `{"status":"PUBLISH"}`},
	} {
		theirs, nobodys := b.do(op[0], op[1], op[2], other), b.do(op[0], strings.ReplaceAll(op[1], id, unused), strings.ReplaceAll(op[2], id, unused), other)
		if theirs.status < 400 || theirs.status != nobodys.status || theirs.at("error.code") != nobodys.at("error.code") {
			t.Errorf("%s %s: %d %s, and for one that is not there %d %s", op[0], op[1], theirs.status, theirs.raw, nobodys.status, nobodys.raw)
		}
	}
	for _, list := range []string{"/search", "/meta"} {
		if a := b.do("POST", campaigns+list, `{"limit":15,"page":1,"campaign_fields":{"status":["DRAFT"]}}`, other); strings.Contains(a.raw, id) {
			t.Errorf("%s: %s", list, a.raw)
		}
	}
}

// No page of another origin may read an answer or have a request with a key of its own sent, and no answer
// is kept on the way.
func TestOtherOriginsGetNoCredentials(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	for _, r := range []*http.Request{
		request(t.Context(), "OPTIONS", campaigns, "", header("Authorization", ""), header("Access-Control-Request-Method", "POST"), header("Access-Control-Request-Headers", "idempotency-key")),
		request(t.Context(), "GET", campaigns+"/"+id, ""), request(t.Context(), "POST", campaigns, `{`+emailHead+`}`),
	} {
		r.Header.Set("Origin", "https://evil.example")
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		for name := range w.Header() {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s %s: %s: %s", r.Method, r.URL, name, w.Header().Get(name))
			}
		}
		if w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s may be kept", r.Method, r.URL)
		}
	}
	// What a form can send without a question to the server is refused: it has no JSON, or no key.
	b.do("POST", campaigns, `{`+emailHead+`}`, header("Content-Type", "text/plain")).refused(400, engine.BadRequest, "Content-Type")
	b.do("POST", campaigns, `{`+emailHead+`}`, header("Content-Type", ""), header("Idempotency-Key", ""), requestID("r")).refused(400, engine.ValidationFailed, "Idempotency-Key")
	// A name that leads here by a trick finds nothing without credentials.
	b.do("GET", campaigns+"/"+id, "", header("Authorization", ""), func(r *http.Request) { r.Host = "evil.example" }).refused(401, engine.Unauthorized, "Authorization")
}

// What a caller chooses adds no line to the log, and no header to the answer.
func TestLogLinesCannotBeForged(t *testing.T) {
	var text, asJSON journal
	for _, log := range []struct {
		to *journal
		h  slog.Handler
	}{{&text, slog.NewTextHandler(&text, nil)}, {&asJSON, slog.NewJSONHandler(&asJSON, nil)}} {
		b := newBench(t, func(b *bench, _ *engine.Workspace) { b.api.Logger = slog.New(log.h) })
		const forged = "a\nlevel=ERROR msg=forged\r\n{\"level\":\"ERROR\"}\x1b[2J"
		a := b.do("POST", campaigns+"/search", `{"limit":1,"page":1,"request_id":"a\nlevel=ERROR msg=forged\r\n{\"level\":\"ERROR\"}\u001b[2J"}`, requestID(""))
		if a.at("response_id") != forged || a.header.Get("X-SVC-Request-Id") != "" {
			t.Errorf("%s %v", a.raw, a.header)
		}
		b.do("GET", campaigns+"/%0Alevel=ERROR", "", func(r *http.Request) { r.Method = "GET\nlevel=ERROR" })
		b.do("GET", "/v5/nowhere%0Alevel=ERROR%1b", "")
		lines := strings.Split(strings.TrimSuffix(log.to.String(), "\n"), "\n")
		if len(lines) != 3 || strings.ContainsAny(log.to.String(), "\r\x1b") {
			t.Errorf("%d lines: %q", len(lines), log.to.String())
		}
	}
}

// Credentials are compared in constant time: each key by its hash, all of them whichever fits, also where
// there is no such workspace. It is read off the code, as a clock proves nothing.
func TestCredentialsAreComparedInConstantTime(t *testing.T) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var find *ast.FuncDecl
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "FindKey" {
			find = f
		}
	}
	if find == nil {
		t.Fatal("there is no FindKey")
	}
	loops, compared := 0, 0
	ast.Inspect(find.Body, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		loops++
		ast.Inspect(loop.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BranchStmt, *ast.ReturnStmt, *ast.IfStmt, *ast.SwitchStmt, *ast.BinaryExpr:
				t.Errorf("%s: the loop over the keys may take another way for another key", files.Position(n.Pos()))
			case *ast.SelectorExpr:
				if n.Sel.Name == "ConstantTimeCompare" {
					compared++
				}
			}
			return true
		})
		return true
	})
	if loops != 1 || compared != 1 {
		t.Errorf("%d loops with %d comparisons in constant time", loops, compared)
	}
	_, record := engine.NewAPIKey(time.Now(), nil)
	for what, hash := range api.ComparedHashes(record) {
		if len(hash) != 64 {
			t.Errorf("%s: a hash of %d bytes", what, len(hash))
		}
	}
}
