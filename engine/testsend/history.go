package testsend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
)

// PastTest is an earlier test of this or another campaign.
type PastTest struct {
	engine.TestRecord
	Request  engine.TestSend
	Campaign string // its name
	Own      bool   // it is a test of the current campaign
}

// Worst returns Unknown if a message may have been delivered, else Failed if one failed, else Sent.
func (t PastTest) Worst() State {
	worst := Sent
	for _, r := range t.Result.Data {
		switch {
		case len(r.Unknown) > 0:
			return Unknown
		case r.Status != engine.Sent:
			worst = Failed
		}
	}
	return worst
}

// Outcome describes the result of the test.
func (t PastTest) Outcome() string {
	n := map[string]int{}
	for _, r := range t.Result.Data {
		n[r.Outcome()]++
	}
	var parts []string
	all := len(t.Result.Keys)
	for _, s := range []State{Failed, Unknown} {
		switch word := s.String(); n[word] {
		case 0:
		case all:
			return word
		default:
			parts = append(parts, fmt.Sprintf("%d of %d %s", n[word], all, word))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), Sent.String())
}

// Unknown returns the recipients of a test who may have one of its messages already, because an earlier test of the campaign
// ended without knowing, and none was sent to them since.
func (h History) Unknown(ask engine.TestSend) []string {
	var out []string
	own := h.OfCampaign()
	for i, t := range own {
		as := personaID(t.Request)
		if as == "" && len(ask.As) > 0 || as != "" && !slices.ContainsFunc(ask.As, func(p engine.TestPersona) bool { return p.ID == as }) {
			continue
		}
		for _, key := range t.Result.Keys {
			if k, _ := grid.ParseKey(key); !matches(k, ask.Filter) {
				continue
			}
			for _, v := range t.Result.Data[key].Unknown {
				since := func(o PastTest) bool { return personaID(o.Request) == as && o.sent(key, t.Request, v) }
				if !reaches(ask, t.Request, v) || slices.ContainsFunc(own[:i], since) || engine.IndexRecipient(out, ask.Identifier, v) >= 0 {
					continue
				}
				if i := engine.IndexRecipient(ask.Values, ask.Identifier, v); i >= 0 {
					v = ask.Values[i] // as it is written now
				}
				out = append(out, v)
			}
		}
	}
	return out
}

// reaches reports whether a test is also to a recipient of an earlier one, who may be a member of its segment.
func reaches(ask, earlier engine.TestSend, value string) bool {
	return ask.Identifier == earlier.Identifier && (engine.IndexRecipient(ask.Values, ask.Identifier, value) >= 0 ||
		engine.IsSegmentIdentifier(ask.Identifier) && slices.Equal(ask.Values, earlier.Values))
}

// sent reports whether the test sent its message of a key to a recipient of an earlier test.
func (t PastTest) sent(key string, earlier engine.TestSend, value string) bool {
	r, ok := t.Result.Data[key]
	if !ok || !reaches(t.Request, earlier, value) {
		return false
	}
	if i := engine.IndexRecipient(t.Request.Values, t.Request.Identifier, value); i >= 0 {
		value = t.Request.Values[i] // as its result names the recipient
	}
	return r.Status == engine.Sent || !slices.Contains(r.Unknown, value) && !strings.Contains(r.FailureReason, value)
}

// Repeated returns the recipients of a test, by the body of its request and whose data it has, who may have one of its
// messages already ([History.Unknown]). Without a history, which not every service has, it knows of none.
func Repeated(ctx context.Context, tests engine.TestHistory, body doc.Value, as []engine.TestPersona) ([]string, error) {
	if tests == nil {
		return nil, nil
	}
	ask, draft := engine.ParseTestSend(body), body.Get("draft_id").Text()
	ask.As = as
	records, err := tests.Tests(ctx, draft, maxHistory)
	var h History
	for _, t := range records {
		h = append(h, PastTest{TestRecord: t, Request: t.Ask(), Own: draft != "" || doc.Equal(content(t.Body), content(body))})
	}
	return h.Unknown(ask), err
}

// content returns the body of a request without its own members: its recipients and its id.
func content(body doc.Value) doc.Value {
	return body.Delete(doc.P("test_campaign_meta")).Delete(doc.P("request_id"))
}

// RepeatWarning says who may have a message already.
func RepeatWarning(names []string) string {
	return strings.Join(names, ", ") + " may have got this message already: an earlier test was not confirmed. Look before you send it again."
}

// History is a list of earlier tests, newest first.
type History []PastTest

// maxHistory is the number of earlier tests that are read.
const maxHistory = 50

