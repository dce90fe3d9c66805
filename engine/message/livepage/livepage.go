// Package livepage serves a message as a page for the browsers of this machine, which follows the message while it is
// edited: at the width of a desktop and of a phone, in light and in dark colors.
//
// The page is on a loopback address, below a path that cannot be guessed. The message is isolated from it: it runs no
// scripts, has an origin of its own, and loads nothing from other servers until the reader asks for remote images.
package livepage

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"bugle/engine/message/render"
)

// Message is what the page shows.
type Message struct {
	Title  string // of the campaign
	Cell   string // the locale and variation
	Person string // whose data fills the message; may be empty

	Mail *render.Mail // nil if it is a push notification
	HTML string       // the body of the email, as it goes out
	Note string       // shown in place of a body, if there is none

	Push []*render.Notification
}

// Source makes the message. It may take time, and is called at most once at a time; ctx ends with the server.
type Source func(ctx context.Context) (Message, error)

// Server serves the page of one message. It is safe for concurrent use, and must be closed.
type Server struct {
	url, host, token string
	http             *http.Server
	ctx              context.Context // ends with the server
	cancel           context.CancelFunc
	served           chan struct{} // closed when the server has ended

	mu      sync.Mutex
	current *version
	changed chan struct{} // closed when current changes
	dir     string        // of the file that leads to the page; empty until Open
}

// version is a message as it was at one time.
type version struct {
	number int
	once   sync.Once
	source Source
	body   []byte // the message as a page; see [Server.page]
	head   []byte // what stands above it, as JSON
	err    error
}

// Start starts a server on a loopback address. The page is made when a browser asks for it.
func Start(source Source) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot serve the page on this machine: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		host: l.Addr().String(), token: rand.Text(), ctx: ctx, cancel: cancel, served: make(chan struct{}),
		current: &version{number: 1, source: source}, changed: make(chan struct{}),
	}
	s.url = "http://" + s.host + "/" + s.token + "/"
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l) // ends with Close
	}()
	return s, nil
}

// URL returns the address of the page.
func (s *Server) URL() string { return s.url }

// Open opens the page in the user's browser with start, such as [OpenBrowser]. That gets the name of a private file,
// which leads to the page, because other users of this machine can see the arguments of a program. Close removes the file.
func (s *Server) Open(ctx context.Context, start func(ctx context.Context, file string) error) error {
	file, err := s.lead()
	if err != nil {
		return fmt.Errorf("the file for the browser cannot be written: %w", err)
	}
	return start(ctx, file)
}

// lead writes the file that leads to the page.
func (s *Server) lead() (file string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return "", errors.New("the page has ended meanwhile")
	}
	if s.dir == "" {
		if s.dir, err = makeFolder(); err != nil {
			return "", err
		}
	}
	file = filepath.Join(s.dir, "message.html")
	url := html.EscapeString(s.url)
	return file, os.WriteFile(file, []byte(`<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">`+
		`<meta http-equiv="refresh" content="0;url=`+url+`"><title>bugle</title><a href="`+url+`">Open the message</a>`+"\n"), 0o600)
}

// Show replaces the message. Open pages follow.
func (s *Server) Show(source Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = &version{number: s.current.number + 1, source: source}
	close(s.changed)
	s.changed = make(chan struct{})
}

// closeTime is how long Close lets answers finish.
const closeTime = time.Second

// Close tells open pages that the end has come, and ends the server.
func (s *Server) Close() error {
	s.cancel()
	s.mu.Lock()
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // it leads nowhere any more
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.served
	return err
}

// latest returns the version to show, and a channel that is closed when there is a newer one.
func (s *Server) latest() (*version, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current, s.changed
}

//go:embed page.html page.js page.css
var files embed.FS

const (
	// pagePolicy lets the page load its own files, and show the message in frames.
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	// messagePolicy gives the message an origin of its own, and no scripts. Links open in new tabs.
	messagePolicy = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src %s; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

	ownImages    = "data:"
	remoteImages = "data: http: https:"
)

// ServeHTTP answers requests of pages on this machine.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-DNS-Prefetch-Control": "off",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": pagePolicy,
	} {
		h.Set(name, value)
	}
	token, name, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case r.Host != s.host: // the name of another site, which was made to point here
		http.Error(w, "This server has another name.", http.StatusMisdirectedRequest)
		return
	case !found || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET is allowed.", http.StatusMethodNotAllowed)
		return
	}
	switch name {
	case "":
		s.file(w, "page.html", "text/html; charset=utf-8")
	case "page.js":
		s.file(w, name, "text/javascript; charset=utf-8")
	case "page.css":
		s.file(w, name, "text/css; charset=utf-8")
	case "head":
		s.head(w)
	case "message":
		s.message(w, r)
	case "events":
		s.events(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) file(w http.ResponseWriter, name, kind string) {
	b, err := files.ReadFile(name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(b) // the browser has left
}

// made returns the newest version, made.
func (s *Server) made(w http.ResponseWriter) (*version, bool) {
	v, _ := s.latest()
	v.once.Do(func() { v.make(s.ctx) })
	if v.err != nil {
		http.Error(w, "The message cannot be shown: "+v.err.Error()+".", http.StatusServiceUnavailable)
		return nil, false
	}
	return v, true
}

// head answers with what stands above the message.
func (s *Server) head(w http.ResponseWriter) {
	if v, ok := s.made(w); ok {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(v.head) // the browser has left
	}
}

// message answers with the message itself.
func (s *Server) message(w http.ResponseWriter, r *http.Request) {
	images := ownImages
	if r.URL.Query().Get("images") == "remote" {
		images = remoteImages
	}
	w.Header().Set("Content-Security-Policy", fmt.Sprintf(messagePolicy, images))
	if v, ok := s.made(w); ok {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(v.body) // the browser has left
	}
}

// events tells the page of every newer version, until the end.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		v, changed := s.latest()
		if _, err := fmt.Fprintf(w, "data: %d\n\n", v.number); err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			_, _ = fmt.Fprint(w, "event: end\ndata: end\n\n") // the browser has left
			_ = out.Flush()
			return
		case <-r.Context().Done():
			return
		}
	}
}

// headData is what stands above the message.
type headData struct {
	Version int    `json:"version"`
	Title   string `json:"title"`
	Cell    string `json:"cell"`
	Person  string `json:"person"`
	Email   bool   `json:"email"`
	Subject string `json:"subject"`
	Sender  string `json:"sender"`
	Preview string `json:"preview"`
}

// make makes the pages of the version.
func (v *version) make(ctx context.Context) {
	m, err := v.source(ctx)
	if err != nil {
		v.err = err
		return
	}
	h := headData{Version: v.number, Title: m.Title, Cell: m.Cell, Person: m.Person}
	if m.Mail != nil {
		h.Email, h.Subject, h.Preview = true, m.Mail.Subject.String(), m.Mail.Preview.String()
		h.Sender = m.Mail.Sender.String()
		if from := m.Mail.From.String(); from != h.Sender {
			h.Sender += " <" + from + ">"
		}
	}
	if v.head, v.err = json.Marshal(h); v.err != nil {
		return
	}
	if m.HTML != "" {
		body, err := isolate(m.HTML)
		v.body, v.err = []byte(body), err
		return
	}
	v.body, v.err = notifications(m)
}
