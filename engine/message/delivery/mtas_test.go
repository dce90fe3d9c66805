package delivery_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine/message/delivery"
)

// setup is what a try wants of a mail server of others.
type setup struct {
	tls    delivery.TLSMode // TLSStart offers STARTTLS, TLSImplicit expects TLS
	cert   *tls.Certificate // for tls; nil is one for 127.0.0.1
	logins []string         // methods with which ann can log in, whose password is right
	more   string           // in the language of the server's configuration
}

// mta is a running mail server of others. All that it accepts it delivers into a mailbox.
type mta struct {
	delivery.SMTPConfig // reaches it, and trusts its certificate
	logins              []string
	box                 string
}

// starters start the servers and return their port. Files of their own are in dir.
var starters = map[string]func(t *testing.T, s setup, dir, box string) int{
	"exim": startExim, "postfix": startPostfix, "opensmtpd": startOpenSMTPD, "smtp-server": startSMTPServer, "maildev": startMaildev,
}

// need skips the test if what it needs is missing, except where .ci/run has installed it.
func need(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("BUGLE_NEED_MAIL") != "" {
		t.Fatalf("%s is missing: %v", what, err)
	}
	t.Skipf("%s is missing; see .ci/run: %v", what, err)
}

func startMTA(t *testing.T, name string, s setup) *mta {
	t.Helper()
	dir := t.TempDir()
	box := filepath.Join(dir, "box")
	for _, d := range []string{filepath.Dir(dir), dir, box, box + "/tmp", box + "/new", box + "/cur"} { // the servers change to users of their own
		_ = os.Mkdir(d, 0o700)
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if s.cert == nil {
		s.cert = new(certificate(t, nil, nil))
	}
	writeCertificate(t, dir+"/cert.pem", s.cert)
	der, err := x509.MarshalPKCS8PrivateKey(s.cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir+"/key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	m := &mta{SMTPConfig: delivery.SMTPConfig{Host: "127.0.0.1", TLS: s.tls, Timeout: 15 * time.Second, TLSConfig: &tls.Config{RootCAs: x509.NewCertPool()}}, logins: s.logins, box: box}
	if m.TLS == "" {
		m.TLS = delivery.TLSNone
	}
	m.TLSConfig.RootCAs.AddCert(s.cert.Leaf)
	if len(s.logins) > 0 {
		m.Username, m.Password = "ann", "right"
	}
	m.Port = starters[name](t, s, dir, box)
	return m
}

// stored is a message as a server delivered it.
type stored struct {
	to, helo string
	protocol string // RFC 3848, such as ESMTPSA with TLS and a login
	header   mail.Header
	raw      string
}

var receivedFrom = regexp.MustCompile(`(?is)from (\S+) .*?(?:helo=([^\s)]+))?.*?\swith (\S+)`)

// mails waits until the mailbox has as many messages, and returns those that it has.
func (m *mta) mails(t *testing.T, want int) (list []stored) {
	t.Helper()
	var names []string
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var err error
		if names, err = filepath.Glob(m.box + "/new/*"); err != nil {
			t.Fatal(err)
		}
		if len(names) >= want {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the mailbox has %d messages, want %d", len(names), want)
		}
	}
	if len(names) > want {
		t.Errorf("the mailbox has %d messages, want %d", len(names), want)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
		read, err := mail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%v: %.500s", err, raw)
		}
		s := stored{header: read.Header, raw: string(raw)}
		for _, field := range []string{"Envelope-To", "X-Original-To", "Delivered-To"} {
			if s.to == "" {
				s.to = strings.Trim(read.Header.Get(field), "<>")
			}
		}
		from := receivedFrom.FindStringSubmatch(read.Header.Get("Received"))
		if from == nil {
			t.Fatalf("how it was received is unknown: %.500s", raw)
		}
		s.helo, s.protocol = from[1], strings.ToUpper(from[3])
		if from[2] != "" {
			s.helo = from[2]
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b stored) int { return strings.Compare(a.to, b.to) })
	return list
}

