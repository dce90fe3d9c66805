package check

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/render"
	"bugle/engine/publicnet"
	"bugle/engine/schema"
)

// Resolver looks up TXT records: a [net.Resolver] is one.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// OnlineOptions are how [Online] reaches other servers. The zero value is ready for use.
type OnlineOptions struct {
	// Dial connects to a server. Nil connects to public addresses alone; whatever stands here has to refuse the others.
	Dial     func(ctx context.Context, network, address string) (net.Conn, error)
	Resolver Resolver    // nil: that of the system
	TLS      *tls.Config // nil: the certificates of the system
	// Selector is the DKIM selector of the connector; empty: DKIM is not checked.
	Selector string
	Progress func(done, of int) // may be nil; called from one goroutine at a time
}

// Bounds of what is asked online.
const (
	maxAsked     = 200              // addresses
	maxAtOnce    = 8                // at the same time
	maxPerHost   = 2                // of one host at the same time
	askTime      = 10 * time.Second // for one address
	onlineTime   = 2 * time.Minute  // for all of them
	maxHops      = 5
	maxImage     = 1 << 20 // bytes
	dnsTime      = 5 * time.Second
	agentOfCheck = "bugle-check/1 (+link check of a campaign before it is sent)"
)

// Online asks the servers of all links and images of a campaign whether they answer, and the DNS for how emails of the
// sender's domain are proved, and returns r with what it found. Links by which people unsubscribe are never followed,
// and private addresses never asked. It ends with the error of ctx where ctx ends; that a server does not answer is a
// finding.
func Online(ctx context.Context, c engine.Campaign, f Facts, o OnlineOptions, before Result) (Result, error) {
	r, err := newRun(ctx, c, f)
	if err != nil || r == nil {
		return before, err
	}
	within, cancel := context.WithTimeout(ctx, onlineTime)
	defer cancel()
	list, skipped := r.targets()
	if skipped > 0 {
		r.skip("link-broken", fmt.Sprintf("of %d more addresses only the first %d are asked", skipped, maxAsked))
	}
	answers := newAsker(o).all(within, list, o.Progress)
	if ctx.Err() != nil {
		return before, ctx.Err()
	}
	r.judgeAnswers(list, answers)
	if r.channel == catalog.Email {
		r.senderDomains(within, o)
	}
	if ctx.Err() != nil {
		return before, ctx.Err()
	}
	found := r.result()
	return Result{
		Findings:  sorted(append(before.Findings[:len(before.Findings):len(before.Findings)], found.Findings...)),
		Dismissed: append(before.Dismissed[:len(before.Dismissed):len(before.Dismissed)], found.Dismissed...),
		Skipped:   append(before.Skipped[:len(before.Skipped):len(before.Skipped)], found.Skipped...),
	}, nil
}

// target is an address to ask, and where it stands.
type target struct {
	url    string
	image  bool
	places []place
}

type place struct {
	at   doc.Path
	cell engine.TestKey
}

// targets returns the addresses of a campaign, each once.
func (r *run) targets() (list []*target, more int) {
	byURL := map[string]*target{}
	add := func(to string, image bool, at doc.Path, cell engine.TestKey) {
		u, err := url.Parse(to)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || schema.HasExpression(to) {
			return
		}
		u.Fragment = ""
		key := strconv.FormatBool(image) + u.String()
		t := byURL[key]
		if t == nil {
			if len(list) >= maxAsked {
				more++
				return
			}
			t = &target{url: u.String(), image: image}
			byURL[key], list = t, append(list, t)
		}
		if n := len(t.places); n == 0 || !t.places[n-1].at.Equal(at) {
			t.places = append(t.places, place{at, cell})
		}
	}
	for _, m := range r.messages {
		for _, l := range r.linksOf(m) {
			if !render.Unsubscribes(l.to) && !render.Unsubscribes(l.says) {
				add(l.to, false, l.at, m.TestKey)
			}
		}
		if m.page != nil {
			for _, i := range m.page.images {
				if !i.tracking {
					add(r.resolve(i.src), true, m.at(catalog.EmailHTML), m.TestKey)
				}
			}
			continue
		}
		for _, t := range m.texts {
			if n := r.schema.At(t.Path); n != nil && isImageField(n.Name) {
				add(r.resolve(t.Source), true, t.Path, m.TestKey)
			}
		}
	}
	return list, more
}

