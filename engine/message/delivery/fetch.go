package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"bugle/engine/publicnet"
)

const (
	maxAttachment = 10 << 20
	maxRedirects  = 3
	fetchTimeout  = 20 * time.Second
)

// Fetcher downloads attachments, and other files that a message names. The zero value is ready for use, and it is safe for concurrent use.
//
// The author of a campaign chooses the URLs, and the response is sent by email. Therefore addresses in
// private networks are refused, checked when dialing, and no proxy is used.
type Fetcher struct {
	What         string        // what errors call the file; empty is "attachment"
	AllowPrivate bool          // allow private, loopback and link-local addresses
	MaxBytes     int64         // 0 is 10 MiB
	Timeout      time.Duration // 0 is 20 seconds; includes redirects and the body
}

// ErrPrivate reports that an address is not public.
var ErrPrivate = publicnet.ErrPrivate

// Fetch downloads one attachment. Its name comes from Content-Disposition or else from the URL's path. If
// there is no response, the error's message is the same for all causes and takes about as long; its Err has
// the cause.
func (f *Fetcher) Fetch(ctx context.Context, rawURL string) (Attachment, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return Attachment{}, refuse("the %s %s is not an http or https address", f.what(), displayURL(rawURL))
	}
	timeout := f.Timeout
	if timeout == 0 {
		timeout = fetchTimeout
	}
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	a, err := f.fetch(limited, u)
	if err == nil {
		return a, nil
	}
	var none *noResponse
	if errors.As(err, &none) {
		_ = publicnet.PadDelay(ctx, start, timeout) // whose end is looked at next
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return Attachment{}, fmt.Errorf("fetching the %s %s: %w", f.what(), displayURL(rawURL), ctxErr)
	}
	return Attachment{}, f.explain(rawURL, timeout, err)
}

// noResponse wraps the cause of a missing response.
type noResponse struct{ err error }

func (u *noResponse) Error() string { return u.err.Error() }
func (u *noResponse) Unwrap() error { return u.err }

func (f *Fetcher) what() string { return cmp.Or(f.What, "attachment") }

// explain returns what a download failed with.
func (f *Fetcher) explain(rawURL string, timeout time.Duration, err error) error {
	var own *Error
	if errors.As(err, &own) {
		own.Message = "the " + f.what() + " " + displayURL(rawURL) + " " + own.Message
		return own
	}
	e := &Error{Reason: Unreachable, Temporary: true, Err: err}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		e.Err = wrapped.Err // without the query, where keys may be
	}
	var none *noResponse
	switch {
	case errors.As(err, &none):
		e.Message = fmt.Sprintf("the %s %s cannot be fetched: its address %s", f.what(), displayURL(rawURL), publicnet.NoResponse)
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = fmt.Sprintf("the %s %s took longer than %s", f.what(), displayURL(rawURL), timeout)
	default:
		e.Message = fmt.Sprintf("the %s %s cannot be fetched: %s", f.what(), displayURL(rawURL), RootCause(err))
	}
	return e
}

func (f *Fetcher) fetch(ctx context.Context, u *url.URL) (Attachment, error) {
	client := &http.Client{Transport: f.transport(), CheckRedirect: checkRedirect}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Attachment{}, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return Attachment{}, &noResponse{err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Attachment{}, &Error{Reason: Refused, Temporary: resp.StatusCode >= 500, Message: "cannot be fetched: the server answered " + resp.Status}
	}
	limit := f.MaxBytes
	if limit == 0 {
		limit = maxAttachment
	}
	tooLarge := &Error{Reason: Invalid, Message: fmt.Sprintf("is larger than %s", bytesText(limit))}
	if resp.ContentLength > limit {
		return Attachment{}, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return Attachment{}, err
	}
	if int64(len(data)) > limit {
		return Attachment{}, tooLarge
	}
	if len(data) == 0 {
		return Attachment{}, &Error{Reason: Refused, Message: "is empty; check the address"}
	}
	if err := checkPage(u, resp, data); err != nil {
		return Attachment{}, err
	}
	return Attachment{Name: fileName(resp), ContentType: contentType(resp, data), Data: data}, nil
}

// checkPage refuses a web page in place of a file: servers respond with one to ask for a login, or for a file that they
// don't have. A page that is meant says so in its address or its Content-Disposition. Without a type, what begins with a
// comment is not a page for that: drawings do, too.
func checkPage(u *url.URL, resp *http.Response, data []byte) error {
	kind, _, _ := mime.ParseMediaType(contentType(resp, data))
	isPage := kind == "text/html" || kind == "application/xhtml+xml"
	if _, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil { // the type was guessed
		begin := strings.ToLower(string(data[:min(len(data), 512)]))
		isPage = isPage && (strings.Contains(begin, "<!doctype html") || strings.Contains(begin, "<html"))
	}
	disposition, params, _ := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
	meant := func(name string) bool {
		return slices.Contains([]string{".html", ".htm", ".xhtml"}, strings.ToLower(path.Ext(name)))
	}
	if !isPage || disposition == "attachment" || meant(u.Path) || meant(params["filename"]) {
		return nil
	}
	what := "is"
	if to := resp.Request.URL.String(); to != u.String() {
		what = "redirects to " + displayURL(to) + ", which is"
	}
	return &Error{Reason: Refused, Message: what + " a web page and not a file; use an address that works without logging in, or one that ends in .html for a page"}
}

func (f *Fetcher) transport() *http.Transport {
	dialer := &net.Dialer{}
	if !f.AllowPrivate {
		// Here the name is resolved: a name that changes its address between a
		// check and the connection finds no gap.
		dialer.Control = PublicOnly
	}
	return &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true, DisableCompression: true}
}

// PublicOnly is a [net.Dialer].Control that returns [ErrPrivate] for every address in a private network.
func PublicOnly(network, address string, c syscall.RawConn) error {
	return publicnet.Control(network, address, c)
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return &Error{Reason: Refused, Message: fmt.Sprintf("redirected more than %d times", maxRedirects)}
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return &Error{Reason: Refused, Message: "redirects to something that is not an http or https address"}
	}
	req.Header.Del("Referer") // the query of the first address may hold a key
	return nil
}

func fileName(resp *http.Response) string {
	if _, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition")); err == nil {
		if name := cleanName(params["filename"]); name != "" {
			return name
		}
	}
	if name := cleanName(path.Base(resp.Request.URL.Path)); name != "" {
		return name
	}
	return "attachment"
}

// cleanName returns the last part of a path without characters that are problematic in headers or file names.
func cleanName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == '"' {
			return -1
		}
		return c
	}, name)
	if name == "." || name == "/" || name == ".." {
		return ""
	}
	return name
}

func contentType(resp *http.Response, data []byte) string {
	if t := resp.Header.Get("Content-Type"); t != "" {
		if _, _, err := mime.ParseMediaType(t); err == nil {
			return t
		}
	}
	return http.DetectContentType(data)
}

// displayURL returns a URL for an error: short, on one line, and without the query, which may contain keys
// and signatures.
func displayURL(rawURL string) string {
	s, _, _ := strings.Cut(rawURL, "?")
	if u, err := url.Parse(s); err == nil {
		s = u.Redacted()
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 100 {
		s = strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}

func bytesText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
