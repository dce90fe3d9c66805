//go:build !linux && !darwin && !freebsd

package socket

import (
	"context"
	"errors"
	"net"
)

// errUnsupported reports that this system cannot determine the user at the other end of a socket. Only one process at a
// time can use a data folder; the error of the opener names it.
var errUnsupported = errors.New("on this system, only one bugle process can use a data folder at a time")

// supported reports whether processes can connect to the owner on this system.
const supported = false

type socket struct{ net.Listener }

func (*socket) remove() {}

func (*socket) lost() bool { return false }

func listen(string) (*socket, error) { return nil, errUnsupported }

func dial(context.Context, string) (net.Conn, error) { return nil, errUnsupported }

func sameUser(net.Conn) error { return errUnsupported }
