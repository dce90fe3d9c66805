package delivery_test

import (
	"bufio"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/providers"
)

// on has the servers that a try concerns, with what the configuration of each has besides.
type on map[string]string

// What mail servers of others make of our messages, and we of their responses. Each row is tried on each of its servers.
func TestMailServers(t *testing.T) {
	for name, row := range map[string]struct {
		setup
		on
		try func(t *testing.T, m *mta)
	}{
		"envelope": {setup{}, on{
			"exim":        "acl_smtp_helo = ${if match{$sender_helo_name}{\\N^\\[|\\.\\N}{accept}{deny}}",
			"postfix":     "strict_rfc821_envelopes = yes\nsmtpd_helo_required = yes\nsmtpd_helo_restrictions = reject_non_fqdn_helo_hostname, reject_invalid_helo_hostname",
			"opensmtpd":   "",
			"smtp-server": "",
			"maildev":     "",
		}, tryEnvelope},
		"login over STARTTLS": {setup{tls: delivery.TLSStart, logins: []string{"PLAIN", "LOGIN"}}, on{"exim": "", "postfix": "", "smtp-server": ""}, tryLogin},
		"login over TLS":      {setup{tls: delivery.TLSImplicit, logins: []string{"PLAIN", "LOGIN"}}, on{"exim": "", "postfix": "", "smtp-server": "", "maildev": ""}, tryLogin},
		"login by challenge":  {setup{tls: delivery.TLSStart, logins: []string{"CRAM-MD5"}}, on{"exim": "", "postfix": "", "smtp-server": ""}, tryLogin},
		"login by proof":      {setup{tls: delivery.TLSStart, logins: []string{"SCRAM-SHA-256"}}, on{"postfix": ""}, tryLogin},
		"login by old proof":  {setup{tls: delivery.TLSStart, logins: []string{"SCRAM-SHA-1"}}, on{"postfix": ""}, tryLogin},
		"login of any kind":   {setup{tls: delivery.TLSStart, logins: []string{"PLAIN", "LOGIN", "CRAM-MD5", "SCRAM-SHA-1", "SCRAM-SHA-256"}}, on{"postfix": ""}, tryLogin},
		"login in plain text": {setup{logins: []string{"PLAIN"}}, on{"exim": "", "postfix": ""}, tryLoginWithoutTLS},
		"no TLS":              {setup{}, on{"exim": "", "postfix": "", "opensmtpd": "", "smtp-server": ""}, tryNoTLS},
		"TLS for STARTTLS":    {setup{tls: delivery.TLSImplicit}, on{"exim": "", "postfix": "", "smtp-server": ""}, trySTARTTLSOnTLSPort},

		"confirmation lost": {setup{}, on{"exim": "", "postfix": "", "opensmtpd": "", "smtp-server": ""}, tryLostConfirmation},
		"slow confirmation": {setup{}, on{"postfix": "smtpd_end_of_data_restrictions = sleep 3"}, tryPatience("Waiting for the confirmation of the mail server at SERVER, for up to 10m0s.")},
		"slow greeting":     {setup{}, on{"exim": "acl_smtp_connect = accept delay = 3s"}, tryPatience("Waiting for the greeting of the mail server at SERVER, for up to 1m0s.")},
		"slow steps": {setup{}, on{
			"exim": "acl_smtp_helo = accept delay = 1s\nacl_smtp_mail = accept delay = 1s\nacl_smtp_rcpt = accept delay = 1s\nacl_smtp_predata = accept delay = 1s",
		}, func(t *testing.T, m *mta) { deliver(t, m, mailTo("ida@b.example")) }},
		"slow line": {setup{}, on{"exim": ""}, trySlowLine},
		"few connections": {setup{}, on{
			"exim":        "smtp_accept_max_per_host = 3\nsmtp_accept_max_per_connection = 3",
			"postfix":     "smtpd_client_connection_count_limit = 3",
			"opensmtpd":   "",
			"smtp-server": `{"maxClients": 3}`,
		}, tryFewConnections},
		"all connections taken": {setup{}, on{
			"exim":        "smtp_accept_max_per_host = 1",
			"postfix":     "smtpd_client_connection_count_limit = 1",
			"smtp-server": `{"maxClients": 1}`,
		}, tryBusy},
		"name for EHLO": {setup{}, on{
			"exim":    "acl_smtp_helo = ${if match{$sender_helo_name}{\\N^\\[|\\.\\N}{accept}{deny message = need a full name}}",
			"postfix": "smtpd_delay_reject = no\nsmtpd_helo_restrictions = reject_non_fqdn_helo_hostname",
		}, func(t *testing.T, m *mta) {
			m.LocalName = "localhost"
			err := newSMTP(t, m.SMTPConfig).Ping(t.Context(), "shop@example.com")
			wantError(t, err, delivery.Refused, "refused the name of this computer, localhost: 5")
			wantError(t, err, delivery.Refused, "; set the connector's name for EHLO")
		}},
		"addresses without SMTPUTF8": {setup{}, on{
			"exim":        "smtputf8_advertise_hosts =",
			"postfix":     "smtputf8_enable = no",
			"opensmtpd":   "",
			"smtp-server": `{"hideSMTPUTF8": true}`,
			"maildev":     `{"hideExtensions": ["SMTPUTF8"]}`,
		}, func(t *testing.T, m *mta) {
			_, err := newSMTP(t, m.SMTPConfig).Deliver(t.Context(), mailTo("idä@b.example"))
			wantError(t, err, delivery.Invalid, "cannot send to or from idä@b.example, because it does not support SMTPUTF8")
			deliver(t, m, mailTo("ida@bücher.example"))
			if got := m.mails(t, 1)[0]; got.to != "ida@xn--bcher-kva.example" && got.to != "ida@bücher.example" { // some show it decoded
				t.Errorf("it is to %s", got.to)
			}
		}},
		"addresses with SMTPUTF8": {setup{}, on{"exim": "smtputf8_advertise_hosts = *", "postfix": "smtputf8_enable = yes", "smtp-server": ""}, func(t *testing.T, m *mta) {
			deliver(t, m, mailTo("idä@bücher.example"))
			if got := m.mails(t, 1)[0]; got.to != "idä@xn--bcher-kva.example" && got.to != "idä@bücher.example" {
				t.Errorf("it is to %s", got.to)
			}
		}},
		"no extensions": {setup{}, on{
			"exim":        "accept_8bitmime = false\npipelining_advertise_hosts =\nchunking_advertise_hosts =\nsmtputf8_advertise_hosts =",
			"postfix":     "smtpd_discard_ehlo_keywords = 8bitmime, pipelining, chunking, size, dsn, enhancedstatuscodes, smtputf8, vrfy, etrn",
			"smtp-server": `{"hide8BITMIME": true, "hidePIPELINING": true, "hideSMTPUTF8": true, "hideENHANCEDSTATUSCODES": true}`,
		}, tryReadable},
		"many parts": {setup{}, on{"exim": "", "postfix": "", "opensmtpd": "", "smtp-server": "", "maildev": ""}, tryReadable},
		"too large": {setup{}, on{
			"exim":        "message_size_limit = 2M",
			"postfix":     "message_size_limit = 2000000",
			"opensmtpd":   "smtp max-message-size 2M",
			"smtp-server": `{"size": 2000000}`,
		}, tryLargeFiles},
		"refusals": {setup{}, on{
			"exim": `acl_smtp_mail = mail
acl_smtp_rcpt = rcpt
acl_smtp_predata = data
acl_smtp_data = end
begin acl
` + eximRefuses("mail") + eximRefuses("rcpt") + eximRefuses("data") + eximRefuses("end"),
			"postfix": "smtpd_sender_restrictions = " + postfixRefuses("mail") + "\nsmtpd_recipient_restrictions = " + postfixRefuses("rcpt") +
				"\nsmtpd_data_restrictions = " + postfixRefuses("data") + "\nsmtpd_end_of_data_restrictions = " + postfixRefuses("end"),
			"smtp-server": "",
		}, tryRefusals},
		"one of three refused": {setup{}, on{
			"exim":        "acl_smtp_rcpt = ${if match{$local_part}{^nobody}{deny message = no such mailbox}{accept}}",
			"postfix":     "smtpd_recipient_restrictions = check_recipient_access inline:{ {nobody-550@b.example = 550 no such mailbox} }",
			"opensmtpd":   `match from any for rcpt-to "nobody-550@b.example" reject`,
			"smtp-server": "",
		}, func(t *testing.T, m *mta) {
			message := mailTo("ida@b.example")
			message.Email.Cc, message.Email.Bcc = []string{"nobody-550@b.example"}, []string{"bob@b.example"}
			_, err := newSMTP(t, m.SMTPConfig).Deliver(t.Context(), message)
			wantError(t, err, delivery.Refused, "refused the recipient nobody-550@b.example: 550")
			m.mails(t, 0)
		}},
	} {
		for server, more := range row.on {
			t.Run(name+"/"+server, func(t *testing.T) {
				t.Parallel()
				s := row.setup
				s.more = more
				row.try(t, startMTA(t, server, s))
			})
		}
	}
}

