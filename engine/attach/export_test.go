//go:build linux || darwin || freebsd

package attach

import (
	"context"
	"maps"
	"net"
	"net/http"
	"slices"
)

// Kill ends the owner as the end of its process would: no answer leaves it any more.
func (n *Node) Kill() {
	n.host.end()
	n.host.keeper.Wait()
	n.host.socket.files = nil
	n.host.socket.Listener.Close()
	n.host.srv.Close()
}

// OpenWithPeer is [Open] with a check of its own of who is at the other end.
func OpenWithPeer(ctx context.Context, o Options, peer func(net.Conn) error) (*Node, error) {
	n, err := newNode(o)
	if err != nil {
		return nil, err
	}
	n.peer = peer
	if err := n.find(ctx, n.o.Patience); err != nil {
		return nil, err
	}
	n.start()
	close(n.back)
	return n, nil
}

// OtherUser is what the check says of another user's process.
func OtherUser(uid int) error { return &otherUserError{uid} }

// The codec of the socket.
var (
	Encode = encode
	Decode = decode
)

// SocketLost reports whether an owner would open its socket anew.
func (n *Node) SocketLost() bool { return n.host.socket.lost() }

// Handler returns what an owner of that store answers on its socket, without one.
func Handler(dir string, owned Owned) (http.Handler, error) {
	n, err := newNode(Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	n.peer = func(net.Conn) error { return nil }
	return newHost(n, owned).handler(nil), nil
}

// Methods are the names of what can be asked on the socket.
func Methods() []string { return slices.Sorted(maps.Keys(endpoints)) }
