//go:build linux || darwin || freebsd

package socket

import (
	"bufio"
	"context"
	"net"
	"time"
)

// Protocol is the version of the protocol.
const Protocol = protocol

// Kill ends the owner as the end of its process would: no response leaves it any more.
func (d *DB) Kill() {
	o := d.handle.owner.(*host)
	o.socket = "" // the next owner's
	o.quit()
	_ = o.srv.Close()
}

// Disconnect breaks the connections of an attached handle, while the owner lives.
func (d *DB) Disconnect() { d.handle.owner.(*link).end() }

// OpenWith is [Open] with its own check of the peer process, and its own patience with a silent owner.
func OpenWith(ctx context.Context, o Options, peer func(net.Conn) error, silence time.Duration) (*DB, error) {
	h, err := newHandle(o)
	if err != nil {
		return nil, err
	}
	h.peer, h.silence = peer, silence
	return h.start(ctx)
}

// OtherUser is the error of the check for another user's process.
var OtherUser = otherUser

// Serve answers requests on a connection until it breaks.
func Serve(o Options, conn net.Conn) error {
	h, err := newHandle(o)
	if err != nil {
		return err
	}
	own, err := newHost(context.Background(), h)
	if err != nil {
		return err
	}
	own.serve(newStream[request, response](conn, bufio.NewReader(conn)))
	return nil
}

// Fault returns an error as it arrives in another process.
func Fault(err error) error { return faultOf(err) }

// Requests writes a request of each kind.
func Requests(conn net.Conn) error {
	s := newStream[response, request](conn, conn)
	for o := opSnapshot; o <= opFollow; o++ {
		if err := s.send(&request{Op: o, Key: []byte("k"), Keys: [][]byte{[]byte("k")}, Size: 1}); err != nil {
			return err
		}
	}
	return nil
}

// Respond writes an empty response.
func Respond(conn net.Conn) error {
	return newStream[request, response](conn, conn).send(new(response))
}
