//go:build linux || darwin || freebsd

package socket

import (
	"bufio"
	"context"
	"net"
	"net/http"

	"bugle/store/kv"
)

// Kill ends the owner as the end of its process would: no response leaves it any more.
func (d *DB) Kill() {
	o := d.handle.host
	o.quit()
	o.socket.files = nil
	_ = o.socket.Listener.Close()
	_ = o.srv.Close()
	d.CutConnections()
}

// CutConnections cuts the connections of clients, while the owner lives.
func (d *DB) CutConnections() {
	o := d.handle.host
	o.mu.Lock()
	defer o.mu.Unlock()
	for c := range o.conns {
		_ = c.Close()
	}
}

// OpenWithPeer is [Open] with its own check of the peer process.
func OpenWithPeer(ctx context.Context, o Options, peer func(net.Conn) error) (*DB, error) {
	return open(ctx, o, peer)
}

// OtherUser is the error of the check for another user's process.
func OtherUser(uid int) error { return &otherUserError{uid} }

func anyPeer(net.Conn) error { return nil }

// Handler returns what the owner of that store answers on its socket, without one.
func Handler(dir string, driver kv.Driver) (http.Handler, error) {
	d, err := newDB(Options{Dir: dir}, anyPeer)
	if err != nil {
		return nil, err
	}
	return newHost(d.handle, driver).handler(nil), nil
}

// Serve answers requests on a connection until it breaks.
func Serve(dir string, driver kv.Driver, conn net.Conn) error {
	d, err := newDB(Options{Dir: dir}, anyPeer)
	if err != nil {
		return err
	}
	newHost(d.handle, driver).serve(conn, bufio.NewReader(conn), "lease")
	return conn.Close()
}

// Fault returns an error as it arrives in another process.
func Fault(err error) error { return faultOf(err).err() }

// Line writes requests as a process without the store does.
type Line struct{ *stream[response, request] }

// NewLine returns a line to conn.
func NewLine(conn net.Conn) Line {
	return Line{newStream[response, request](bufio.NewReader(conn), conn)}
}

// Requests writes a request of each kind.
func (l Line) Requests() error {
	for o := opSnapshot; o <= opSequence; o++ {
		if err := l.send(&request{Op: o, Key: []byte("k"), Keys: [][]byte{[]byte("k")}, Size: 1}); err != nil {
			return err
		}
	}
	return nil
}
