package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/providers"
	"bugle/engine/phrase"
)

// TrialTime limits the duration of a trial that is not by email.
const TrialTime = time.Minute

// Input is an input of a trial.
type Input struct {
	Name    string // in one or two words
	Help    string // a clause
	Example string
	// Optional reports that a trial without this input only checks the settings and sends nothing.
	Optional bool
}

// TrialResult is the result of a trial.
type TrialResult struct {
	Failed bool
	Text   string    // a sentence about what happened
	Err    error     // why it failed, in Text
	Detail string    // the response as text or JSON; may be empty
	Value  doc.Value // the same, machine-readable
}

// TrialInputs returns the inputs of a record's trial, or none if it has no trial.
func (s *Section) TrialInputs(v doc.Value) []Input {
	switch s.ID {
	case "connectors":
		return []Input{{Name: "To", Help: "the email address to send the test message to", Example: "ann@example.com", Optional: true}}
	case "gateways":
		return []Input{{Name: "To", Help: "a user ID, to send to all of the user's devices on this platform, or a device token", Example: "USER_1", Optional: true}}
	case "apis":
		var out []Input
		for _, p := range v.Get("params").Strings() {
			out = append(out, Input{Name: p, Help: "the argument " + p})
		}
		return out
	}
	return nil
}

// Try tries out a record, for example by sending a test message, with the inputs of [Section.TrialInputs] in
// their order. from is the sender of an email. A failed trial is not an error: the result describes it.
func (s *Section) Try(ctx context.Context, svc any, name, from string, inputs []string) (TrialResult, error) {
	v, err := s.Get(ctx, svc, name)
	if err != nil {
		return TrialResult{}, err
	}
	if s.ID != "connectors" { // whose server may take longer for each step, and says so
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, TrialTime)
		defer cancel()
	}
	to := ""
	if len(inputs) > 0 {
		to = strings.TrimSpace(inputs[0])
	}
	switch s.ID {
	case "connectors":
		return tryMail(ctx, v, from, to)
	case "gateways":
		return tryPush(ctx, svc, v, to)
	case "apis":
		return tryAPI(ctx, svc, name, inputs)
	case "segments":
		return trySegment(ctx, svc, v)
	}
	return TrialResult{}, refuse("", "a %s cannot be tested", s.Singular)
}

func tryMail(ctx context.Context, v doc.Value, from, to string) (TrialResult, error) {
	c, err := fromDoc[engine.Connector](v)
	if err != nil {
		return TrialResult{}, err
	}
	if c.Provider == engine.ProviderOutbox {
		return TrialResult{Text: "This connector keeps email in the local outbox, so there is no server to test."}, nil
	}
	provider, err := providers.NewMail(c)
	if err != nil {
		return failed(ctx, err)
	}
	if c, ok := provider.(io.Closer); ok {
		defer c.Close()
	}
	if to == "" {
		if p, ok := provider.(interface {
			Ping(context.Context, string) error
		}); ok {
			if err := p.Ping(ctx, from); err != nil {
				return failed(ctx, err)
			}
		}
		return TrialResult{Text: "The mail server accepted the connection and the sender " + from + ". Nothing was sent."}, nil
	}
	receipt, err := provider.Deliver(ctx, providers.TestEmail(from, to))
	if err != nil {
		return failed(ctx, err)
	}
	return TrialResult{Text: "Sent a test message to " + to + ".", Detail: receipt.Detail}, nil
}