// freePort returns a port that no connection gets on its own.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+mathrand.IntN(20_000)))
		if err == nil {
			l.Close()
			return l.Addr().(*net.TCPAddr).Port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// installed runs a shell script in which the packages in the folder BUGLE_MAIL_SERVERS are installed. It is root there.
func installed(t *testing.T, program string, stdin *os.File, script string, args ...string) {
	t.Helper()
	packages := os.Getenv("BUGLE_MAIL_SERVERS")
	_, err := os.Stat(filepath.Join(packages, "usr/sbin", program))
	need(t, program+" in the folder BUGLE_MAIL_SERVERS", err)
	if os.Geteuid() != 0 {
		t.Skip("only root can run mail servers from a folder")
	}
	run(t, stdin, "unshare", append([]string{"--mount", "--pid", "--fork", "--kill-child", "sh", "testdata/installed.sh", packages, "sh", "-euc", script, "sh"}, args...)...)
}

// run runs a program until the end of the test, which shows what it said if it fails.
func run(t *testing.T, stdin *os.File, program string, args ...string) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(program, args...)
	if stdin != nil {
		cmd.Stdin = stdin
	}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the server said:\n%s", &said)
		}
	})
}

// listening waits until a mail server greets at a port. It comes from another address: a connection from an address to
// itself can get the same port at both ends, and then nobody listens.
func listening(t *testing.T, port int, mode delivery.TLSMode) int {
	t.Helper()
	dial := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Timeout: 5 * time.Second}).Dial
	greeting := make([]byte, len("220 "))
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var conn net.Conn
		if conn, err = dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err != nil {
			continue
		}
		_ = conn.SetDeadline(end)
		if mode == delivery.TLSImplicit {
			conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
		}
		_, err = io.ReadFull(conn, greeting)
		conn.Close()
		if err == nil && string(greeting) == "220 " {
			return port
		}
	}
	t.Fatalf("the server does not start: %v, %q", err, greeting)
	return 0
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// startExim starts exim, whose more may begin its section for ACLs.
func startExim(t *testing.T, s setup, dir, box string) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	b := new(strings.Builder)
	fmt.Fprintf(b, `primary_hostname = mail.example.com
log_file_path = %s/%%slog
smtp_accept_queue_per_connection = 0
host_lookup =
keep_environment =
rfc1413_query_timeout = 0s
`, dir)
	for _, acl := range []string{"acl_smtp_rcpt", "acl_smtp_data"} {
		if !strings.Contains(s.more, acl) {
			fmt.Fprintln(b, acl, "= accept")
		}
	}
	if s.tls == "" {
		fmt.Fprintln(b, "tls_advertise_hosts =")
	} else {
		fmt.Fprintf(b, "tls_advertise_hosts = *\ntls_certificate = /etc/exim4/cert.pem\ntls_privatekey = /etc/exim4/key.pem\n")
	}
	if s.tls == delivery.TLSImplicit {
		fmt.Fprintf(b, "tls_on_connect_ports = %d\n", port)
	}
	fmt.Fprintf(b, `%s
begin routers
all:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  directory = %s
  maildir_format
  user = nobody
  envelope_to_add
begin authenticators
`, s.more, box)
	for _, method := range s.logins {
		fmt.Fprintf(b, "%s:\n  public_name = %s\n  server_set_id = ann\n  ", strings.ReplaceAll(method, "-", ""), method)
		fmt.Fprintln(b, map[string]string{
			"PLAIN":    "driver = plaintext\n  server_prompts = :\n  server_condition = ${if and{{eq{$auth2}{ann}}{eq{$auth3}{right}}}}",
			"LOGIN":    "driver = plaintext\n  server_prompts = Username:: : Password::\n  server_condition = ${if and{{eq{$auth1}{ann}}{eq{$auth2}{right}}}}",
			"CRAM-MD5": "driver = cram_md5\n  server_secret = ${if eq{$auth1}{ann}{right}fail}",
		}[method])
	}
	writeFile(t, dir+"/exim4.conf", b.String())
	// It runs as another user for a delivery, and only with its own configuration.
	installed(t, "exim4", socket, `mkdir -p /etc/exim4 /var/spool/exim4; chown Debian-exim /var/spool/exim4; cp "$1"/exim4.conf "$1"/*.pem /etc/exim4
chown Debian-exim /etc/exim4/*.pem
exec exim4 -bw`, dir)
	return port
}