// refusals are the codes of refusals, each at each step.
var refusals = []string{"421", "451", "452", "530", "550", "552", "554"}

// eximRefuses returns an ACL that refuses senders such as mail-550 at the step mail.
func eximRefuses(step string) string {
	acl := step + ":\n"
	for _, code := range refusals {
		verb := map[byte]string{'4': "defer", '5': "deny"}[code[0]]
		acl += fmt.Sprintf("  %s senders = %s-%s@example.com\n    message = %[3]s refused for a test\n", verb, step, code)
	}
	return acl + "  accept\n"
}

func postfixRefuses(step string) string {
	table := ""
	for _, code := range refusals {
		table += fmt.Sprintf(" {%s-%s@example.com = %[2]s refused for a test}", step, code)
	}
	return "check_sender_access inline:{" + table + " }"
}

func deliver(t *testing.T, m *mta, message delivery.Message) delivery.Receipt {
	t.Helper()
	sender := newSMTP(t, m.SMTPConfig)
	receipt, err := sender.Deliver(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

// The envelope is in angle brackets, the name of this computer is a full one, and Bcc is nowhere in the message.
func tryEnvelope(t *testing.T, m *mta) {
	sender := newSMTP(t, m.SMTPConfig)
	if err := sender.Ping(t.Context(), "shop@example.com"); err != nil {
		t.Error(err)
	}
	message := mailTo("Ada <ada@b.example>")
	message.Email.Cc, message.Email.Bcc = []string{"bob@b.example"}, []string{"cid@b.example"}
	receipt, err := sender.Deliver(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(id=|queued as |2\.0\.0 )[0-9A-Za-z-]+`).MatchString(receipt.Detail) {
		t.Errorf("%q has no id of the queue", receipt.Detail)
	}
	for i, got := range m.mails(t, 3) {
		if to := []string{"ada", "bob", "cid"}[i] + "@b.example"; got.to != to || got.header.Get("Message-Id") != "<"+receipt.ID+">" || got.protocol != "ESMTP" {
			t.Errorf("%+v, want it to %s with the id %s", got, to, receipt.ID)
		}
		if got.helo == "localhost" || !strings.Contains(got.raw, "<p>Hi</p>") {
			t.Errorf("from %q: %s", got.helo, got.raw)
		}
		if text := strings.ReplaceAll(got.raw, got.to, ""); strings.Contains(text, "cid@") {
			t.Errorf("Bcc stands in the message:\n%s", text)
		}
	}
}

// What the server offers is taken by itself, and each method when it is chosen.
func tryLogin(t *testing.T, m *mta) {
	list := []delivery.AuthMode{delivery.AuthAuto}
	for _, mode := range m.logins {
		if slices.Contains([]string{"PLAIN", "LOGIN", "CRAM-MD5"}, mode) {
			list = append(list, delivery.AuthMode(strings.ToLower(mode)))
		}
	}
	for _, m.Auth = range list {
		deliver(t, m, mailTo(string(m.Auth)+"@b.example"))
	}
	for _, got := range m.mails(t, len(list)) {
		if got.protocol != "ESMTPSA" && got.helo != "maildev" {
			t.Errorf("%s came with %s", got.to, got.protocol)
		}
	}
	m.Auth, m.Password = delivery.AuthAuto, "wrong"
	wantError(t, newSMTP(t, m.SMTPConfig).Ping(t.Context(), "shop@example.com"), delivery.Auth, "refused the user name or password of the connector: 535")
	m.Auth, m.Username = "", ""
	if m.TLS == delivery.TLSStart {
		m.TLS = delivery.TLSImplicit
		wantError(t, newSMTP(t, m.SMTPConfig).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "does not use TLS on this port; set the connector's encryption to STARTTLS")
	}
}

func tryLoginWithoutTLS(t *testing.T, m *mta) {
	deliver(t, m, mailTo("ida@b.example")) // this computer talks to itself
	m.Host = "::ffff:127.0.0.1"            // which is not taken for this computer
	for _, m.Auth = range []delivery.AuthMode{delivery.AuthAuto, delivery.AuthPlain} {
		wantError(t, newSMTP(t, m.SMTPConfig).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "offers the login with PLAIN, which needs TLS, so the password was not sent")
	}
}

func tryNoTLS(t *testing.T, m *mta) {
	m.TLS = delivery.TLSOpportunistic
	deliver(t, m, mailTo("ida@b.example"))
	m.TLS = delivery.TLSStart
	wantError(t, newSMTP(t, m.SMTPConfig).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "does not support STARTTLS; set the connector's encryption to TLS")
	m.TLS = delivery.TLSImplicit
	wantError(t, newSMTP(t, m.SMTPConfig).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "does not use TLS on this port")
}

func trySTARTTLSOnTLSPort(t *testing.T, m *mta) {
	m.TLS = delivery.TLSStart
	wantError(t, newSMTP(t, m.SMTPConfig).Ping(t.Context(), "shop@example.com"), delivery.Insecure, "expects TLS from the start; set the connector's encryption to TLS")
}

// The server has the message, and no one may say that it has not. A repeat has the same Message-ID.
func tryLostConfirmation(t *testing.T, m *mta) {
	direct := m.Port
	message := mailTo("ida@b.example")
	message.Email.ID = "the-one"
	m.Port = proxy(t, direct, 0, true)
	_, err := newSMTP(t, m.SMTPConfig).Deliver(t.Context(), message)
	wantError(t, err, delivery.Unreachable, "it may have been delivered; look before you repeat")
	if !errors.Is(err, delivery.ErrUnknown) {
		t.Errorf("%v is taken for a failure", err)
	}
	m.mails(t, 1)
	m.Port = direct
	deliver(t, m, message)
	for _, got := range m.mails(t, 2) {
		if got.header.Get("Message-Id") != "<the-one@example.com>" {
			t.Errorf("the id is %s", got.header.Get("Message-Id"))
		}
	}
}

// tryPatience delivers to a server that takes its time, and reports what is waited for.
func tryPatience(sentence string) func(t *testing.T, m *mta) {
	return func(t *testing.T, m *mta) {
		m.Timeout = 0
		var told []string
		ctx := delivery.WithProgress(t.Context(), func(sentence string) { told = append(told, sentence) })
		if _, err := newSMTP(t, m.SMTPConfig).Deliver(ctx, mailTo("ida@b.example")); err != nil {
			t.Fatal(err)
		}
		if want := strings.ReplaceAll(sentence, "SERVER", fmt.Sprintf("127.0.0.1:%d", m.Port)); !slices.Equal(told, []string{want}) {
			t.Errorf("told %q, want %q", told, want)
		}
		m.mails(t, 1)
	}
}

func trySlowLine(t *testing.T, m *mta) {
	m.Port = proxy(t, m.Port, 450_000, false)
	message := mailTo("ida@b.example")
	message.Email.Attachments = []delivery.Attachment{{Name: "a.bin", Data: make([]byte, 900_000*3/4)}}
	started := time.Now()
	deliver(t, m, message)
	if took := time.Since(started); took < 2*time.Second {
		t.Errorf("the line was not slow: %s", took)
	}
	m.mails(t, 1)
}

func tryFewConnections(t *testing.T, m *mta) {
	sender := newSMTP(t, m.SMTPConfig)
	var wait sync.WaitGroup
	for i := range 10 {
		wait.Go(func() {
			if _, err := sender.Deliver(t.Context(), mailTo(fmt.Sprintf("r%d@b.example", i))); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for i, got := range m.mails(t, 10) {
		if got.to != fmt.Sprintf("r%d@b.example", i) {
			t.Errorf("%d is to %s", i, got.to)
		}
	}
}

// As nothing was sent, it waits until the server has room.
func tryBusy(t *testing.T, m *mta) {
	other, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", m.Port))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := bufio.NewReader(other).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	m.BusyWait = 100 * time.Millisecond
	told := 0
	ctx := delivery.WithProgress(t.Context(), func(sentence string) {
		if strings.Contains(sentence, "is busy. Trying again in") {
			told++
			other.Close()
		}
	})
	if _, err := newSMTP(t, m.SMTPConfig).Deliver(ctx, mailTo("ida@b.example")); err != nil || told == 0 {
		t.Errorf("%v, told %d times", err, told)
	}
	m.mails(t, 1)
}

func tryReadable(t *testing.T, m *mta) {
	message := delivery.Message{Key: "K", Email: readable()}
	message.Email.To = "ada@b.example"
	deliver(t, m, message)
	got := m.mails(t, 1)[0]
	header, parts := leaves(t, []byte(got.raw))
	if subject, err := header.Text("Subject"); err != nil || subject != message.Email.Subject {
		t.Errorf("the subject is %q, %v", subject, err)
	}
	var names, want []string
	for _, p := range parts[2:] {
		names = append(names, p.name)
	}
	for _, a := range message.Email.Attachments {
		want = append(want, strings.ReplaceAll(a.Name, `"`, ""))
	}
	if len(names) != len(want) || !strings.Contains(parts[1].body, "<p>Hello Zoë</p>") {
		t.Errorf("the files are %q\nwant %q", names, want)
	}
}

func tryLargeFiles(t *testing.T, m *mta) {
	message := mailTo("ida@b.example")
	file := delivery.Attachment{Name: "a.bin", Data: make([]byte, 900<<10)}
	message.Email.Attachments = []delivery.Attachment{file}
	deliver(t, m, message)
	if got := m.mails(t, 1)[0]; len(got.raw) < 1200<<10 {
		t.Errorf("it has %d bytes", len(got.raw))
	}
	message.Email.Attachments = []delivery.Attachment{file, file, file} // more than the server takes
	_, err := newSMTP(t, m.SMTPConfig).Deliver(t.Context(), message)
	if wantError(t, err, delivery.Refused, "refused the message: 55"); !regexp.MustCompile(`: 552 | too big`).MatchString(fmt.Sprint(err)) {
		t.Error(err)
	}
	m.mails(t, 1)
}

func tryRefusals(t *testing.T, m *mta) {
	m.BusyWait = time.Hour
	delivered := 0
	sender := newSMTP(t, m.SMTPConfig)
	for _, step := range []string{"mail", "rcpt", "data", "end"} {
		for _, code := range refusals {
			message := mailTo("ida@b.example")
			message.Email.From = fmt.Sprintf("%s-%s@example.com", step, code)
			_, err := sender.Deliver(t.Context(), message)
			if err == nil && step == "data" {
				delivered++ // npm's smtp-server has no such step
				continue
			}
			if err == nil || !strings.Contains(err.Error(), ": "+code+" ") {
				t.Errorf("%s %s: %v", step, code, err)
				continue
			}
			if temporary := code[0] == '4'; strings.HasSuffix(err.Error(), "(temporary, try again in some minutes)") != temporary || errors.Is(err, delivery.ErrUnknown) {
				t.Errorf("%s %s: %v", step, code, err)
			}
		}
	}
	m.mails(t, delivered)
	if _, err := sender.Deliver(t.Context(), mailTo("ida@b.example")); err != nil {
		t.Error(err)
	}
	m.mails(t, delivered+1)
}

// proxy passes on what a server and its client say, the client's with so many bytes a second, and loses the confirmation of
// a message if lose is set.
func proxy(t *testing.T, port, speed int, lose bool) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go relay(client, port, speed, lose)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func relay(client net.Conn, port, speed int, lose bool) {
	defer client.Close()
	server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		for block := make([]byte, 8192); ; {
			n, err := client.Read(block)
			if speed > 0 {
				time.Sleep(time.Duration(n) * time.Second / time.Duration(speed)) // is the line
			}
			if _, failed := server.Write(block[:n]); err != nil || failed != nil {
				return
			}
		}
	}()
	lines, confirms := bufio.NewReader(server), false
	for {
		line, err := lines.ReadString('\n')
		if err != nil || confirms && lose {
			return
		}
		confirms = strings.HasPrefix(line, "354")
		if _, err := io.WriteString(client, line); err != nil {
			return
		}
	}
}

// A certificate that is not trusted ends the conversation, and the error says why. ca_file is the remedy where it can be.
func TestCertificatesOfMailServers(t *testing.T) {
	ca, own := certificate(t, nil, nil), certificate(t, nil, nil)
	issued := func(change func(*x509.Certificate)) tls.Certificate { return certificate(t, &ca, change) }
	for name, tt := range map[string]struct {
		cert tls.Certificate
		by   *tls.Certificate // in ca_file
		why  string           // it is not trusted without ca_file
		with string           // why it is not trusted with it, if so
	}{
		"self-signed": {own, &own, "Its SHA-256 fingerprint is " + fingerprint(own.Leaf.Raw), ""},
		"unknown CA":  {issued(nil), &ca, "set the connector's certificates (ca_file) to it", ""},
		"other CA":    {issued(nil), &own, "does not know who issued it", "does not know who issued it"},
		"expired":     {issued(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), &ca, "expired", "expired"},
		"wrong host": {issued(func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"mail.example.com"} }), &ca,
			"cannot validate certificate for 127.0.0.1", "cannot validate certificate for 127.0.0.1"},
	} {
		for server, mode := range map[string]delivery.TLSMode{"exim": delivery.TLSStart, "postfix": delivery.TLSImplicit} {
			t.Run(name+"/"+server, func(t *testing.T) {
				t.Parallel()
				m := startMTA(t, server, setup{tls: mode, cert: &tt.cert})
				c := engine.Connector{Name: "C", Provider: engine.ProviderSMTP, SMTP: &engine.SMTP{Host: m.Host, Port: m.Port, TLS: string(mode)}}
				try := func() error {
					sender, err := providers.NewMail(c)
					if err != nil {
						t.Fatal(err)
					}
					defer sender.(io.Closer).Close()
					_, err = sender.Deliver(t.Context(), mailTo("ida@b.example"))
					return err
				}
				wantError(t, try(), delivery.Insecure, tt.why)
				m.mails(t, 0)
				c.SMTP.CAFile = writeCertificate(t, t.TempDir()+"/ca.pem", tt.by)
				if err := try(); tt.with != "" {
					wantError(t, err, delivery.Insecure, tt.with)
				} else if err != nil {
					t.Error(err)
				} else {
					m.mails(t, 1)
				}
			})
		}
	}
}

func fingerprint(der []byte) string {
	return strings.ReplaceAll(fmt.Sprintf("% X", sha256.Sum256(der)), " ", ":")
}
