package pgtest

import (
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy is the network between a process and its database. It can stall, cut and refuse connections.
type Proxy struct {
	listener net.Listener
	to       string
	stalled  atomic.Bool
	closed   atomic.Bool // it takes no connection

	mu    sync.Mutex
	ended bool
	conns map[net.Conn]struct{}
	work  sync.WaitGroup
}

// NewProxy returns a proxy to the server in a URL, and the URL through it. It ends with the test.
func NewProxy(t testing.TB, direct string) (p *Proxy, through string) {
	t.Helper()
	u, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p = &Proxy{listener: l, to: u.Host, conns: map[net.Conn]struct{}{}}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
		p.Cut()
		p.work.Wait()
	})
	u.Host = l.Addr().String()
	return p, u.String()
}

// Stall has connections carry nothing while on.
func (p *Proxy) Stall(on bool) { p.stalled.Store(on) }

// Refuse has connections refused while on.
func (p *Proxy) Refuse(on bool) { p.closed.Store(on) }

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.closed.Load() {
			c.Close()
			continue
		}
		d, err := net.Dial("tcp", p.to)
		if err != nil {
			c.Close()
			continue
		}
		p.mu.Lock()
		if p.ended { // nobody would cut it
			c.Close()
			d.Close()
		}
		p.conns[c], p.conns[d] = struct{}{}, struct{}{}
		p.mu.Unlock()
		p.work.Go(func() { p.carry(c, d) })
		p.work.Go(func() { p.carry(d, c) })
	}
}

func (p *Proxy) carry(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		tick := time.NewTicker(time.Millisecond)
		for p.stalled.Load() && err == nil {
			<-tick.C
			p.mu.Lock()
			_, open := p.conns[from]
			p.mu.Unlock()
			if !open {
				tick.Stop()
				return
			}
		}
		tick.Stop()
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Cut ends all connections, in the middle of whatever they carry.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetLinger(0)
		}
		c.Close()
	}
	clear(p.conns)
}