func startPostfix(t *testing.T, s setup, dir, box string) int {
	t.Helper()
	port := freePort(t)
	b := new(strings.Builder)
	fmt.Fprintf(b, `compatibility_level = 3.6
myhostname = mail.example.com
inet_protocols = ipv4
maillog_file = /dev/stdout
alias_maps =
smtpd_peername_lookup = no
smtpd_error_sleep_time = 0
smtpd_client_event_limit_exceptions =
virtual_mailbox_domains = static:all
virtual_mailbox_base = %s/
virtual_mailbox_maps = static:box/
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
virtual_mailbox_limit = 0
smtpd_tls_cert_file = %s
smtpd_tls_key_file = %s
smtpd_tls_security_level = %s
smtpd_tls_wrappermode = %s
`, dir, dir+"/cert.pem", dir+"/key.pem", map[bool]string{true: "may", false: "none"}[s.tls != ""], map[bool]string{true: "yes", false: "no"}[s.tls == delivery.TLSImplicit])
	methods := ""
	if len(s.logins) > 0 {
		methods = strings.ToLower(strings.Join(s.logins, " "))
		fmt.Fprintln(b, "smtpd_sasl_auth_enable = yes\nsmtpd_sasl_type = dovecot\nsmtpd_sasl_path = private/auth\nsmtpd_sasl_security_options =")
	}
	fmt.Fprintln(b, s.more)
	writeFile(t, dir+"/main.cf", b.String())
	writeFile(t, dir+"/master.cf", fmt.Sprintf(`127.0.0.1:%d inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
virtual unix - n n - - virtual
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
postlog unix-dgram n - n - 1 postlogd
`, port))
	writeFile(t, dir+"/dovecot.conf", fmt.Sprintf(`base_dir = /run/dovecot
log_path = /dev/stderr
protocols =
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
auth_mechanisms = %s
passdb {
  driver = static
  args = password=right
}
userdb {
  driver = static
  args = uid=65534 gid=65534
}
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service auth {
  unix_listener /var/spool/postfix/private/auth {
    mode = 0666
  }
}
`, methods))
	installed(t, "postfix", nil, `cp "$1/main.cf" "$1/master.cf" /etc/postfix
cd /var/spool/postfix
mkdir -p active bounce corrupt defer deferred flush hold incoming pid private public saved trace
chown postfix /var/lib/postfix active bounce corrupt defer deferred flush hold incoming private public saved trace
if [ -n "$2" ]; then
  mkdir -p /run/dovecot
  dovecot -c "$1/dovecot.conf"
fi
exec /usr/lib/postfix/sbin/master -s`, dir, methods)
	return listening(t, port, s.tls)
}

// startOpenSMTPD starts OpenSMTPD without TLS, where Debian's fails with OpenSSL 3, and so without logins.
func startOpenSMTPD(t *testing.T, s setup, dir, box string) int {
	t.Helper()
	port := freePort(t)
	config := fmt.Sprintf(`%s
listen on 127.0.0.1 port %d hostname mail.example.com
action "box" maildir "%s" virtual { "@" = nobody }
match from any for any action "box"
`, s.more, port, box)
	installed(t, "smtpd", nil, `exec smtpd -d -f "$1"`, writeFile(t, dir+"/smtpd.conf", config))
	return listening(t, port, s.tls)
}

func startSMTPServer(t *testing.T, s setup, dir, box string) int {
	t.Helper()
	options := map[string]any{"hideSTARTTLS": s.tls == "", "secure": s.tls == delivery.TLSImplicit, "authMethods": s.logins}
	if s.tls != "" {
		options["certPath"], options["keyPath"] = dir+"/cert.pem", dir+"/key.pem"
	}
	if len(s.logins) == 0 {
		options["disabledCommands"] = []string{"AUTH"}
	}
	return startNPM(t, "BUGLE_SMTP_SERVER", options, s.more, box)
}

func startMaildev(t *testing.T, s setup, dir, box string) int {
	t.Helper()
	options := map[string]any{}
	if s.tls != "" {
		options["secure"], options["certPath"], options["keyPath"] = true, dir+"/cert.pem", dir+"/key.pem"
	}
	if len(s.logins) > 0 {
		options["auth"] = map[string]string{"user": "ann", "pass": "right"}
	}
	return startNPM(t, "BUGLE_MAILDEV", options, s.more, box)
}

// startNPM starts a server from npm, whose module an environment variable names.
func startNPM(t *testing.T, variable string, options map[string]any, more, box string) (port int) {
	t.Helper()
	module := os.Getenv(variable)
	_, err := os.Stat(module)
	need(t, "the module of npm in "+variable, err)
	node, err := exec.LookPath("node")
	need(t, "node", err)
	if more != "" {
		if err := json.Unmarshal([]byte(more), &options); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "testdata/npm.js", module, string(text), box)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := fmt.Fscan(bufio.NewReader(out), &port); err != nil {
		t.Fatal(err)
	}
	return port
}

func writeCertificate(t *testing.T, path string, cert *tls.Certificate) string {
	t.Helper()
	return writeFile(t, path, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Leaf.Raw})))
}
