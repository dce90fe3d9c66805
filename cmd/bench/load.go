//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// load sends one kind of request from several clients at once, each over its own persistent connection. The clients do
// as little as possible, because they run on the machine that they measure.
type load struct {
	addrs   []string // used by the clients in turn
	clients int
	status  int // required status of every response
	request func() []byte
	body    io.Writer // receives the bodies of the responses; nil discards them
}

// loadResult is the result of a load.
type loadResult struct {
	took   []time.Duration // of each request
	within time.Duration
}

// rate returns the requests per second.
func (r loadResult) rate() float64 { return float64(len(r.took)) / r.within.Seconds() }

func (l load) run(ctx context.Context, d time.Duration) (all loadResult, err error) {
	parts := make([]loadResult, l.clients)
	group, ctx := errgroup.WithContext(ctx)
	began := time.Now()
	for i := range parts {
		group.Go(func() (err error) {
			parts[i], err = l.client(ctx, i, began.Add(d))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return all, err
	}
	all.within = time.Since(began)
	for _, p := range parts {
		all.took = append(all.took, p.took...)
	}
	return all, nil
}

// client sends one request after another until end, and at least one.
func (l load) client(ctx context.Context, i int, end time.Time) (done loadResult, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.addrs[i%len(l.addrs)])
	if err != nil {
		return done, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		if stop() {
			err = errors.Join(err, conn.Close())
		}
	}()
	in := bufio.NewReaderSize(conn, 64<<10)
	for len(done.took) == 0 || time.Now().Before(end) {
		request := l.request()
		began := time.Now()
		err := l.exchange(conn, in, request)
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		if err != nil {
			return done, err
		}
		done.took = append(done.took, time.Since(began))
	}
	return done, nil
}

func (l load) exchange(conn net.Conn, in *bufio.Reader, request []byte) error {
	if _, err := conn.Write(request); err != nil {
		return err
	}
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		return fmt.Errorf("reading an answer: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != l.status {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		return fmt.Errorf("the server answered %s: %s", answer.Status, said)
	}
	to := io.Discard
	if l.body != nil {
		to = l.body
	}
	_, err = io.Copy(to, answer.Body)
	return err
}

// once sends one request over a new connection, and returns the body of the response.
func (l load) once(ctx context.Context, request []byte) (body string, err error) {
	var answer strings.Builder
	l.clients, l.request, l.body = 1, func() []byte { return request }, &answer
	_, err = l.client(ctx, 0, time.Now())
	return answer.String(), err
}
