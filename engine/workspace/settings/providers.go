package settings

import (
	"fmt"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/providers"
	"bugle/engine/message/delivery/secret"
	"bugle/engine/schema"
)

func connectorsSection() *Section {
	smtp := schema.When("provider", engine.ProviderSMTP)
	s := &Section{
		ID: "connectors", Title: "Connectors", Singular: "connector", Group: groupDelivery, Name: "connector_name", Trial: "send a test message",
		Example: "Mail provider=smtp smtp.host=localhost smtp.port=25 smtp.tls=none smtp.auth=none",
		fresh:   `{"connector_type":"CUSTOM_SMTP","provider":"outbox"}`,
		Help:    "The email services that campaigns can send with. Without a mail server, email stays in the local outbox.",
		Empty:   "There are no connectors yet, so no email can be sent. Press n to add one.",
		schema: func() *schema.Schema {
			return table("connectors", "Connector", "CONTRACT.md, connector", "An email service that campaigns can send with.",
				nameField("connector_name", "Name", "The connector's name. Campaigns refer to it by this name.", "Marketing"),
				schema.Field{Name: "connector_type", Title: "Type", Kind: schema.String, Required: required(), Example: "CUSTOM_SMTP", Rules: []schema.Rule{schema.Length{Min: 1, Max: 100}, printable},
					Help: "The kind of email service, such as SENDGRID, AMAZON_SES or CUSTOM_SMTP."},
				schema.Field{Name: "provider", Title: "Provider", Kind: schema.String, Required: required(), Ref: refTests, Help: "Where email goes.",
					Options: []schema.Option{
						{Value: engine.ProviderOutbox, Label: "Local outbox", Help: "keeps email here, where you can read it"},
						{Value: engine.ProviderSMTP, Label: "Mail server", Help: "sends email by SMTP"},
					}},
				schema.Field{Name: "smtp", Title: "Mail server", Kind: schema.Object, Used: smtp, Required: []schema.Required{{When: smtp}}, Ref: refTests, Help: "How to reach the mail server.", Fields: smtpFields()},
			)
		},
		Columns: []Column{
			member("Name", "connector_name", 12, 30), member("Type", "connector_type", 10, 20),
			{Title: "Sends with", MinWidth: 12, Text: func(v doc.Value) string {
				if smtp := v.Get("smtp"); v.Get("provider").Text() == engine.ProviderSMTP {
					return fmt.Sprintf("%s:%s", smtp.Get("host").Text(), smtp.Get("port").Literal())
				}
				return "local outbox"
			}},
		},
		check: checkConnector,
	}
	l := newListStore(s, func(w *engine.Workspace) *[]engine.Connector { return &w.Connectors })
	l.lists = func(engine.Connector) []string { return []string{"connector_names"} }
	s.store = l
	return s
}

func smtpFields() []schema.Field {
	login := schema.Unless("auth", string(delivery.AuthNone))
	return []schema.Field{
		{Name: "host", Title: "Host", Kind: schema.String, Required: required(), Help: "The host name or address of the mail server.", Example: "mail.example.com"},
		{Name: "port", Title: "Port", Kind: schema.Integer, Required: required(), Help: "The port of the mail server: usually 587, or 465 for TLS.", Example: "587", Rules: []schema.Rule{schema.Range{Min: 1, Max: 65535}}},
		{Name: "tls", Title: "Encryption", Kind: schema.String, Required: required(), Help: "How the connection is encrypted.", Options: []schema.Option{
			{Value: string(delivery.TLSStart), Label: "STARTTLS", Help: "starts unencrypted, then switches to TLS; required"},
			{Value: string(delivery.TLSImplicit), Label: "TLS", Help: "encrypted from the start"},
			{Value: string(delivery.TLSOpportunistic), Label: "If available", Help: "uses STARTTLS if the server offers it"},
			{Value: string(delivery.TLSNone), Label: "None", Help: "not encrypted"},
		}},
		{Name: "auth", Title: "Login", Kind: schema.String, Required: required(), Help: "How bugle logs in to the mail server.", Options: []schema.Option{
			{Value: string(delivery.AuthNone), Label: "No login"},
			{Value: string(delivery.AuthPlain), Label: "PLAIN"},
			{Value: string(delivery.AuthLogin), Label: "LOGIN"},
			{Value: string(delivery.AuthCRAMMD5), Label: "CRAM-MD5"},
			{Value: string(delivery.AuthAuto), Label: "Automatic"},
		}},
		{Name: "user", Title: "User name", Kind: schema.String, Used: login, Help: "The user name to log in with.", Example: "bugle"},
		{Name: "password_env", Title: "Password from", Kind: schema.String, Used: login, Help: "The environment variable that holds the password. The password is never stored.", Example: "SMTP_PASSWORD"},
		{Name: "helo", Title: "Name for EHLO", Kind: schema.String, Help: "The name of this computer for the mail server. Leave it empty to use its own full name, or else its address.", Example: "mail.example.com"},
		caFile,
	}
}

