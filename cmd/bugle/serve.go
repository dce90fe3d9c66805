package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/heap"
	"bugle/engine/api"
	"bugle/engine/openapi"
)

// usualAddr is where the API is served unless something else is said.
const usualAddr = "127.0.0.1:8080"

// logTimeout is how long the end waits for what is left of the log to be written.
const logTimeout = time.Second

// server says how the API is served.
type server struct {
	addr      string
	transport api.Transport
	limits    string // on or off
}

var switchChoices = choices{{"on", "requests over the documented limits are refused"}, {"off", "there are no limits, for tests"}}

func newServe(f *factory) *cobra.Command {
	s := server{addr: usualAddr, limits: onOff(true)}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the V5 API over HTTP",
		Long: "Serve the V5 API over HTTP for every workspace of the store, or for the one that --workspace\n" +
			"names. Clients give a workspace's id and one of its API keys (`bugle keys create`) as Basic\n" +
			"credentials. /openapi.json describes the API, /healthz and /metrics are for those who run it.\n" +
			"The address is written to standard output, the log of requests to standard error. A signal\n" +
			"to stop lets the requests that were accepted finish; a second one ends it at once.\n\n" +
			"Connections take at most half of the files that the process may have open (`ulimit -n`), and at\n" +
			"most 4,096; the rest is for the store. For one more, the one that has been idle longest is closed.\n\n" +
			"Without a server, whichever bugle has the store open, a terminal for one, answers the same API\n" +
			"on the socket bugle.sock in the data folder, which is its user's alone, without credentials;\n" +
			"X-SVC-Tenant-ID names the workspace where there are several.",
		Example: "  bugle serve\n" +
			"  bugle serve --addr 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem\n" +
			"  curl --unix-socket ~/.local/share/bugle/bugle.sock -H 'X-SVC-Request-Id: 1' \\\n" +
			"    --json '{\"limit\": 15, \"page\": 1}' http://localhost/v5/campaigns/search",
		Args:              exactly(0, "no arguments; --addr says where"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&s.addr, "addr", s.addr, "`HOST:PORT` to listen on; port 0 is any that is free")
	fl.StringVar(&s.transport.CertFile, "tls-cert", "", "`file` with the TLS certificate (PEM)")
	fl.StringVar(&s.transport.KeyFile, "tls-key", "", "`file` with the certificate's key (PEM)")
	fl.BoolVar(&s.transport.Insecure, "insecure", false, "allow an address that other machines reach, without TLS")
	choiceFlag(cmd, one{&s.limits, switchChoices}, "rate-limits", "`on` or off, for tests")
	return cmd
}

// run serves until ctx ends.
func (s *server) run(ctx context.Context, f *factory) error {
	if have, err := f.hasStore(); err != nil {
		return err
	} else if !have {
		return errNoWorkspace
	}
	ln, err := api.Listen(s.addr, s.transport)
	if err != nil {
		return listenFailure(err, s.addr)
	}
	served := false // then it is the server's to close
	defer func() {
		if !served {
			_ = ln.Close()
		}
	}()
	node, err := f.open(ctx)
	if err != nil {
		return err
	}
	var log *slog.Logger
	lines := api.NewLog(f.err, func(n uint64) { log.Warn("lines of the log were dropped, as nobody read it", "lines", n) })
	// All that is said from here on goes the same way: a reader that has stalled holds up nothing.
	f.err, f.last = lines, func() { lines.Close(logTimeout) }
	log = slog.New(s.logHandler(f))
	following, stop := context.WithCancel(ctx)
	var follower sync.WaitGroup
	follower.Go(func() { f.notices.follow(following, func(text string) { log.Warn("the store", "notice", text) }) })
	follower.Go(func() { heap.Bounded(following) })
	defer func() { stop(); follower.Wait() }()
	desk := &desk{node: node}
	if err := desk.narrow(ctx, f.workspace); err != nil {
		return err
	}
	if err := desk.warm(ctx); err != nil {
		return err
	}
	handler := api.New(api.Keys(desk.lookup), api.Options{
		Logger: log, Log: lines, Unlimited: s.limits == onOff(false), Health: desk.health,
		OpenAPI: func() []byte { return openapi.JSON(version()) },
	})
	if err := s.announce(f, ln.Addr().String()); err != nil {
		return err
	}
	served = true
	err = api.Serve(ctx, ln, handler, api.ServeOptions{Logger: log})
	log.Info("stopped", "addr", ln.Addr().String())
	return err
}

func (s *server) logHandler(f *factory) slog.Handler {
	if f.json {
		return slog.NewJSONHandler(plainJSON{f.err}, nil)
	}
	return slog.NewTextHandler(plainJSON{f.err}, nil) // which leaves some unseen characters as they are
}

// announce says where the API is served, one line for programs to wait for.
func (s *server) announce(f *factory, addr string) error {
	scheme := "http"
	if s.transport.CertFile != "" {
		scheme = "https"
	}
	if !f.json {
		_, err := fmt.Fprintf(f.out, "Listening on %s://%s\n", scheme, addr)
		return err
	}
	said, err := json.Marshal(map[string]string{"addr": addr, "url": scheme + "://" + addr})
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	_, err = fmt.Fprintf(f.out, "%s\n", said)
	return err
}

// listenFailure tells an address that cannot be had from one that may not be.
func listenFailure(err error, addr string) error {
	var op *net.OpError
	var file *fs.PathError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("another program listens on %s already; stop it, or choose another address with --addr", addr)
	case errors.As(err, &file):
		return fmt.Errorf("cannot read %s: %w", file.Path, file.Err)
	case errors.As(err, &op) && op.Op == "listen":
		return remedied{fmt.Errorf("cannot listen on %s: %w", addr, op.Err), "Choose another address with --addr."}
	}
	return usageError{err}
}