// answer is what a server said of an address.
type answer struct {
	status  int
	host    string // that answered, after redirects
	bytes   int64  // -1: not known
	private bool
	err     error
}

type asker struct {
	client *http.Client
	mu     sync.Mutex
	hosts  map[string]chan struct{}
}

func newAsker(o OnlineOptions) *asker {
	dial := o.Dial
	if dial == nil {
		d := publicnet.Dialer()
		d.Timeout = askTime
		dial = d.DialContext
	}
	return &asker{hosts: map[string]chan struct{}{}, client: &http.Client{
		Transport: &http.Transport{
			DialContext: dial, TLSClientConfig: o.TLS, Proxy: nil, DisableKeepAlives: true, // a proxy would connect anywhere
			TLSHandshakeTimeout: askTime, ResponseHeaderTimeout: askTime, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			switch {
			case len(via) > maxHops:
				return errHops
			case render.Unsubscribes(next.URL.String()), next.URL.Scheme != "http" && next.URL.Scheme != "https":
				return http.ErrUseLastResponse
			}
			return nil
		},
	}}
}

var errHops = errors.New("it redirects too often")

// all asks for every target, some at a time.
func (a *asker) all(ctx context.Context, list []*target, progress func(done, of int)) []answer {
	out := make([]answer, len(list))
	next := make(chan int)
	var wait sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range min(maxAtOnce, len(list)) {
		wait.Go(func() {
			for i := range next {
				out[i] = a.ask(ctx, list[i])
				mu.Lock()
				if done++; progress != nil {
					progress(done, len(list))
				}
				mu.Unlock()
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wait.Wait()
	return out
}

// host returns a place in the line of a host, which is to be left.
func (a *asker) host(ctx context.Context, name string) (leave func(), err error) {
	a.mu.Lock()
	line := a.hosts[name]
	if line == nil {
		line = make(chan struct{}, maxPerHost)
		a.hosts[name] = line
	}
	a.mu.Unlock()
	select {
	case line <- struct{}{}:
		return func() { <-line }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ask asks for the head of an address; where the server does not like that, or does not tell the size of an image, for
// its first bytes.
func (a *asker) ask(ctx context.Context, t *target) answer {
	u, err := url.Parse(t.url)
	if err != nil {
		return answer{err: err}
	}
	leave, err := a.host(ctx, u.Host)
	if err != nil {
		return answer{err: err}
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	out := a.request(ctx, http.MethodHead, t)
	if out.err == nil && out.status < 400 && (!t.image || out.bytes >= 0) || out.private {
		return out
	}
	return a.request(ctx, http.MethodGet, t)
}

func (a *asker) request(ctx context.Context, method string, t *target) answer {
	req, err := http.NewRequestWithContext(ctx, method, t.url, nil)
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("User-Agent", agentOfCheck)
	if method == http.MethodGet {
		req.Header.Set("Range", "bytes=0-1023")
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return answer{err: err, private: errors.Is(err, publicnet.ErrPrivate)}
	}
	defer resp.Body.Close()
	out := answer{status: resp.StatusCode, host: resp.Request.URL.Hostname(), bytes: resp.ContentLength}
	if method == http.MethodGet {
		out.bytes = sizeOf(resp, t.image)
	}
	return out
}

// sizeOf returns the size of a response: what its range says, its length, or what comes, up to the size that matters.
func sizeOf(resp *http.Response, read bool) int64 {
	if _, all, ok := strings.Cut(resp.Header.Get("Content-Range"), "/"); ok {
		if n, err := strconv.ParseInt(all, 10, 64); err == nil {
			return n
		}
	}
	if resp.StatusCode == http.StatusPartialContent {
		return -1
	}
	if resp.ContentLength >= 0 || !read {
		return resp.ContentLength
	}
	n, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxImage+1))
	if err != nil {
		return -1
	}
	return n
}

// judgeAnswers turns answers into findings, those of one place together.
func (r *run) judgeAnswers(list []*target, answers []answer) {
	type group struct {
		id string
		place
		says []string
	}
	var groups []*group
	add := func(id string, t *target, says string) {
	places:
		for _, p := range t.places {
			for _, g := range groups {
				if g.id == id && g.at.Equal(p.at) {
					g.says = appendNew(g.says, says)
					continue places
				}
			}
			groups = append(groups, &group{id, p, []string{says}})
		}
	}
	for i, t := range list {
		a, what := answers[i], quote(t.url)
		broken := "link-broken"
		if t.image {
			broken = "image-broken"
		}
		u, _ := url.Parse(t.url)
		switch {
		case a.private:
			add(broken, t, what+" has an address that is not public")
		case a.err != nil:
			add(broken, t, what+": "+reason(a.err))
		case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden || a.status == http.StatusTooManyRequests || a.status == http.StatusMethodNotAllowed:
			r.skip(broken, what+" may not be shown to programs (status "+strconv.Itoa(a.status)+")")
		case a.status >= 400:
			add(broken, t, fmt.Sprintf("%s answers with status %d", what, a.status))
		case !t.image && a.host != "" && !related(strings.ToLower(a.host), strings.ToLower(u.Hostname())):
			add("link-redirects", t, what+" leads to "+a.host)
		case t.image && a.bytes > maxImage:
			add("image-heavy", t, fmt.Sprintf("%s has %.1f MB", quote(fileOf(t.url)), float64(a.bytes)/(1<<20)))
		}
	}
	for _, g := range groups {
		r.find(g.id, g.at, g.cell, "%s", some(g.says))
	}
}

// reason says why there was no answer, without what a network looks like.
func reason(err error) string {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, errHops):
		return errHops.Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no such host"
	case errors.As(err, &certificate):
		return "its certificate is not valid"
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	}
	return "no answer"
}

// senderDomains looks at the DNS records by which mailbox providers know who may send for a domain.
func (r *run) senderDomains(ctx context.Context, o OnlineOptions) {
	resolver := o.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	seen := map[string]bool{}
	for _, m := range r.messages {
		domain := domainOf(r.resolve(m.text(catalog.EmailFrom)))
		if domain == "" || seen[domain] || len(seen) >= 10 || ctx.Err() != nil {
			continue
		}
		seen[domain] = true
		at := m.at(catalog.EmailFrom)
		look := func(id, name, begins, what string) {
			ok, err := record(ctx, resolver, name, begins)
			switch {
			case err != nil:
				r.skip(id, "the DNS did not answer for "+name)
			case !ok:
				r.find(id, at, m.TestKey, "%s has no %s record", name, what)
			}
		}
		look("spf-missing", domain, "v=spf1", "SPF")
		if o.Selector == "" {
			r.skip("dkim-missing", "the DKIM selector of the connector is not known")
		} else {
			look("dkim-missing", o.Selector+"._domainkey."+domain, "", "DKIM")
		}
		name := "_dmarc." + domain
		if ok, err := record(ctx, resolver, name, "v=DMARC1"); err == nil && !ok && lastTwo(domain) != domain {
			name = "_dmarc." + lastTwo(domain) // the one of the organization counts for the hosts below it
		}
		look("dmarc-missing", name, "v=DMARC1", "DMARC")
	}
}

// record reports whether a name has a TXT record that begins so.
func record(ctx context.Context, resolver Resolver, name, begins string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, dnsTime)
	defer cancel()
	list, err := resolver.LookupTXT(ctx, name)
	var none *net.DNSError
	if errors.As(err, &none) && none.IsNotFound {
		return false, nil
	}
	for _, s := range list {
		s = strings.TrimSpace(s)
		if begins == "" && (strings.Contains(s, "p=") || strings.HasPrefix(s, "v=DKIM1")) || begins != "" && strings.HasPrefix(s, begins) {
			return true, nil
		}
	}
	return false, err
}
