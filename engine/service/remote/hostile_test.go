package remote_test

import (
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/service/remote"
)

// Whatever Retry-After says, a call waits as long as it may, or not at all.
func TestOddRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		status int
		header string
		least  time.Duration // how long it waits before it is sent again; 0: it is not
		most   time.Duration
	}{
		{429, "", 125 * time.Millisecond, 250 * time.Millisecond},
		{429, "soon", 125 * time.Millisecond, 250 * time.Millisecond},
		{429, "-7", 125 * time.Millisecond, 250 * time.Millisecond},
		{429, "NaN", 125 * time.Millisecond, 250 * time.Millisecond},
		{429, "Fri, 01 Jan 1999 15:04:05 GMT", 125 * time.Millisecond, 250 * time.Millisecond},
		{429, " 3 ", 3 * time.Second, 3 * time.Second},
		{429, "2.5", 3 * time.Second, 3 * time.Second},
		{503, "20", 20 * time.Second, 20 * time.Second},
		{503, "", 125 * time.Millisecond, 250 * time.Millisecond},
		{429, "9223372036.854775807", 0, 0},
		{429, "99999999999999999999", 0, 0},
		{429, "1" + strings.Repeat("0", 400), 0, 0},
		{429, "Fri, 31 Dec 9999 23:59:59 GMT", 0, 0},
		{503, "86400", 0, 0},
	} {
		// As the first answer, and after a wait of a second.
		for _, before := range []int{0, 1} {
			synctest.Test(t, func(t *testing.T) {
				answers := []func() (*http.Response, error){says(429, ``, "Retry-After", "1"), says(tt.status, ``, "Retry-After", tt.header), says(201, created)}
				s, way := scripted(t, remote.Config{MaxWait: time.Minute}, answers[1-before:]...)
				start := time.Now()
				_, err := s.Create(t.Context(), draft(t))
				took := time.Since(start) - time.Duration(before)*time.Second
				if tt.most > 0 && before == 1 { // the second repeat waits for up to half a second
					tt.most = max(tt.most, 500*time.Millisecond)
				}
				if (err == nil) != (tt.least > 0) || took < tt.least || took > tt.most {
					t.Errorf("%d with %.40q: %v after %s and %d requests", tt.status, tt.header, err, took, len(way.got))
				}
			})
		}
	}
}

// A service that repeats the API key, in whatever spelling, cannot bring it into an error, the log or
// an exchange.
func TestTheKeyIsNeverRepeated(t *testing.T) {
	const key = `k"3y<é`
	basic := base64.StdEncoding.EncodeToString([]byte(workspace + ":" + key))
	escaped := `k\"3y\u003c\u00e9`
	for _, answer := range []func() (*http.Response, error){
		says(401, `{"error":{"code":"UNAUTHORIZED","message":"wrong key `+escaped+`","target":"`+escaped+`","request_id":"`+basic+`","details":[{"target":"`+escaped+`","message":"Basic `+basic+`"}]}}`),
		says(400, `{"k\"3y<é":"`+escaped+`"}`),
		says(200, `{"data":{"id":"x","note":"`+escaped+` and `+basic+`"}}`),
		says(400, `not JSON, `+key, "Content-Type", "text/plain"),
		says(200, `{"data":"`+key),
		breaks(errors.New("malformed HTTP response " + basic)),
		breaks(fmt.Errorf("proxy said %s: %w", key, errReset)),
	} {
		var log strings.Builder
		var seen strings.Builder
		s, _ := scripted(t, remote.Config{
			Key: fixedKey(key), Retries: -1, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Observe: func(x remote.Exchange) {
				fmt.Fprintf(&seen, "%+v %s %s %v", x, x.Request, x.Response, x.Err)
			},
		}, answer)
		_, err := s.Get(t.Context(), "x")
		all := fmt.Sprint(err, log.String(), seen.String())
		for _, secret := range []string{key, escaped, basic, `k\"3y<é`} {
			if strings.Contains(all, secret) {
				t.Errorf("%s is in %s", secret, all)
			}
		}
		if seen.Len() == 0 || log.Len() == 0 {
			t.Error("nothing was seen")
		}
	}
	// What is read from a campaign is another matter: it is what it is.
	s, _ := scripted(t, remote.Config{Key: fixedKey(key)}, says(200, `{"data":{"id":"x","note":"`+escaped+`"}}`))
	if c, err := s.Get(t.Context(), "x"); err != nil || c.Body.Get("note").Text() != key {
		t.Errorf("%s, %v", c.Body.Encode(), err)
	}
}

// A refusal is a text for people, whatever came.
func TestRefusalsAreShort(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"target":"a","message":"no"},`, 5000), ",")
	s, _ := scripted(t, remote.Config{}, says(400, `{"error":{"message":"red \u001b[31m`+strings.Repeat("é", 1<<20)+`","details":[`+many+`]}}`))
	_, err := s.Get(t.Context(), "x")
	e := engine.AsError(err)
	if e == nil || len(e.Message) > 9000 || strings.Contains(e.Message, "\x1b") || len(e.Details) != 1001 || e.Details[1000].Message != "and 4000 more" {
		t.Errorf("a refusal of %d bytes and %d details", len(e.Message), len(e.Details))
	}
}

// Answers that are meant to harm, over a real connection.
func TestHostileAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"packed without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.Copy(z, io.LimitReader(endless{}, 64<<20))
			_ = z.Close()
		}, "larger than 32 MiB"},
		"nested without end": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":`+strings.Repeat("[", 1<<20))
		}, "check the base_url"},
		"a header without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 16<<20))
		}, "exceeded"},
		"a body that is shorter than it says": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"data":{"id":"x"}}`)
		}, "cut short"},
		"no HTTP": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "SSH-2.0-x\r\n")
				conn.Close()
			}
		}, "malformed HTTP"},
		"nothing": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "no response"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tt.answer)
			defer server.Close()
			s := open(t, remote.Config{BaseURL: server.URL, Key: fixedKey("s3cret-key"), Retries: -1})
			_, err := s.Get(t.Context(), "x")
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 1000 {
				t.Errorf("%v, want %q in it", err, tt.want)
			}
		})
	}
}

// A certificate that is not known is no service: nothing is sent to it, and it is asked once.
func TestUnknownCertificate(t *testing.T) {
	asked := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			asked++
		}
	}
	server.StartTLS()
	s := open(t, remote.Config{BaseURL: server.URL, Key: fixedKey("s3cret-key")})
	_, err := s.Create(t.Context(), draft(t))
	server.Close()
	var e *remote.NoResponseError
	if !errors.As(err, &e) || e.Write || e.Attempts != 1 || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}
