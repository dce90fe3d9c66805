//go:build !linux && !darwin && !freebsd

package socket

import (
	"context"
	"errors"
	"net"
)

// errUnsupported says that this system has no sockets that tell who is at their other end. One
// process at a time works on a data folder here; the opener's error says which.
var errUnsupported = errors.New("on this system, only one bugle process can use a data folder at a time")

// supported says whether another process can be attached to.
const supported = false

type socket struct{ net.Listener }

func (*socket) remove() {}

func (*socket) lost() bool { return false }

func listen(string) (*socket, error) { return nil, errUnsupported }

func dial(context.Context, string) (net.Conn, error) { return nil, errUnsupported }

func sameUser(net.Conn) error { return errUnsupported }
