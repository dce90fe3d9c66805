package api_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"bugle/engine/service/api"
)

const health = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

// wire is a connection of a client that says each byte itself.
type wire struct {
	*testing.T
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, addr string) *wire {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &wire{t, c, bufio.NewReader(c)}
}

func (w *wire) say(text string) {
	w.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		w.Fatal(err)
	}
}

// hear reads an answer and returns its status and body, 0 where the connection was closed instead.
func (w *wire) hear() (int, string) {
	w.Helper()
	res, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(body)
}

// closed waits until the server closes the connection.
func (w *wire) closed() bool {
	_, err := w.in.ReadByte()
	timeout, ok := err.(net.Error)
	return err != nil && !(ok && timeout.Timeout())
}

// Connections that do nothing, however many there are, shut nobody out: the one that has been idle
// longest is closed for each that comes.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	cert, key, secure := certificate(t)
	for name, tr := range map[string]api.Transport{"plain": {}, "TLS": {CertFile: cert, KeyFile: key}} {
		t.Run(name, func(t *testing.T) {
			const most = 8
			addr, stop, ended := serve(t, newBench(t), tr, api.ServeOptions{Connections: most})
			client, url := &http.Client{Transport: &http.Transport{}}, "http://"+addr+"/healthz"
			if tr.CertFile != "" {
				client, url = secure, "https://"+addr+"/healthz"
			}
			var idle []*wire
			for range 5 * most {
				idle = append(idle, dial(t, addr))
				if len(idle)%most == 0 {
					res, err := client.Get(url)
					if err != nil {
						t.Fatal(err)
					}
					res.Body.Close()
					client.CloseIdleConnections()
				}
			}
			for i, w := range idle[:4*most] {
				if !w.closed() {
					t.Errorf("connection %d is still open", i)
				}
			}
			for _, w := range idle {
				w.Close() // net/http waits for those that have said nothing yet
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// A connection that is at work stays, and one more is told that the server is busy. When the work is
// done, there is room again.
func TestBusyConnectionsStay(t *testing.T) {
	const most = 3
	h := held{make(chan struct{}), make(chan struct{})}
	addr, _, _ := serve(t, h, api.Transport{}, api.ServeOptions{Connections: most})
	var working []*wire
	for range most {
		w := dial(t, addr)
		w.say(health)
		<-h.started
		working = append(working, w)
	}
	late := dial(t, addr)
	if status, body := late.hear(); status != 503 || !strings.Contains(body, "INTERNAL_ERROR") || !late.closed() {
		t.Errorf("one too many: %d %s", status, body)
	}
	close(h.release)
	for _, w := range working {
		if status, body := w.hear(); status != 200 || body != "done" {
			t.Errorf("at work: %d %q", status, body)
		}
	}
	again := dial(t, addr)
	again.say(health)
	<-h.started
	if status, _ := again.hear(); status != 200 {
		t.Errorf("afterwards: %d", status)
	}
	gone := make(chan bool, most)
	for _, w := range working {
		go func() { gone <- w.closed() }()
	}
	if !<-gone {
		t.Error("no idle connection made room")
	}
}

// A request with a length and an encoding is refused wherever it stands, and the connection closed; what
// looks like one in a body, or in several pieces, is not taken for one.
func TestLengthAndEncoding(t *testing.T) {
	addr, _, _ := serve(t, newBench(t), api.Transport{}, api.ServeOptions{})
	cert, key, client := certificate(t)
	secure, _, _ := serve(t, newBench(t), api.Transport{CertFile: cert, KeyFile: key}, api.ServeOptions{})
	const (
		search  = "POST /v5/campaigns/search HTTP/1.1\r\nHost: x\r\nX-SVC-Request-Id: r\r\n" + good
		ask     = `{"limit":1,"page":1}`
		chunked = "Transfer-Encoding: chunked\r\n"
		chunks  = "\r\n14\r\n" + ask + "\r\n0\r\n\r\n"
	)
	whole := search + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(ask), ask)
	decoy := `{"a":"` + "\\r\\n" + `"}` + "\r\n\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
	hidden := search + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(decoy), decoy)
	for name, tt := range map[string]struct {
		text string
		want []int // and then the connection is closed
	}{
		"length first":           {search + "Content-Length: 20\r\n" + chunked + chunks + health, []int{400}},
		"encoding first":         {search + chunked + "Content-Length: 20\r\n" + chunks + health, []int{400}},
		"a length of nothing":    {search + chunked + "Content-Length: 0\r\n" + chunks + health, []int{400}},
		"in odd letters":         {search + "tRANSFER-eNCODING: chunked\r\ncontent-LENGTH:20\r\n" + chunks + health, []int{400}},
		"far away":               {search + "Content-Length: 20\r\nX-Long: " + strings.Repeat("x", 9000) + "\r\n" + chunked + chunks + health, []int{400}},
		"a long length":          {search + "Content-Length: " + strings.Repeat(" ", 400) + "20\r\n" + chunked + chunks + health, []int{400}},
		"a line that goes on":    {search + "Content-Length:\r\n 20\r\n" + chunked + chunks + health, []int{400}},
		"bare line feeds":        {strings.ReplaceAll(search+"Content-Length: 20\r\n"+chunked, "\r\n", "\n") + chunks + health, []int{400}},
		"behind others":          {whole + health + whole + search + "Content-Length: 20\r\n" + chunked + chunks + health, []int{200, 200, 200, 400}},
		"HTTP/1.0":               {strings.Replace(search, "1.1", "1.0", 1) + "Connection: keep-alive\r\nContent-Length: 20\r\n" + chunked + "\r\n" + ask + health, []int{400}},
		"behind OPTIONS *":       {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n" + search + chunked + chunks + health, []int{404, 200}},
		"an encoding alone":      {search + chunked + chunks + health, []int{200}},
		"a body that looks so":   {hidden + search + chunked + chunks + health, []int{400, 200}},
		"another line goes on":   {search + "X-A: b\r\n c\r\nContent-Length: 20\r\n\r\n" + ask + search + chunked + chunks + health, []int{200, 200}},
		"a last line goes on":    {search + "Content-Length: 20\r\nX-A: b\r\n c\r\n\r\n" + ask + search + chunked + chunks, []int{200}},
		"empty lines in between": {whole + "\r\n\r\n" + search + chunked + chunks + health, []int{200, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pieces := range []int{len(tt.text), 7, 0} {
				w := dial(t, addr)
				if pieces == 0 { // over TLS
					w = dial(t, secure)
					trust := client.Transport.(*http.Transport).TLSClientConfig.RootCAs
					c := tls.Client(w.Conn, &tls.Config{RootCAs: trust, ServerName: "127.0.0.1"}) // without HTTP/2
					pieces = len(tt.text)
					w.Conn, w.in = c, bufio.NewReader(c)
				}
				go func() {
					for rest := tt.text; rest != ""; {
						n := min(pieces, len(rest))
						if _, err := io.WriteString(w, rest[:n]); err != nil {
							return // the server has closed
						}
						rest = rest[n:]
					}
				}()
				var got []int
				for status, body := w.hear(); status != 0; status, body = w.hear() {
					got = append(got, status)
					if status == 400 && !strings.Contains(body, `"error":{"code":"BAD_REQUEST"`) {
						t.Errorf("%s", body)
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Errorf("in pieces of %d: %v, want %v", pieces, got, tt.want)
				}
			}
		})
	}
}
