package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/net/idna"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/render"
	"bugle/engine/message/resolve"
	"bugle/engine/message/template"
	"bugle/store"
)

// compose renders the messages of a job: one email, or a push per device of the user.
func (r *testRun) compose(ctx context.Context, j *job) ([]delivery.Message, error) {
	p := r.plan
	if p.document.Lookup(j.key.Content).Empty() {
		return nil, errors.New("this message has no content")
	}
	if why := p.content.MissingTemplate(j.key.Content); why != "" {
		return nil, errors.New(why)
	}
	var devices []engine.Device
	if p.channel == catalog.Push {
		var why string
		if devices, why = j.to.on(j.key.Platform); why != "" {
			return nil, errors.New(why)
		}
	}
	content, err := p.render(ctx, j.key, p.data(j.to))
	if err != nil {
		return nil, err
	}
	m := delivery.Message{Key: j.key.String(), Recipient: j.to.name}
	if p.channel == catalog.Email {
		if m.Email, err = r.email(ctx, content, j.to.address); err == nil {
			m.Email.Headers[headerTest] = p.mark(m.Key)
		}
		return []delivery.Message{m}, err
	}
	var out []delivery.Message
	for _, d := range devices {
		if m.Push, err = p.push(j.key, content, d, r.s.now()); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// render returns the content of a key with its expressions filled. It fails with all missing values; a
// message with missing values is never sent.
func (p *testPlan) render(ctx context.Context, key engine.TestKey, data template.Data) (doc.Value, error) {
	var holes []string
	out, _, err := resolve.Message(p.channel, p.document, p.env, key, func(at doc.Path, text string) (string, error) {
		out, err := template.Render(ctx, text, data)
		if err != nil && ctx.Err() != nil {
			return "", err
		}
		if err != nil {
			names := catalog.Campaign(p.channel).Trail(at)
			if at.HasPrefix(key.Content) {
				names = names[len(key.Content):]
			}
			holes = append(holes, strings.Join(names, " › ")+": "+err.Error())
		}
		return out, nil
	})
	if err == nil && len(holes) > 0 {
		err = errors.New(strings.Join(holes, "; "))
	}
	return out, err
}

// headerTest marks a test, so that recipients and filters can tell it from the campaign's own messages.
const headerTest = "X-Bugle-Test"

// mark returns which message of which campaign a test has: campaign=65f0a1b2c3d4e5f60718293a; revision=3; message=EMAIL_de_variation_1.
// The content of a request belongs to no campaign.
func (p *testPlan) mark(key string) string {
	if p.campaignID == "" {
		return "message=" + key
	}
	return fmt.Sprintf("campaign=%s; revision=%d; message=%s", p.campaignID, p.revision, key)
}

// email builds the email of rendered content.
func (r *testRun) email(ctx context.Context, c doc.Value, to string) (*delivery.Email, error) {
	e := resolve.Email(c)
	e.To, e.Headers = to, map[string]string{}
	if !r.copies {
		e.Cc, e.Bcc = nil, nil
	}
	if e.HTML == "" {
		return nil, errors.New("the email has no HTML content")
	}
	e.Text = delivery.PlainText(e.HTML)
	if link := unsubscribeURI(render.Email(c, render.Options{}).Unsubscribe); link != "" {
		// Nothing says that the address takes the POST request of one click (RFC 8058), so List-Unsubscribe-Post stays away.
		e.Headers["List-Unsubscribe"] = "<" + link + ">"
	}
	for _, a := range c.Get("attachments").Elems() {
		file, err := r.files.get(ctx, a.Get("url").Text())
		if err != nil {
			return nil, err
		}
		e.Attachments = append(e.Attachments, file)
	}
	return e, nil
}

// unsubscribeURI returns a link in the form that a header has it (RFC 2369). It is empty if mail readers cannot use it.
func unsubscribeURI(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return ""
	}
	if u.Host, err = idna.ToASCII(u.Host); err != nil {
		return ""
	}
	var b strings.Builder
	for _, c := range []byte(u.String()) {
		if c <= ' ' || c > '~' || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	if b.Len() > longestURI {
		return ""
	}
	return b.String()
}

// longestURI is how long a link in a header may be, in bytes: a line has at most 998 (RFC 5322).
const longestURI = 900

// attachments downloads each URL of a test once.
type attachments struct {
	fetcher *delivery.Fetcher
	log     *slog.Logger
	mu      sync.Mutex
	known   map[string]func() (delivery.Attachment, error)
}

func (a *attachments) get(ctx context.Context, url string) (delivery.Attachment, error) {
	a.mu.Lock()
	if a.known == nil {
		a.known = map[string]func() (delivery.Attachment, error){}
	}
	fetch := a.known[url]
	if fetch == nil {
		fetch = sync.OnceValues(func() (delivery.Attachment, error) {
			file, err := a.fetcher.Fetch(ctx, url)
			logCause(a.log, "an attachment was not fetched", err)
			return file, err
		})
		a.known[url] = fetch
	}
	a.mu.Unlock()
	return fetch()
}

// logCause logs the cause of a connection error, which the error itself may hide from the sender.
func logCause(log *slog.Logger, what string, err error) {
	var e *delivery.Error
	if errors.As(err, &e) && e.Reason == delivery.Unreachable && e.Err != nil {
		log.Warn(what, "error", err, "cause", e.Err)
	}
}

// outboxWriter stores the messages of a test in the workspace's outbox.
type outboxWriter struct {
	s      *Service
	plan   *testPlan
	record *sendRecord
	id     string // the Message-ID that a mail server got; empty for none
}

func (k outboxWriter) Put(ctx context.Context, m delivery.Message, at time.Time) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	d := engine.OutboxMessage{
		ID: id.String(), At: at.UTC(), CampaignID: k.plan.campaignID, Campaign: k.plan.name,
		Channel: k.plan.channel, Key: m.Key, Recipient: m.Recipient, Connector: k.plan.connectorName(m),
	}
	if k.plan.as != nil {
		d.As = k.plan.as.String()
	}
	if e := m.Email; e != nil {
		d.Email = &engine.EmailMessage{
			From: e.From, FromName: e.FromName, ReplyTo: e.ReplyTo, To: e.To, Cc: e.Cc, Bcc: e.Bcc,
			Subject: e.Subject, PreviewText: e.PreviewText, HTML: e.HTML, Text: e.Text, Headers: maps.Clone(e.Headers),
		}
		if k.id != "" {
			d.Email.Headers["Message-ID"] = "<" + k.id + ">"
		}
		for _, a := range e.Attachments {
			d.Email.Attachments = append(d.Email.Attachments, a.Name)
		}
	}
	if p := m.Push; p != nil {
		payload, err := doc.Parse(p.Payload)
		if err != nil {
			return "", fmt.Errorf("cannot store the payload: %w", err)
		}
		d.Push = &engine.PushMessage{Platform: p.Platform, Token: p.Token, Title: p.Title, Body: p.Body, Headers: p.Headers, Payload: payload}
	}
	return d.ID, k.s.update(ctx, func(sp store.WorkspaceTx) error {
		if err := k.record.write(sp, false); err != nil {
			return err
		}
		return sp.PutOutbox(d)
	})
}
