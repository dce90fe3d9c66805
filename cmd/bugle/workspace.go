package main

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
)

func newWorkspaceCmd(f *factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workspace",
		Short: "Show and change the workspace's settings",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misused("there is no command workspace %s", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWorkspaceShow(f), newWorkspaceSet(f), newWorkspaceConnector(f), newWorkspaceProfiles(f), newWorkspaceProfile(f))
	return cmd
}

func newWorkspaceShow(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show the settings",
		Args:  exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			w, err := svc.Workspace(cmd.Context())
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(w.Public())
			}
			return f.showWorkspace(w)
		},
	}
}

func (f *factory) showWorkspace(w engine.Workspace) error {
	var rows [][]string
	add := func(name, value string) { rows = append(rows, []string{name, value}) }
	add("id", w.ID)
	add("name", w.Name)
	add("timezone", w.Timezone)
	add("author", w.Author)
	add("publish", w.Publish)
	add("versioning", onOff(w.Versioning))
	for _, flag := range engine.KnownFlags() {
		add(flag, onOff(w.Flags[flag]))
	}
	for _, c := range w.Connectors {
		add("connector", fmt.Sprintf("%s (%s), carried by %s", c.Name, c.Type, carrierWords(c)))
	}
	add("subscription_categories", strings.Join(w.SubscriptionCategories, ", "))
	add("teams", strings.Join(w.Teams, ", "))
	add("locales", strings.Join(w.Locales, ", "))
	for _, s := range w.Segments {
		add("segment", fmt.Sprintf("%s, %d users", s.Name, len(s.Members)))
	}
	for _, k := range w.Keys {
		add("key", k.ID+" "+strings.Join(k.Scopes, " "))
	}
	return f.rows([]string{"SETTING", "VALUE"}, rows)
}

