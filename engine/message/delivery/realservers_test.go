package delivery_test

import (
	"bufio"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"bugle/engine"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/providers"
)

// need returns the path of a program or module for tests with servers of others, or skips the test.
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

// took is a message that npm's smtp-server took.
type took struct {
	Helo, From, User, Raw string
	To                    []string
	Encrypted             bool
	Most                  int // connections at once until then
}

// strict starts npm's smtp-server, whose module the environment variable BUGLE_SMTP_SERVER names.
func strict(t *testing.T, options map[string]any) (delivery.SMTPConfig, func() took) {
	t.Helper()
	module := os.Getenv("BUGLE_SMTP_SERVER")
	_, err := os.Stat(module)
	need(t, "the module smtp-server of npm (BUGLE_SMTP_SERVER)", err)
	node, err := exec.LookPath("node")
	need(t, "node", err)
	text, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "testdata/smtp-server.js", module, string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := json.NewDecoder(out)
	config := delivery.SMTPConfig{Host: "127.0.0.1", TLS: delivery.TLSNone}
	if err := lines.Decode(&config.Port); err != nil {
		t.Fatal(err)
	}
	return config, func() took {
		t.Helper()
		var got took
		if err := lines.Decode(&got); err != nil {
			t.Fatal(err)
		}
		return got
	}
}

// lenient starts Debian's exim for each connection, like inetd, with what it asks of a recipient. The spool that it
// returns has a file for each message.
func lenient(t *testing.T, acl string) (config delivery.SMTPConfig, spool string) {
	t.Helper()
	exim, err := exec.LookPath("exim4")
	need(t, "exim4", err)
	if os.Geteuid() != 0 {
		t.Skip("exim takes connections from inetd only as root")
	}
	dir := t.TempDir()
	spool = filepath.Join(dir, "spool")
	for _, d := range []string{filepath.Dir(dir), spool} { // it changes to a user of its own
		_ = os.Mkdir(d, 0o700)
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "exim.conf")
	text := fmt.Sprintf(`primary_hostname = mail.example.com
spool_directory = %s
log_file_path = %s/%%slog
acl_smtp_helo = helo
acl_smtp_rcpt = rcpt
acl_smtp_data = accept
queue_only = true
host_lookup =
keep_environment =
rfc1413_query_timeout = 0s
smtputf8_advertise_hosts =
begin acl
helo:
  deny condition = ${if !match{$sender_helo_name}{\N^\[|\.\N}}
       message = need a full name
  accept
rcpt:
%s
  accept
`, spool, spool, acl)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	t.Cleanup(running.Wait)
	t.Cleanup(func() { l.Close() })
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			f, err := conn.(*net.TCPConn).File()
			conn.Close()
			if err != nil {
				t.Error(err)
				return
			}
			running.Go(func() {
				cmd := exec.Command(exim, "-C", file, "-bs")
				cmd.Stdin, cmd.Stdout = f, f
				_ = cmd.Run() // it ends with an error where the client breaks off
				f.Close()
			})
		}
	})
	return delivery.SMTPConfig{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: delivery.TLSNone}, spool
}

// What a strict server takes: an envelope in angle brackets, a full name, a few connections, its own ways to log in.
func TestStrictServer(t *testing.T) {
	cert, key := pemFiles(t)
	secure := map[string]any{"cert": cert.pem, "key": key.pem, "user": "ann", "password": "right", "maxClients": 3}
	t.Run("ten messages, three connections", func(t *testing.T) {
		config, next := strict(t, map[string]any{"maxClients": 3, "hideSTARTTLS": true})
		sender := newSMTP(t, config)
		var wait sync.WaitGroup
		for i := range 10 {
			wait.Go(func() {
				receipt, err := sender.Deliver(t.Context(), mailTo(fmt.Sprintf("r%d@b.example", i)))
				if err != nil || !strings.HasSuffix(receipt.Detail, "queued as N1") {
					t.Errorf("%+v, %v", receipt, err)
				}
			})
		}
		wait.Wait()
		var to []string
		for range 10 {
			got := next()
			to = append(to, got.To...)
			if got.From != "shop@example.com" || got.Most > 2 || got.Helo == "localhost" || !strings.Contains(got.Raw, "<p>Hi</p>") {
				t.Errorf("%+v", got)
			}
		}
		if slices.Sort(to); len(slices.Compact(to)) != 10 {
			t.Errorf("to %q", to)
		}
		if err := sender.Ping(t.Context(), "shop@example.com"); err != nil {
			t.Error(err)
		}
	})
	t.Run("certificate of our own", func(t *testing.T) {
		config, next := strict(t, secure)
		t.Setenv("BUGLE_TEST_PASSWORD", "right")
		c := engine.Connector{Name: "C", Provider: engine.ProviderSMTP, SMTP: &engine.SMTP{Host: config.Host, Port: config.Port, TLS: "starttls", Auth: "auto", User: "ann", PasswordEnv: "BUGLE_TEST_PASSWORD"}}
		deliver := func() error {
			t.Helper()
			sender, err := providers.NewMail(c)
			if err != nil {
				t.Fatal(err)
			}
			defer sender.(io.Closer).Close()
			_, err = sender.Deliver(t.Context(), mailTo("a@b.example"))
			return err
		}
		wantError(t, deliver(), delivery.Insecure, "Its SHA-256 fingerprint is "+cert.fingerprint)
		c.SMTP.CAFile = cert.file
		for _, c.SMTP.Auth = range []string{"auto", "plain", "login"} {
			if err := deliver(); err != nil {
				t.Fatal(err)
			}
			if got := next(); !got.Encrypted || got.User != "ann" {
				t.Errorf("%+v", got)
			}
		}
		t.Setenv("BUGLE_TEST_PASSWORD", "wrong")
		wantError(t, deliver(), delivery.Auth, "refused the user name or password")
		c.SMTP.TLS = "tls"
		wantError(t, deliver(), delivery.Insecure, "does not use TLS on this port; set the connector's encryption to STARTTLS")
	})
	t.Run("TLS from the start", func(t *testing.T) {
		config, _ := strict(t, map[string]any{"secure": true, "cert": cert.pem, "key": key.pem})
		config.TLS = delivery.TLSStart
		wantError(t, newSMTP(t, config).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "expects TLS from the start")
	})
	t.Run("international addresses", func(t *testing.T) {
		for _, hide := range []bool{true, false} {
			config, next := strict(t, map[string]any{"hideSMTPUTF8": hide, "hideSTARTTLS": true})
			sender := newSMTP(t, config)
			if _, err := sender.Deliver(t.Context(), mailTo("ida@b\u00fccher.example")); err != nil {
				t.Fatal(err)
			}
			if got := next(); got.To[0] != "ida@xn--bcher-kva.example" && got.To[0] != "ida@b\u00fccher.example" { // it shows them decoded
				t.Errorf("%+v", got)
			}
			_, err := sender.Deliver(t.Context(), mailTo("id\u00e4@b.example"))
			if hide {
				wantError(t, err, delivery.Invalid, "does not support SMTPUTF8")
			} else if err != nil || next().To[0] != "id\u00e4@b.example" {
				t.Error(err)
			}
		}
	})
}

