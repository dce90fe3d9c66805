package pgtest

import (
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy is the network between a process and its database. It can stall, cut and refuse connections.
type Proxy struct {
	listener net.Listener
	to       string
	refuse   atomic.Bool
	flow     sync.RWMutex // locked while connections are stalled
	stalled  bool

	mu    sync.Mutex
	conns []net.Conn
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
	p = &Proxy{listener: l, to: u.Host}
	accepts := make(chan struct{})
	go func() { p.accept(); close(accepts) }()
	t.Cleanup(func() {
		l.Close()
		<-accepts
		p.Stall(false)
		p.Cut()
		p.work.Wait()
	})
	u.Host = l.Addr().String()
	return p, u.String()
}

// Stall has connections carry nothing while on.
func (p *Proxy) Stall(on bool) {
	switch {
	case on && !p.stalled:
		p.flow.Lock()
	case !on && p.stalled:
		p.flow.Unlock()
	}
	p.stalled = on
}

// Refuse has connections refused while on.
func (p *Proxy) Refuse(on bool) { p.refuse.Store(on) }

// Cut ends all connections, in the middle of whatever they carry.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
	p.conns = nil
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		d, err := net.Dial("tcp", p.to)
		if err != nil || p.refuse.Load() {
			c.Close()
			if err == nil {
				d.Close()
			}
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, c, d)
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
		p.flow.RLock() // waits while stalled
		//lint:ignore SA2001 nothing is done meanwhile
		p.flow.RUnlock()
		if _, failed := to.Write(buf[:n]); failed != nil || err != nil {
			return
		}
	}
}