// ReadHistory reads the tests of a campaign, and those of other campaigns with an identifier of its channel.
func ReadHistory(ctx context.Context, service engine.Service, h engine.TestHistory, c engine.Campaign) (History, error) {
	own, err := h.Tests(ctx, c.ID, maxHistory)
	if err != nil {
		return nil, err
	}
	all, err := h.Tests(ctx, "", maxHistory)
	if err != nil {
		return nil, err
	}
	var out History
	for _, t := range own {
		out = append(out, PastTest{t, t.Ask(), engine.Summarize(c).Name, true})
	}
	names := map[string]string{}
	for _, t := range all {
		ask := t.Ask()
		if t.CampaignID == c.ID || !HasIdentifier(c.Channel, ask.Identifier) {
			continue
		}
		if _, known := names[t.CampaignID]; !known {
			names[t.CampaignID] = nameOf(ctx, service, t.CampaignID)
		}
		out = append(out, PastTest{t, ask, names[t.CampaignID], false})
	}
	slices.SortStableFunc(out, func(a, b PastTest) int { return b.At.Compare(a.At) })
	return out, nil
}

// HasIdentifier reports whether tests of a channel can use an identifier.
func HasIdentifier(ch engine.Channel, identifier string) bool {
	for _, o := range engine.NewTestFields(ch).Identifier.Options {
		if o.Value == identifier {
			return true
		}
	}
	return false
}

func nameOf(ctx context.Context, service engine.Service, id string) string {
	if id == "" {
		return "test without a draft"
	}
	c, err := service.Get(ctx, id)
	if err != nil {
		return "deleted campaign"
	}
	return engine.Summarize(c).Title()
}

// OfCampaign returns the tests of the current campaign.
func (h History) OfCampaign() History {
	return slices.DeleteFunc(slices.Clone(h), func(t PastTest) bool { return !t.Own })
}

// Last returns the request to start with: the last test of this campaign or, if there is none, the recipients
// and values of the last test on the channel, without copies. It returns the zero value if there was none.
func (h History) Last() engine.TestSend {
	if len(h) == 0 {
		return engine.TestSend{}
	}
	last := h[0].Request
	last.Filter = engine.KeyFilter{}
	if own := h.OfCampaign(); len(own) > 0 {
		last = own[0].Request
	}
	last.Copies = false // asked for each time
	return last
}

// FailureReason returns why the last test to a recipient failed, or "" if it did not.
func (h History) FailureReason(identifier, value string) string {
	for _, t := range h {
		i := engine.IndexRecipient(t.Request.Values, identifier, value)
		if t.Request.Identifier != identifier || i < 0 {
			continue
		}
		value := t.Request.Values[i] // as the result names the recipient
		why := ""
		for _, key := range t.Result.Keys {
			r := t.Result.Data[key]
			if r.Status == engine.Sent || slices.Contains(r.Unknown, value) || len(t.Request.Values) > 1 && !strings.Contains(r.FailureReason, value) {
				return ""
			}
			why = cmp.Or(r.FailureReason, r.Status)
		}
		return why
	}
	return ""
}

// WithoutFailed removes the recipients that the last test did not reach.
func (h History) WithoutFailed(ask engine.TestSend) engine.TestSend {
	ask.Values = slices.DeleteFunc(slices.Clone(ask.Values), func(v string) bool { return h.FailureReason(ask.Identifier, v) != "" })
	if len(ask.Values) == 0 { // nobody is left to get only that
		ask.Filter = engine.KeyFilter{}
	}
	return ask
}

// Add returns the history with new tests.
func (h History) Add(records []engine.TestRecord, campaign string) History {
	for _, r := range records {
		h = append(History{{r, r.Ask(), campaign, true}}, h...)
	}
	return h
}

// Recipients returns the recipients of tests on a channel, newest first and each once.
func Recipients(records []engine.TestRecord, ch engine.Channel, identifier string, limit int) []string {
	var out []string
	for _, t := range records {
		ask := engine.ParseTestSend(t.Body)
		if ask.Identifier != identifier || !isOn(ch, t.Result) {
			continue
		}
		for _, v := range ask.Values {
			if engine.IndexRecipient(out, identifier, v) < 0 && len(out) < limit {
				out = append(out, v)
			}
		}
	}
	return out
}

// isOn reports whether a test was on the channel, judging by its keys.
func isOn(ch engine.Channel, r engine.TestResult) bool {
	mail := string(catalog.Email) + "_"
	return len(r.Keys) > 0 && strings.HasPrefix(r.Keys[0], mail) == (ch == catalog.Email)
}