func carrierWords(c engine.Connector) string {
	if c.Carrier == engine.CarrierSMTP && c.SMTP != nil {
		return "SMTP " + net.JoinHostPort(c.SMTP.Host, strconv.Itoa(c.SMTP.Port))
	}
	return "the local outbox"
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func newWorkspaceSet(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "set NAME=VALUE…",
		Short: "Change settings",
		Long: "Change settings, all of them or none: name, timezone, author, publish (beta or enabled),\n" +
			"versioning, the flags " + strings.Join(engine.KnownFlags(), ", ") + " (on or off), and the lists\n" +
			"subscription_categories, teams and locales (names with commas between them).",
		Example: "  bugle workspace set campaign_audience_limit=on queuing=on\n  bugle workspace set publish=enabled teams=Growth,CRM",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misused("say what to set, such as queuing=on")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			err = svc.UpdateWorkspace(cmd.Context(), func(w *engine.Workspace) error {
				for _, a := range args {
					name, value, ok := strings.Cut(a, "=")
					if !ok {
						return misused("%q must be NAME=VALUE", a)
					}
					if err := set(w, name, value); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			if f.json {
				w, err := svc.Workspace(cmd.Context())
				if err != nil {
					return err
				}
				return f.printJSON(w.Public())
			}
			fmt.Fprintln(f.out, "Set "+clean(strings.Join(args, ", ")))
			return nil
		},
	}
}

// set changes one setting.
func set(w *engine.Workspace, name, value string) error {
	texts := map[string]*string{"name": &w.Name, "timezone": &w.Timezone, "author": &w.Author, "publish": &w.Publish}
	lists := map[string]*[]string{"subscription_categories": &w.SubscriptionCategories, "teams": &w.Teams, "locales": &w.Locales}
	switch {
	case texts[name] != nil:
		*texts[name] = value
		return nil
	case lists[name] != nil:
		*lists[name] = nil
		for _, v := range strings.Split(value, ",") {
			if v = strings.TrimSpace(v); v != "" {
				*lists[name] = append(*lists[name], v)
			}
		}
		return nil
	}
	on, err := parseOnOff(value)
	switch {
	case name == "versioning":
		w.Versioning = on
	case slices.Contains(engine.KnownFlags(), name):
		if w.Flags == nil {
			w.Flags = map[string]bool{}
		}
		w.Flags[name] = on
	default:
		return misused("there is no setting %q; there are name, timezone, author, publish, versioning, %s, subscription_categories, teams and locales", name, strings.Join(engine.KnownFlags(), ", "))
	}
	if err != nil {
		return misused("%s is on or off, not %q", name, value)
	}
	return nil
}

func parseOnOff(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "on", "yes":
		return true, nil
	case "off", "no":
		return false, nil
	}
	return strconv.ParseBool(s)
}

func newWorkspaceConnector(f *factory) *cobra.Command {
	var (
		c      engine.Connector
		addr   string
		smtp   engine.SMTP
		remove bool
	)
	cmd := &cobra.Command{
		Use:   "connector NAME",
		Short: "Add, change or remove a connector",
		Long: "Add a connector, or change the one of that name. Without --smtp its mail stays in the local\n" +
			"outbox. A password is never stored: --password-env names the variable that holds it.",
		Example: "  bugle workspace connector Marketing --smtp mail.example.com:587 --tls starttls --auth plain --user bugle --password-env SMTP_PASSWORD\n" +
			"  bugle workspace connector Marketing --remove",
		Args: exactly(1, "the name of a connector"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Name, c.Carrier = args[0], engine.CarrierOutbox
			if addr != "" {
				host, port, err := net.SplitHostPort(addr)
				if err == nil {
					smtp.Port, err = strconv.Atoi(port)
				}
				if err != nil {
					return misused("--smtp is HOST:PORT, not %q", addr)
				}
				smtp.Host = host
				c.Carrier, c.SMTP = engine.CarrierSMTP, &smtp
			}
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			err = svc.UpdateWorkspace(cmd.Context(), func(w *engine.Workspace) error {
				i := slices.IndexFunc(w.Connectors, func(h engine.Connector) bool { return h.Name == c.Name })
				switch {
				case remove && i < 0:
					return misused("there is no connector %q", c.Name)
				case remove:
					w.Connectors = slices.Delete(w.Connectors, i, i+1)
				case i < 0:
					w.Connectors = append(w.Connectors, c)
				default:
					w.Connectors[i] = c
				}
				return nil
			})
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"connector_name": c.Name, "removed": remove})
			}
			if remove {
				fmt.Fprintf(f.out, "Removed connector %s\n", clean(c.Name))
				return nil
			}
			fmt.Fprintf(f.out, "Connector %s is carried by %s\n", clean(c.Name), clean(carrierWords(c)))
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&c.Type, "type", "CUSTOM_SMTP", "connector type")
	fl.StringVar(&addr, "smtp", "", "HOST:PORT of a mail server")
	fl.StringVar(&smtp.TLS, "tls", "starttls", "none, starttls, opportunistic or tls")
	fl.StringVar(&smtp.Auth, "auth", "none", "none, plain, login, cram-md5 or auto")
	fl.StringVar(&smtp.User, "user", "", "user name")
	fl.StringVar(&smtp.PasswordEnv, "password-env", "", "environment variable that holds the password")
	fl.BoolVar(&remove, "remove", false, "remove the connector")
	return cmd
}

func newWorkspaceProfiles(f *factory) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "profiles [TEXT]",
		Short: "List users that tests can be sent to",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			ps, err := svc.Profiles(cmd.Context(), strings.Join(args, ""), limit)
			if err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"profiles": ps})
			}
			var rows [][]string
			for _, p := range ps {
				var devices []string
				for _, d := range p.Devices {
					devices = append(devices, d.Platform)
				}
				rows = append(rows, []string{p.ID, fmt.Sprint(p.Attributes[engine.AttrEmail]), strings.Join(devices, " ")})
			}
			return f.rows([]string{"ID", "E-MAIL", "DEVICES"}, rows)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "at most so many")
	return cmd
}

func newWorkspaceProfile(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "profile FILE|-",
		Short: "Add or change a user",
		Example: `  echo '{"id": "U1", "attributes": {"First Name": "Ann", "Email (Standard)": "ann@example.com"},
    "devices": [{"platform": "ANDROID", "token": "t1"}]}' | bugle workspace profile -`,
		Args: exactly(1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := f.document(args[0])
			if err != nil {
				return err
			}
			var p engine.Profile
			dec := json.NewDecoder(strings.NewReader(string(v.Encode())))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&p); err != nil {
				return misused("%s is no profile: %w", inputName(args[0]), err)
			}
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			if err := svc.PutProfile(cmd.Context(), p); err != nil {
				return err
			}
			if f.json {
				return f.printJSON(map[string]any{"id": p.ID})
			}
			fmt.Fprintf(f.out, "Stored user %s\n", clean(p.ID))
			return nil
		},
	}
}
