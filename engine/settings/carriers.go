package settings

import (
	"fmt"

	"bugle/engine"
	"bugle/engine/delivery"
	"bugle/engine/delivery/carriers"
	"bugle/engine/delivery/secret"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

func connectorsSection() *Section {
	smtp := schema.When("carrier", engine.CarrierSMTP)
	s := &Section{
		ID: "connectors", Title: "Connectors", One: "connector", Group: groupCarriers, Name: "connector_name", Trial: "send me a hello",
		fresh: `{"connector_type":"CUSTOM_SMTP","carrier":"outbox"}`,
		Help:  "The ways out for e-mail. Campaigns name one; without a mail server its mail stays in the local outbox.",
		Empty: "There is no connector yet: no e-mail can be sent. n adds one.",
		Schema: table("connectors", "Connector", "spec.md, `connector` (Email)", "A configured way out for e-mail.",
			nameField("connector_name", "Name", "What the connector is called. Campaigns refer to it by this name.", "Marketing"),
			schema.Field{Name: "connector_type", Title: "Type", Kind: schema.String, Required: must(), Example: "CUSTOM_SMTP", Rules: []schema.Rule{schema.Length{Min: 1, Max: 100}, printable},
				Help: "The kind of service, such as SENDGRID, AMAZON_SES, CUSTOM_SMTP, or any other word that campaigns name."},
			schema.Field{Name: "carrier", Title: "Carried by", Kind: schema.String, Required: must(), Ref: refTests, Help: "What takes the mail from here.",
				Options: []schema.Option{
					{Value: engine.CarrierOutbox, Label: "The local outbox", Help: "mail is kept, and can be read"},
					{Value: engine.CarrierSMTP, Label: "A mail server", Help: "mail is sent by SMTP"},
				}},
			schema.Field{Name: "smtp", Title: "Mail server", Kind: schema.Object, Used: smtp, Required: []schema.Required{{When: smtp}}, Ref: refTests, Help: "How the mail server is reached.", Fields: smtpFields()},
		),
		Columns: []Column{
			member("Name", "connector_name", 12, 30), member("Type", "connector_type", 10, 20),
			{Title: "Carried by", Least: 12, Text: func(v doc.Value) string {
				if smtp := v.Get("smtp"); v.Get("carrier").Text() == engine.CarrierSMTP {
					return fmt.Sprintf("%s:%s", smtp.Get("host").Text(), smtp.Get("port").Literal())
				}
				return "the local outbox"
			}},
		},
		check: checkConnector,
	}
	l := newListed(s, func(w *engine.Workspace) *[]engine.Connector { return &w.Connectors })
	l.lists = func(engine.Connector) []string { return []string{"connector_names"} }
	s.keeper = l
	return s
}

func smtpFields() []schema.Field {
	login := schema.Unless("auth", string(delivery.AuthNone))
	return []schema.Field{
		{Name: "host", Title: "Host", Kind: schema.String, Required: must(), Help: "The name or address of the mail server.", Example: "mail.example.com"},
		{Name: "port", Title: "Port", Kind: schema.Integer, Required: must(), Help: "The port that it listens on: 587 for most, 465 with TLS from the first byte.", Example: "587", Rules: []schema.Rule{schema.Range{Min: 1, Max: 65535}}},
		{Name: "tls", Title: "Encryption", Kind: schema.String, Required: must(), Help: "How the connection is protected.", Options: []schema.Option{
			{Value: string(delivery.TLSStart), Label: "STARTTLS", Help: "encrypted after a greeting, or not at all used"},
			{Value: string(delivery.TLSImplicit), Label: "TLS", Help: "encrypted from the first byte"},
			{Value: string(delivery.TLSOpportunistic), Label: "Where offered", Help: "encrypted where the server offers it"},
			{Value: string(delivery.TLSNone), Label: "None", Help: "not encrypted"},
		}},
		{Name: "auth", Title: "Login", Kind: schema.String, Required: must(), Help: "How bugle logs in there.", Options: []schema.Option{
			{Value: string(delivery.AuthNone), Label: "No login"},
			{Value: string(delivery.AuthPlain), Label: "PLAIN"},
			{Value: string(delivery.AuthLogin), Label: "LOGIN"},
			{Value: string(delivery.AuthCRAMMD5), Label: "CRAM-MD5"},
			{Value: string(delivery.AuthAuto), Label: "The best that it offers"},
		}},
		{Name: "user", Title: "User name", Kind: schema.String, Used: login, Help: "The name to log in with.", Example: "bugle"},
		{Name: "password_env", Title: "Password from", Kind: schema.String, Used: login, Help: "The environment variable that holds the password: it is never stored.", Example: "SMTP_PASSWORD"},
	}
}

// checkConnector refuses now what no mail could be sent with, not at the first test.
func checkConnector(_ engine.Workspace, v doc.Value) []schema.Problem {
	c, err := fromDoc[engine.Connector](v)
	if err == nil && c.Carrier == engine.CarrierSMTP && c.SMTP != nil {
		_, err = delivery.NewSMTP(delivery.SMTPConfig{
			Host: c.SMTP.Host, Port: c.SMTP.Port, TLS: delivery.TLSMode(c.SMTP.TLS), Auth: delivery.AuthMode(c.SMTP.Auth), Username: c.SMTP.User,
		})
	}
	if err != nil {
		return []schema.Problem{problem(doc.P("smtp"), "smtp", err.Error())}
	}
	return nil
}

func gatewaysSection() *Section {
	carrier := schema.Field{Name: "carrier", Title: "Carrier", Kind: schema.String, Required: must(), Help: "The push service. Each serves one platform, and a workspace has one of each."}
	for _, k := range carriers.Kinds() {
		carrier.Options = append(carrier.Options, schema.Option{Value: k.Carrier, Label: k.Name, Help: "for " + k.Platform.Label()})
	}
	only := func(f schema.Field, carrier string) schema.Field {
		when := schema.When("carrier", carrier)
		f.Kind, f.Applies, f.Required = schema.Object, when, []schema.Required{{When: when}}
		return f
	}
	endpoint := func(of string) schema.Field {
		return schema.Field{Name: "endpoint", Title: "Endpoint", Kind: schema.String, Help: "An address in the place of " + of + ", for tests.", Example: "http://127.0.0.1:9000", Rules: []schema.Rule{schema.Format{As: schema.URI, Plain: true}}}
	}
	s := &Section{
		ID: "gateways", Title: "Push gateways", One: "push gateway", Group: groupCarriers, Name: "carrier", Trial: "send me a hello",
		Help:  "The ways out for push notifications, one for each platform. A platform without one goes to the local outbox.",
		Empty: "There is no push gateway: pushes stay in the local outbox. n adds one.",
		Schema: table("gateways", "Push gateway", refTests, "A way out for the push notifications of one platform.", carrier,
			schema.Field{Name: "key", Title: "Key from", Kind: schema.Object, Required: must(), Rules: []schema.Rule{onePlace},
				Help: "Where the credential is: a service account's JSON for FCM, a .p8 signing key for APNs, the VAPID private key for Web Push. It is never stored.",
				Fields: []schema.Field{
					{Name: "env", Title: "Environment variable", Kind: schema.String, Help: "The variable that holds the key.", Example: "FCM_KEY"},
					{Name: "file", Title: "File", Kind: schema.String, Help: "A file that nobody but its owner can read.", Example: "/home/ann/shop-1.json"},
					{Name: "command", Title: "Command", Kind: schema.List, Help: "The command that prints the key, word by word.", Example: "pass, show, fcm", Elem: &schema.Field{Title: "Word", Kind: schema.String, Help: "One word of the command."}},
					{Name: "keyring", Title: "Keyring entry", Kind: schema.String, Help: "The name of the key in the system's keyring; bugle workspace connector key stores it.", Example: "workspace DEMO fcm"},
				}},
			only(schema.Field{Name: "fcm", Title: "FCM", Help: "How Firebase Cloud Messaging is reached.", Fields: []schema.Field{
				{Name: "project", Title: "Project", Kind: schema.String, Help: "The Firebase project; that of the service account where empty.", Example: "shop-1"},
				endpoint("Google's"),
				{Name: "token_endpoint", Title: "Token endpoint", Kind: schema.String, Help: "The address that gives access tokens; that of the service account where empty.", Rules: []schema.Rule{schema.Format{As: schema.URI, Plain: true}}},
			}}, engine.CarrierFCM),
			only(schema.Field{Name: "apns", Title: "APNs", Help: "How Apple's push service is reached.", Fields: []schema.Field{
				{Name: "team_id", Title: "Team", Kind: schema.String, Required: must(), Help: "The id of the team, ten characters.", Example: "TEAM123456"},
				{Name: "key_id", Title: "Key id", Kind: schema.String, Required: must(), Help: "The id of the signing key, ten characters.", Example: "ABCDE12345"},
				{Name: "topic", Title: "Topic", Kind: schema.String, Required: must(), Help: "The app's bundle id.", Example: "com.example.shop"},
				{Name: "sandbox", Title: "Sandbox", Kind: schema.Bool, Default: "false", Help: "For an app that was built for development."},
				endpoint("Apple's"),
			}}, engine.CarrierAPNs),
			only(schema.Field{Name: "webpush", Title: "Web Push", Help: "Who sends to browsers.", Fields: []schema.Field{
				{Name: "subject", Title: "Subject", Kind: schema.String, Required: must(), Help: "Whom a push service may write to: an e-mail address or an https URL.", Example: "push@example.com"},
				endpoint("public push services"),
			}}, engine.CarrierWebPush),
			schema.Field{Name: "ca_file", Title: "Certificates", Kind: schema.String, Help: "A PEM file with further certificates to trust.", Example: "/home/ann/ca.pem"},
		),
		Columns: []Column{
			{Title: "Carrier", Least: 10, Most: 14, Text: func(v doc.Value) string {
				if k, ok := carriers.KindOf(v.Get("carrier").Text()); ok {
					return k.Name
				}
				return v.Get("carrier").Text()
			}},
			{Title: "Platform", Least: 8, Most: 10, Late: 1, Text: func(v doc.Value) string {
				k, _ := carriers.KindOf(v.Get("carrier").Text())
				return k.Platform.Label()
			}},
			{Title: "Key from", Least: 14, Text: func(v doc.Value) string {
				ref, err := fromDoc[engine.SecretRef](v.Get("key"))
				if err != nil {
					return ""
				}
				return secret.Words(ref)
			}},
		},
		check: func(_ engine.Workspace, v doc.Value) []schema.Problem {
			g, err := fromDoc[engine.Gateway](v)
			if err == nil {
				err = carriers.Settings(g)
			}
			if err != nil {
				return []schema.Problem{problem(doc.P(v.Get("carrier").Text()), "gateway", err.Error())}
			}
			return nil
		},
	}
	s.keeper = newListed(s, func(w *engine.Workspace) *[]engine.Gateway { return &w.Gateways })
	return s
}

var onePlace = schema.Named{
	ID: "one_place", Says: "exactly one of an environment variable, a file, a command and the keyring",
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
