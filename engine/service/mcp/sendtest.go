package mcp

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/delivery"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/testsend"
)

func sendTest() *tool {
	return &tool{
		name: "send_test", title: "Send a test message", destructive: true, open: true,
		help: "Send a draft as a test message. Recipients must be among those that the user of this program has allowed. The addresses in Cc and Bcc get nothing in a workspace of this program; another service may send to them, so they must be allowed, too.",
		arguments: []schema.Field{
			idArgument(),
			required(texts("to", "The recipients, by the identifier.", schema.Items{Min: 1, Max: catalog.MaxIdentifierValues}, schema.Unique{})),
			choice("identifier", "What the recipients are named by. By default, the email address for email, and the unique id for push.", identifiers()...),
			choice("platform", "Send only to this platform of a push campaign.", catalog.Platforms...),
			text("locale", "Send only this locale.", schema.Length{Max: 1000}),
			text("variation", "Send only this variation.", schema.Length{Max: 1000}),
			flag("again", "Send also what may have been delivered already, because an earlier test was not confirmed. Ask the user first."),
			keyArgument(),
		},
		results: append(engine.TestResult{}.Fields(), required(flag("sent", "Whether all messages were sent."))),
		run: func(ctx context.Context, s *Server, args doc.Value) (result, error) {
			d, err := testsend.Load(ctx, s.Service, args.Get(aID).Text())
			if err != nil {
				return result{}, err
			}
			if why := d.UntestableReason(); why != "" {
				return result{}, conflict("%s", strings.TrimSuffix(phrase.Uncapitalize(why), "."))
			}
			t := engine.TestSend{
				Identifier: args.Get("identifier").Text(), Values: args.Get("to").Strings(),
				Filter: engine.KeyFilter{Platform: args.Get("platform").Text(), Locale: args.Get("locale").Text(), Variation: args.Get("variation").Text()},
			}
			if t.Identifier == "" {
				t.Identifier = d.Fields.Identifier.Options[0].Value
			}
			if err := s.allowed(d, t); err != nil {
				return result{}, err
			}
			body := engine.DraftTest(d.Campaign.ID, t)
			tests, _ := s.Service.(engine.TestHistory)
			names, err := testsend.Repeated(ctx, tests, body, nil)
			if err != nil {
				return result{}, err
			}
			if len(names) > 0 && !args.Get("again").True() {
				return result{}, conflict("%s Ask the user, and set again to send it", testsend.RepeatWarning(names))
			}
			sent, err := s.Service.Test(ctx, engine.TestRequest{Call: callOf(args), Body: body})
			if err != nil {
				return result{}, err
			}
			ok := true
			summary := sent.Message
			messages := grid.ResultNames(sent.Keys)
			for i, k := range sent.Keys {
				r := sent.Data[k]
				ok = ok && r.Status != engine.Failed
				summary += fmt.Sprintf("\n%s %s", messages[i], r.Outcome())
				if r.FailureReason != "" {
					summary += ": " + r.FailureReason
				}
			}
			return result{doc.NewObject(append(members(sent.Document()), doc.M("sent", doc.NewBool(ok)))...), summary}, nil
		},
	}
}

// identifiers returns what recipients can be named by. A segment is not among them: it would reach people who are not named.
func identifiers() (out []string) {
	for _, ch := range writableChannels() {
		for _, o := range engine.NewTestFields(ch).Identifier.Options {
			if !engine.IsSegmentIdentifier(o.Value) && !slices.Contains(out, o.Value) {
				out = append(out, o.Value)
			}
		}
	}
	return out
}

// allowed returns an error if a test would reach anybody who is not allowed.
func (s *Server) allowed(d testsend.Draft, t engine.TestSend) error {
	var others []string
	for _, to := range t.Values {
		if engine.IndexRecipient(s.AllowTestTo, t.Identifier, to) < 0 {
			others = append(others, to)
		}
	}
	if engine.IsExternal(s.Service) { // ours sends no copies, which an assistant cannot ask for
		for _, to := range d.CopiesTo(t.Filter) {
			if !slices.ContainsFunc(s.AllowTestTo, func(ok string) bool { return delivery.Mailbox(ok) == delivery.Mailbox(to) }) {
				others = append(others, to)
			}
		}
	}
	if len(others) > 0 {
		return engine.Errorf(engine.Forbidden, http.StatusForbidden, "tests may not be sent to %s; %s", strings.Join(others, ", "), s.AllowHelp)
	}
	// The address of a user may be in an attribute that the draft names.
	usual := engine.User{Attributes: map[string]any{engine.AttrEmail: "user@example.com"}}
	if key := d.Fields.Identifier.Options[0].Value; d.Campaign.Channel == catalog.Email && t.Identifier != key {
		if _, why := engine.EmailAddress(d.Document, usual); why != "" {
			return engine.Errorf(engine.Forbidden, http.StatusForbidden, "this draft is not sent to the users' email addresses, but to another attribute; name the recipients by %s", key)
		}
	}
	return nil
}