var caFile = schema.Field{Name: "ca_file", Title: "Certificates", Kind: schema.String, Help: "A PEM file with additional certificates to trust.", Example: "/home/ann/ca.pem"}

// checkConnector refuses settings that cannot send email, before the first test does.
func checkConnector(_ engine.Workspace, v doc.Value) []schema.Problem {
	c, err := fromDoc[engine.Connector](v)
	if err == nil && c.Provider == engine.ProviderSMTP && c.SMTP != nil {
		_, err = delivery.NewSMTP(providers.SMTPConfig(*c.SMTP))
	}
	if err != nil {
		return []schema.Problem{problem(doc.P("smtp"), "smtp", err.Error())}
	}
	return nil
}

func gatewaysSection() *Section {
	provider := schema.Field{Name: "provider", Title: "Provider", Kind: schema.String, Required: required(), Help: "The push service. Each one serves one platform."}
	for _, k := range providers.Kinds() {
		provider.Options = append(provider.Options, schema.Option{Value: k.Provider, Label: k.Name, Help: "for " + k.Platform.Label()})
	}
	only := func(f schema.Field, provider string) schema.Field {
		when := schema.When("provider", provider)
		f.Kind, f.Applies, f.Required = schema.Object, when, []schema.Required{{When: when}}
		return f
	}
	endpoint := func(of string) schema.Field {
		return schema.Field{Name: "endpoint", Title: "Endpoint", Kind: schema.String, Help: "An address to use instead of " + of + ", for tests.", Example: "http://127.0.0.1:9000", Rules: []schema.Rule{schema.Format{As: schema.URI, Plain: true}}}
	}
	s := &Section{
		ID: "gateways", Title: "Push gateways", Singular: "push gateway", Group: groupDelivery, Name: "provider", Trial: "send a test message",
		Example: "fcm key.env=FCM_KEY fcm.project=shop-1",
		Help:    "The push services that campaigns send with, one per platform. Without one, push messages stay in the local outbox.",
		Empty:   "There are no push gateways yet, so push messages stay in the local outbox. Press n to add one.",
		schema: func() *schema.Schema {
			return table("gateways", "Push gateway", refTests, "The push service for one platform.", provider,
				schema.Field{Name: "key", Title: "Key from", Kind: schema.Object, Required: required(), Rules: []schema.Rule{onePlace},
					Help: "Where the credential is: a service account JSON for FCM, a .p8 signing key for APNs, the VAPID private key for Web Push. It is never stored.",
					Fields: []schema.Field{
						{Name: "env", Title: "Environment variable", Kind: schema.String, Help: "The variable that holds the key.", Example: "FCM_KEY"},
						{Name: "file", Title: "File", Kind: schema.String, Help: "The whole path of a file that only its owner can read.", Example: "/home/ann/shop-1.json"},
						{Name: "command", Title: "Command", Kind: schema.List, Help: "The command that prints the key, one word per entry.", Example: "pass, show, fcm", Elem: &schema.Field{Title: "Word", Kind: schema.String, Help: "One word of the command."}},
						{Name: "keyring", Title: "Keyring entry", Kind: schema.String, Help: "The name of the key in the system keyring.", Example: "workspace DEMO fcm"},
					}},
				only(schema.Field{Name: "fcm", Title: "FCM", Help: "How to reach Firebase Cloud Messaging.", Fields: []schema.Field{
					{Name: "project", Title: "Project", Kind: schema.String, Help: "The Firebase project. Leave it empty to use the service account's project.", Example: "shop-1"},
					endpoint("Google's"),
					{Name: "token_endpoint", Title: "Token endpoint", Kind: schema.String, Help: "The address to get access tokens from. Leave it empty to use the service account's.", Rules: []schema.Rule{schema.Format{As: schema.URI, Plain: true}}},
				}}, engine.ProviderFCM),
				only(schema.Field{Name: "apns", Title: "APNs", Help: "How to reach Apple's push service.", Fields: []schema.Field{
					{Name: "team_id", Title: "Team", Kind: schema.String, Required: required(), Help: "The team ID, ten characters.", Example: "TEAM123456"},
					{Name: "key_id", Title: "Key ID", Kind: schema.String, Required: required(), Help: "The ID of the signing key, ten characters.", Example: "ABCDE12345"},
					{Name: "topic", Title: "Topic", Kind: schema.String, Required: required(), Help: "The app's bundle ID.", Example: "com.example.shop"},
					{Name: "sandbox", Title: "Sandbox", Kind: schema.Bool, Default: "false", Help: "Use Apple's sandbox, for development builds of the app."},
					endpoint("Apple's"),
				}}, engine.ProviderAPNs),
				only(schema.Field{Name: "webpush", Title: "Web Push", Help: "The sender of browser notifications.", Fields: []schema.Field{
					{Name: "subject", Title: "Subject", Kind: schema.String, Required: required(), Help: "A contact for push services: an email address or an https URL.", Example: "push@example.com"},
					endpoint("public push services"),
				}}, engine.ProviderWebPush),
				caFile,
			)
		},
		Columns: []Column{
			{Title: "Provider", MinWidth: 10, MaxWidth: 14, Text: func(v doc.Value) string {
				if k, ok := providers.KindOf(v.Get("provider").Text()); ok {
					return k.Name
				}
				return v.Get("provider").Text()
			}},
			{Title: "Platform", MinWidth: 8, MaxWidth: 10, HidePriority: 1, Text: func(v doc.Value) string {
				k, _ := providers.KindOf(v.Get("provider").Text())
				return k.Platform.Label()
			}},
			{Title: "Key from", MinWidth: 14, Text: func(v doc.Value) string {
				ref, err := fromDoc[engine.SecretRef](v.Get("key"))
				if err != nil {
					return ""
				}
				return secret.Describe(ref)
			}},
		},
		check: func(_ engine.Workspace, v doc.Value) []schema.Problem {
			g, err := fromDoc[engine.Gateway](v)
			if err == nil {
				err = providers.CheckSettings(g)
			}
			if err != nil {
				return []schema.Problem{problem(doc.P(v.Get("provider").Text()), "gateway", err.Error())}
			}
			return nil
		},
	}
	s.store = newListStore(s, func(w *engine.Workspace) *[]engine.Gateway { return &w.Gateways })
	return s
}

var onePlace = schema.Named{
	ID: "one_place", Text: "exactly one of an environment variable, a file, a command or the keyring",
	Check: func(p schema.Place) []schema.Finding {
		ref, err := fromDoc[engine.SecretRef](p.Value)
		if err == nil {
			err = secret.Check(ref)
		}
		if err != nil {
			return []schema.Finding{{Message: err.Error()}}
		}
		return nil
	},
}
