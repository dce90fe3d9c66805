package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/doc"
)

// testFlags make a draft-mode test request.
type testFlags struct {
	send  engine.TestSend
	to    []string
	attrs []string
	event []string
}

func newTest(f *factory) *cobra.Command {
	var t testFlags
	cmd := &cobra.Command{
		Use:   "test ID|FILE|-",
		Short: "Send a test of a draft, or of inline content",
		Example: "  bugle test 665f… --to ann@example.com --to bob@example.com\n" +
			"  bugle test 665f… --identifier USER_ATTRIBUTE_UNIQUE_ID --to USER_1 --platform ANDROID\n" +
			"  bugle test - < request.json",
		Long: "Send a test. With an ID the saved draft is sent to the recipients named by --to; with a file\n" +
			"or - the request is read as the API's body. Exits with 1 when a send failed.",
		Args: exactly(1, "the ID of a draft, a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			body, err := t.body(cmd.Context(), f, svc, args[0])
			if err != nil {
				return err
			}
			res, err := svc.Test(cmd.Context(), engine.TestRequest{Call: call(body), Body: body})
			if err != nil {
				return err
			}
			if err := f.printTest(res); err != nil {
				return err
			}
			for _, k := range res.Keys {
				if res.Data[k].Status == engine.Failed {
					return silentError(exitFailed)
				}
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&t.to, "to", nil, "a recipient; may be repeated, at most 10 times")
	fl.StringVar(&t.send.Identifier, "identifier", "", "what --to names (default: EMAIL, or USER_ATTRIBUTE_UNIQUE_ID for push)")
	fl.StringVar(&t.send.Filter.Variation, "variation", "", "only this variation")
	fl.StringVar(&t.send.Filter.Locale, "locale", "", "only this locale")
	fl.StringVar(&t.send.Filter.Platform, "platform", "", "only this platform: ANDROID, IOS or WEB")
	fl.StringArrayVar(&t.attrs, "attr", nil, "a user attribute for this send, NAME=VALUE; may be repeated")
	fl.StringArrayVar(&t.event, "event-attr", nil, "an event attribute for this send, NAME=VALUE; may be repeated")
	return cmd
}

// body gives the request: from the flags for a draft, or as it was written.
func (t *testFlags) body(ctx context.Context, f *factory, svc engine.Service, arg string) (doc.Value, error) {
	if len(t.to) == 0 {
		if looksLikeID(arg) {
			return doc.Value{}, misused("say who gets the test: --to ADDRESS, up to ten times")
		}
		return f.document(arg)
	}
	c, err := svc.Get(ctx, arg)
	if err != nil {
		return doc.Value{}, err
	}
	t.send.Values = t.to
	if t.send.Identifier == "" {
		if !c.Channel.Writable() {
			return doc.Value{}, misused("test sends are for push and e-mail, and %s is %s", arg, c.Channel.Label())
		}
		t.send.Identifier = engine.TestFieldsOf(c.Channel).Identifier.Options[0].Value
	}
	if t.send.UserAttributes, err = pairs(t.attrs); err != nil {
		return doc.Value{}, err
	}
	if t.send.EventAttributes, err = pairs(t.event); err != nil {
		return doc.Value{}, err
	}
	return engine.DraftTest(arg, t.send), nil
}

func looksLikeID(s string) bool {
	return len(s) == 24 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

func pairs(ss []string) ([]doc.Member, error) {
	var out []doc.Member
	for _, s := range ss {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, misused("%q must be NAME=VALUE", s)
		}
		out = append(out, doc.M(name, doc.NewString(value)))
	}
	return out, nil
}

func (f *factory) printTest(res engine.TestResult) error {
	if f.json {
		return f.printDoc(res.Document())
	}
	for _, k := range res.Keys {
		line := k + " " + res.Data[k].Status
		if why := res.Data[k].FailureReason; why != "" {
			line += ": " + why
		}
		fmt.Fprintln(f.out, clean(line))
	}
	fmt.Fprintln(f.out, clean(res.Message))
	return nil
}
