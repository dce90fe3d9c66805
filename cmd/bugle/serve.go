package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/api"
	"bugle/engine/local"
	"bugle/engine/openapi"
	"bugle/store"
)

// usualAddr is where the API is served unless something else is said.
const usualAddr = "127.0.0.1:8080"

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
			"to stop lets the requests that were accepted finish.",
		Example: "  bugle serve\n" +
			"  bugle serve --addr 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem",
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
	db, err := f.store(ctx)
	if err != nil {
		return err
	}
	log := slog.New(s.logHandler(f))
	desk := &services{db: db, options: local.Options{Logger: log, Boot: uuid.NewString()}, open: map[string]*local.Service{}}
	if err := desk.narrow(ctx, f.workspace); err != nil {
		return err
	}
	handler := api.New(api.Keys(desk.lookup), api.Options{
		Logger: log, Unlimited: s.limits == onOff(false), Health: desk.health,
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
		return slog.NewJSONHandler(f.err, nil)
	}
	return slog.NewTextHandler(f.err, nil)
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

// services are those of the store's workspaces, each opened when it is first asked for, and kept.
type services struct {
	db      store.DB
	options local.Options
	only    string // the one workspace that is served; empty: all

	mu   sync.RWMutex
	open map[string]*local.Service
}

// narrow serves one workspace alone, which must be there; empty means all, of which there must be one.
func (d *services) narrow(ctx context.Context, id string) error {
	ids, err := workspaces(ctx, d.db)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return errNoWorkspace
	case id != "" && !slices.Contains(ids, id):
		return misused("there is no workspace %q here", id)
	}
	d.only = id
	return nil
}

// lookup is [api.Lookup]: the settings as they are now, so that a key counts from when it is made
// until it is revoked.
func (d *services) lookup(ctx context.Context, id string) (engine.Workspace, engine.Service, error) {
	svc, err := d.service(ctx, id)
	if err != nil {
		return engine.Workspace{}, nil, err
	}
	w, err := svc.Workspace(ctx)
	return w, svc, err
}

func (d *services) service(ctx context.Context, id string) (*local.Service, error) {
	d.mu.RLock()
	svc, ok := d.open[id]
	d.mu.RUnlock()
	if ok {
		return svc, nil
	}
	// Opening writes, and is for workspaces that are there; anybody may ask for others.
	ids, err := workspaces(ctx, d.db)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(ids, id) || d.only != "" && d.only != id {
		return nil, engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no workspace %q here", id)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if svc, ok := d.open[id]; ok {
		return svc, nil
	}
	if svc, err = local.Open(d.db, id, d.options); err != nil {
		return nil, err
	}
	d.open[id] = svc
	return svc, nil
}

// health says whether the store can be read.
func (d *services) health(ctx context.Context) error {
	_, err := workspaces(ctx, d.db)
	return err
}
