//go:build !linux && !darwin && !freebsd

package socket

import (
	"context"
	"errors"
	"net"
)

// errUnsupported reports that this system cannot determine the user at the other end of a socket.
var errUnsupported = errors.New("on this system, only one bugle process can use a data folder at a time")

func socketOf(string) string { return "" }

func listen(string) (net.Listener, error) { return nil, errUnsupported }

func dial(context.Context, string) (net.Conn, error) { return nil, errUnsupported }

func sameUser(net.Conn) error { return errUnsupported }
