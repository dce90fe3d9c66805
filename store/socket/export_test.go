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
	h := d.host
	h.end()
	h.socketWatch.Wait()
	h.socket.files = nil
	h.socket.Listener.Close()
	h.srv.Close()
	d.CutConnections()
}

// OpenWithPeer is [Open] with its own check of the peer process.
func OpenWithPeer(ctx context.Context, o Options, peer func(net.Conn) error) (*DB, error) {
	d, err := newDB(o)
	if err != nil {
		return nil, err
	}
	d.peer = peer
	return d, d.join(ctx)
}

// OtherUser is the error of the check for another user's process.
func OtherUser(uid int) error { return &otherUserError{uid} }

// SocketLost reports whether an owner would reopen its socket.
func (d *DB) SocketLost() bool { return d.host.socket.lost() }

// Handler returns what the owner of that store answers on its socket, without one.
func Handler(dir string, db kv.DB) (http.Handler, error) {
	d, err := newDB(Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	d.peer = func(net.Conn) error { return nil }
	return newHost(d, db).handler(nil), nil
}

// Transact answers transactions on a connection until it breaks.
func Transact(dir string, db kv.DB, conn net.Conn) error {
	d, err := newDB(Options{Dir: dir})
	if err != nil {
		return err
	}
	newHost(d, db).transact(conn, bufio.NewReader(conn), "lease")
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

// Requests writes requests of each kind, in the order of a transaction.
func (l Line) Requests() error {
	for _, q := range []request{
		{Op: opUpdate, Name: "c"}, {Op: opGet, Key: []byte("k")}, {Op: opSet, Key: []byte("k"), Value: []byte("v")}, {Op: opScan, Key: []byte("k")},
		{Op: opDelete, Key: []byte("k")}, {Op: opCounts}, {Op: opHeld, Name: "l"}, {Op: opEnd}, {Op: opSettle, Name: "c"}, {Op: opSync},
		{Op: opView}, {Op: opAbort},
	} {
		if err := l.send(&q); err != nil {
			return err
		}
	}
	return l.flush()
}

// CutConnections cuts the connections for transactions, while the owner lives.
func (d *DB) CutConnections() {
	h := d.host
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		_ = c.Close()
	}
}
