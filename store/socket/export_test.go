//go:build linux || darwin || freebsd

package socket

import (
	"context"
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

// OpenWith is [Open] with its own patience with a silent owner.
func OpenWith(ctx context.Context, o Options, silence time.Duration) (*DB, error) {
	h, err := newHandle(o)
	if err != nil {
		return nil, err
	}
	h.silence = silence
	return h.start(ctx)
}

// Fault returns an error as it arrives in another process.
func Fault(err error) error { return faultOf(err) }

// Hello is the response of an owner to the first request of a connection.
func Hello(i Introduction) any { return response{Number: 1, Introduction: i} }