func TestLenientServer(t *testing.T) {
	config, spool := lenient(t, `
  defer local_parts = later
        message = greylisted
  drop local_parts = dropped
  deny local_parts = nobody
       message = no such mailbox, see https://example.com/help
`)
	sender := newSMTP(t, config)
	if err := sender.Ping(t.Context(), "shop@example.com"); err != nil {
		t.Error(err)
	}
	_, err := sender.Deliver(t.Context(), mailTo("later@b.example"))
	wantError(t, err, delivery.Refused, "451 greylisted (temporary, try again in some minutes)")
	_, err = sender.Deliver(t.Context(), mailTo("nobody@b.example"))
	wantError(t, err, delivery.Refused, "550 no such mailbox, see https://example.com/help")
	_, err = sender.Deliver(t.Context(), mailTo("dropped@b.example"))
	wantError(t, err, delivery.Refused, "550 Administrative prohibition")
	receipt, err := sender.Deliver(t.Context(), mailTo("ida@b\u00fccher.example")) // also after the server has hung up
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`OK id=(\S+)$`).FindStringSubmatch(receipt.Detail)
	if id == nil {
		t.Fatalf("%q has no id of the queue", receipt.Detail)
	}
	header, err := os.ReadFile(filepath.Join(spool, "input", id[1]+"-H"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<shop@example.com>", "ida@xn--bcher-kva.example", "Message-ID: <" + receipt.ID + ">"} {
		if !strings.Contains(string(header), want) {
			t.Errorf("the queue has no %s:\n%s", want, header)
		}
	}
	config.LocalName = "localhost"
	wantError(t, newSMTP(t, config).Ping(t.Context(), "shop@example.com"), delivery.Refused, "refused the name of this computer, localhost: 550 need a full name; set the connector's name for EHLO")

	// The confirmation is lost on the way: the server has the message, and no one may say that it has not.
	config.LocalName, config.Port = "", cutAfterTheEnd(t, config.Port)
	_, err = newSMTP(t, config).Deliver(t.Context(), mailTo("b@b.example"))
	wantError(t, err, delivery.Unreachable, "it may have been delivered; look before you repeat")
	if queue, err := filepath.Glob(filepath.Join(spool, "input", "*-H")); err != nil || len(queue) != 2 {
		t.Errorf("the queue has %q, %v", queue, err)
	}
}

// cutAfterTheEnd is a proxy that loses the server's response to the end of a message.
func cutAfterTheEnd(t *testing.T, port int) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		client, err := l.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Error(err)
			return
		}
		defer server.Close()
		go func() { _, _ = io.Copy(server, client) }()
		for lines := bufio.NewReader(server); ; {
			line, err := lines.ReadString('\n')
			if err != nil || strings.HasPrefix(line, "250 OK id=") {
				return
			}
			_, _ = io.WriteString(client, line)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

type pemFile struct{ pem, file, fingerprint string }

func pemFiles(t *testing.T) (cert, key pemFile) {
	t.Helper()
	pair, _ := certificate(t)
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	key.pem = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	cert.pem = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}))
	cert.file, cert.fingerprint = filepath.Join(t.TempDir(), "ca.pem"), fingerprint(pair.Certificate[0])
	if err := os.WriteFile(cert.file, []byte(cert.pem), 0o600); err != nil {
		t.Fatal(err)
	}
	return cert, key
}

func fingerprint(der []byte) string {
	return strings.ReplaceAll(fmt.Sprintf("% X", sha256.Sum256(der)), " ", ":")
}
