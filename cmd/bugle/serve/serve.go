// Package serve implements the command serve, which serves the API.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/openapi"
	"bugle/engine/service/api"
)

// defaultAddr is the default address.
const defaultAddr = "127.0.0.1:8080"

// logTimeout is how long serve waits for the log to be written before it ends.
const logTimeout = time.Second

// server holds the flags of serve.
type server struct {
	addr      string
	transport api.Transport
	limits    string // on or off
}

var switchChoices = cli.Choices{{Value: "on", Help: "refuse requests over the documented limits"}, {Value: "off", Help: "no limits, for tests"}}

// New returns the command bugle serve.
func New(f *cli.Factory) *cobra.Command {
	s := server{addr: defaultAddr, limits: "on"}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the API over HTTP",
		Long: "Serves the Campaigns V5 API for all workspaces of the store, or for the one in --workspace.\n" +
			"Clients sign in with Basic authentication: the id of a workspace and one of its API keys\n" +
			"(`bugle keys create`). /openapi.json describes the API; /healthz (ready), /livez (alive) and\n" +
			"/metrics are for monitoring. Several servers can share a store that is in a database.\n" +
			"The address is printed on standard output, the request log on standard error. Press ctrl+c once to\n" +
			"finish running requests and stop, twice to stop at once.\n\n" +
			"Connections use up to half of the files that the process can open (`ulimit -n`), and at most 4,096.\n" +
			"Beyond that, the connection that was idle longest is closed.\n\n" +
			"Without `bugle serve`, the process that has the store open answers the same API on the socket\n" +
			"bugle.sock in the data folder. Only your user can connect, and no key is needed. Choose one of\n" +
			"several workspaces with the header X-SVC-Tenant-ID.",
		Example: "  bugle serve\n" +
			"  bugle serve --addr 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem\n" +
			"  curl --unix-socket ~/.local/share/bugle/bugle.sock -H 'X-SVC-Request-Id: 1' \\\n" +
			"    --json '{\"limit\": 15, \"page\": 1}' http://localhost/v5/campaigns/search",
		Args: cli.Exactly(0, "no arguments; set the address with --addr"),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&s.addr, "addr", s.addr, "`HOST:PORT` to listen on; port 0 chooses a free one")
	fl.StringVar(&s.transport.CertFile, "tls-cert", "", "`file` with the TLS certificate (PEM)")
	fl.StringVar(&s.transport.KeyFile, "tls-key", "", "`file` with the key of the certificate (PEM)")
	fl.BoolVar(&s.transport.Insecure, "insecure", false, "allow addresses that other machines can reach without TLS")
	cli.ChoiceFlag(cmd, cli.OneOf(&s.limits, switchChoices), "rate-limits", "rate limits, `on|off`; turn them off for tests only")
	return cmd
}

// run serves until ctx ends.
func (s *server) run(ctx context.Context, f *cli.Factory) error {
	store, err := f.Store(ctx)
	if err != nil {
		return err
	}
	ln, err := api.Listen(s.addr, s.transport)
	if err != nil {
		return listenFailure(err, s.addr)
	}
	served := false // afterwards, the server closes it
	defer func() {
		if !served {
			_ = ln.Close()
		}
	}()
	var log *slog.Logger
	lines := api.NewLog(f.Err, func(n uint64) { log.Warn("log lines dropped because nothing read them", "lines", n) })
	// From here on, everything is written through the log, so that a slow reader blocks nothing.
	f.Err, f.Last = lines, func() { lines.Close(logTimeout) }
	log = slog.New(f.LogHandler())
	following, stop := context.WithCancel(ctx)
	var follower sync.WaitGroup
	follower.Go(func() { f.Notices.Follow(following, func(text string) { log.Warn("store", "notice", text) }) })
	defer func() { stop(); follower.Wait() }()
	lookup, err := store.Serve(ctx, f.Workspace)
	if err != nil {
		return err
	}
	handler := api.New(api.Keys(lookup), api.Options{
		Logger: log, Log: lines, Unlimited: s.limits == "off", Health: store.Health, Counter: f.Counter(),
		OpenAPI: func() []byte { return openapi.JSON(cli.Version()) },
	})
	if err := s.announce(f, ln.Addr().String()); err != nil {
		return err
	}
	served = true
	err = api.Serve(ctx, ln, handler, api.ServeOptions{Logger: log})
	log.Info("stopped", "addr", ln.Addr().String())
	return err
}

// announce prints the address of the API on one line, which programs can wait for.
func (s *server) announce(f *cli.Factory, addr string) error {
	scheme := "http"
	if s.transport.CertFile != "" {
		scheme = "https"
	}
	if f.JSON {
		return f.PrintJSONLine(map[string]string{"addr": addr, "url": scheme + "://" + addr})
	}
	_, err := fmt.Fprintf(f.Out, "Listening on %s://%s\n", scheme, addr)
	return err
}

// listenFailure returns invalid usage for an invalid address, and other errors unchanged.
func listenFailure(err error, addr string) error {
	var op *net.OpError
	var file *fs.PathError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("address %s is already in use; stop the other program, or choose another address with --addr", addr)
	case errors.As(err, &file):
		return fmt.Errorf("cannot read %s: %w", file.Path, file.Err)
	case errors.As(err, &op) && op.Op == "listen":
		return cli.WithRemedy(fmt.Errorf("cannot listen on %s: %w", addr, op.Err), "Choose another address with --addr.")
	}
	return cli.Misuse(err)
}