func tryPush(ctx context.Context, svc any, v doc.Value, to string) (TrialResult, error) {
	g, err := fromDoc[engine.Gateway](v)
	if err != nil {
		return TrialResult{}, err
	}
	opener, ok := svc.(engine.GatewayOpener)
	if !ok {
		return TrialResult{}, errUnavailable(noWorkspace)
	}
	devices, err := devicesOf(ctx, svc, g, to)
	if err != nil {
		return failed(ctx, err)
	}
	provider, err := opener.OpenGateway(ctx, g)
	if err != nil {
		return failed(ctx, err)
	}
	if c, ok := provider.(io.Closer); ok {
		defer c.Close()
	}
	if len(devices) == 0 {
		return TrialResult{Text: "The settings and the key work. Nothing was sent."}, nil
	}
	var wrong []error
	for _, d := range devices {
		m, err := providers.TestPush(g, d, time.Now())
		if err == nil {
			_, err = provider.Deliver(ctx, m)
		}
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	switch {
	case len(wrong) == 0:
		return TrialResult{Text: "Sent a test message to " + phrase.Count(len(devices), "device") + "."}, nil
	case len(devices) > 1:
		return failed(ctx, fmt.Errorf("%d of %d devices: %w", len(wrong), len(devices), errors.Join(wrong...)))
	}
	return failed(ctx, wrong[0])
}

// devicesOf returns the devices of a user on the gateway's platform, or the one with that token.
func devicesOf(ctx context.Context, svc any, g engine.Gateway, to string) ([]engine.Device, error) {
	k, ok := svc.(engine.UserStore)
	if to == "" || !ok {
		return nil, nil
	}
	kind, _ := providers.KindOf(g.Provider)
	p, err := k.User(ctx, to)
	if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
		return []engine.Device{{Platform: string(kind.Platform), Token: to}}, nil
	}
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(slices.Clone(p.Devices), func(d engine.Device) bool { return d.Platform != string(kind.Platform) })
	if len(out) == 0 {
		return nil, fmt.Errorf("the user %s has no device for %s", to, kind.Platform.Label())
	}
	return out, nil
}

func tryAPI(ctx context.Context, svc any, name string, args []string) (TrialResult, error) {
	t, err := svc.(engine.ContentStore).TryContentAPI(ctx, name, engine.TextArguments(args))
	if err != nil {
		return failed(ctx, err)
	}
	took := t.Call.End.Sub(t.Call.Start).Round(time.Millisecond)
	out := TrialResult{Text: fmt.Sprintf("%s %s responded %d %s in %s.", t.Call.Method, t.Call.URL, t.Call.Status, http.StatusText(t.Call.Status), took)}
	if t.Call.Status == 0 {
		out.Text = strings.TrimSpace(t.Call.Method+" "+t.Call.URL) + " did not respond."
	}
	if t.Call.Err != "" {
		out.Failed = true
		out.Text = phrase.Sentence(t.Call.Err)
		out.Detail = string(t.Call.Response)
		return out, nil
	}
	if out.Value, err = toDoc(t.Value); err != nil {
		return TrialResult{}, err
	}
	out.Detail = cmp.Or(out.Value.Text(), string(out.Value.Indent()))
	return out, nil
}

// trySegment counts the members of a segment.
func trySegment(ctx context.Context, svc any, v doc.Value) (TrialResult, error) {
	r, ok := svc.(engine.AudienceReader)
	if !ok {
		return TrialResult{}, errUnavailable("this service cannot list the users who match filters")
	}
	filters := audience.SegmentFilters(v.Get("name").Text())
	n, err := r.EstimateAudience(ctx, engine.AudienceRequest{Filters: filters})
	if err != nil {
		return failed(ctx, err)
	}
	const shown = 20
	ps, err := r.AudienceMembers(ctx, engine.AudienceRequest{Filters: filters, Limit: shown})
	if err != nil {
		return failed(ctx, err)
	}
	out := TrialResult{Text: fmt.Sprintf("%d of %s are in this segment: %d can be reached by email, %d by push.", n.Matched, phrase.Count(n.Total, "user"), n.Reach.Email, n.Reach.Push)}
	var lines, ids []string
	for _, p := range ps {
		ids = append(ids, p.ID)
		lines = append(lines, strings.TrimSpace(p.ID+"  "+p.DisplayName()))
	}
	if more := n.Matched - len(ps); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	out.Detail = strings.Join(lines, "\n")
	out.Value = doc.NewObject(doc.M("matched", doc.NewInt(int64(n.Matched))), doc.M("total", doc.NewInt(int64(n.Total))),
		doc.M("email", doc.NewInt(int64(n.Reach.Email))), doc.M("push", doc.NewInt(int64(n.Reach.Push))), doc.M("first", doc.NewStrings(ids...)))
	return out, nil
}

// failed converts an error to the result of a trial, unless the trial was canceled.
func failed(ctx context.Context, err error) (TrialResult, error) {
	var e *delivery.Error
	known := errors.As(err, &e)
	switch {
	case errors.Is(err, context.Canceled) && !errors.Is(err, delivery.ErrUnknown):
		return TrialResult{}, err
	case ctx.Err() != nil && !errors.Is(err, delivery.ErrUnknown):
		return TrialResult{Failed: true, Text: "There was no response within " + TrialTime.String() + "."}, nil
	case known:
		err = e
	}
	return TrialResult{Failed: true, Text: phrase.Sentence(err.Error()), Err: err}, nil
}
