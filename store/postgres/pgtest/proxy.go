package pgtest

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// State is what a [Proxy] does with connections.
type State string

// The states. In each of them, the connections of before are cut, but for those that are stalled.
const (
	Open    State = "open"
	Stalled State = "stalled" // they carry nothing
	Closed  State = "closed"  // they are refused
)

// Proxy is the network between a process and its database.
type Proxy struct {
	listener net.Listener
	to       string
	work     sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond
	state   State
	conns   []net.Conn
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
	p = &Proxy{listener: l, to: u.Host, state: Open}
	p.changed = sync.NewCond(&p.mu)
	p.work.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.Set(Closed)
		p.work.Wait()
	})
	u.Host = l.Addr().String()
	return p, u.String()
}

// Set changes the state.
func (p *Proxy) Set(s State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = s
	p.changed.Broadcast()
	if s == Stalled {
		return
	}
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
		if err != nil {
			c.Close()
			continue
		}
		p.mu.Lock()
		if p.state == Closed {
			c.Close()
			d.Close()
		}
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
		p.mu.Lock()
		for p.state == Stalled {
			p.changed.Wait()
		}
		p.mu.Unlock()
		if _, failed := to.Write(buf[:n]); failed != nil || err != nil {
			return
		}
	}
}
