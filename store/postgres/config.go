package postgres

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// IsURL reports whether a text names a database rather than a folder.
func IsURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && (strings.EqualFold(scheme, "postgres") || strings.EqualFold(scheme, "postgresql"))
}

// HasPassword reports whether a URL has a password in it.
func HasPassword(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return strings.Contains(text, "@") // to be safe
	}
	_, in := u.User.Password()
	return in || u.Query().Has("password") || u.Query().Has("sslpassword")
}

// Redact returns a URL for display, without the password and the parameters.
func Redact(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		scheme, _, _ := strings.Cut(text, "://")
		return scheme + "://…"
	}
	out := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if name := u.User.Username(); name != "" {
		out.User = url.User(name)
	}
	return out.String()
}

// Name returns the name of the database of a URL, whoever connects to it and however: its servers and its name there.
func Name(text string) string {
	c, err := pgconn.ParseConfig(text)
	if err != nil {
		return Redact(text)
	}
	hosts := []string{net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))}
	for _, f := range c.Fallbacks { // one server may be there twice, with and without TLS
		if host := net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port))); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return strings.Join(hosts, ",") + "/" + c.Database
}

// Name returns the name of the database, see [Name].
func (d *DB) Name() string { return Name(d.o.URL) }

// config returns the connection settings. The environment variables of libpq, .pgpass and service files work as in psql.
func config(o Options) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		why := reason(err)
		if _, after, ok := strings.Cut(why, "`: "); ok { // before it is the URL, which may have a password
			why = after
		}
		return nil, fmt.Errorf("the URL %s is not valid: %s", Redact(o.URL), why)
	}
	if c.ConnConfig.ValidateConnect == nil { // of several hosts, the one that can be written to
		c.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if c.ConnConfig.ConnectTimeout == 0 {
		c.ConnConfig.ConnectTimeout = dialTimeout
	}
	for name, value := range map[string]string{
		"application_name": "bugle",
		// Limits for waiting for a lock, and for holding one after the client has gone.
		"lock_timeout":                        "5s",
		"idle_in_transaction_session_timeout": "15s",
		"timezone":                            "UTC",
		"default_transaction_isolation":       "read committed", // of a transaction that is sent at once
		// All statements find rows by keys: one plan of each is right for all arguments.
		"plan_cache_mode": "force_generic_plan",
		"jit":             "off",
	} {
		if c.ConnConfig.RuntimeParams[name] == "" {
			c.ConnConfig.RuntimeParams[name] = value
		}
	}
	if !strings.Contains(o.URL, "pool_max_conns") {
		c.MaxConns = maxConns
	}
	c.ConnConfig.Tracer = o.tracer
	return c, nil
}

const (
	// dialTimeout is how long one host may take to answer: all hosts of a URL are to be tried within [Options.Patience].
	dialTimeout = 2 * time.Second
	maxConns    = 20
)
