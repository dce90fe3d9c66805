package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/delivery"
)

// choice is one value of an argument or flag.
type choice struct {
	value string // on the wire
	help  string
}

type choices []choice

func (cs choices) values() []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.value
	}
	return out
}

// find returns the value that s means, whatever its case, spaces, dashes and underscores.
func (cs choices) find(s string) (string, error) {
	plain := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	}
	for _, c := range cs {
		if plain(c.value) == plain(s) {
			return c.value, nil
		}
	}
	return "", errors.New("must be one of " + strings.Join(cs.values(), ", "))
}

// completions returns the values with their help, for shells.
func (cs choices) completions(prefix string) []cobra.Completion {
	var out []cobra.Completion
	for _, c := range cs {
		out = append(out, cobra.CompletionWithDesc(prefix+c.value, c.help))
	}
	return out
}

// one is a flag with one of the choices.
type one struct {
	into *string
	from choices
}

// oneOf returns a flag that takes one of the choices into a string.
func oneOf(into *string, from choices) pflag.Value { return one{into, from} }

// anyOf returns a flag that takes any of the choices into a list.
func anyOf(into *[]string, from choices) pflag.Value { return several{into, from} }

func (o one) String() string {
	if o.into == nil {
		return ""
	}
	return *o.into
}

func (o one) Type() string { return "string" }

func (o one) Set(s string) error {
	v, err := o.from.find(s)
	if err == nil {
		*o.into = v
	}
	return err
}

// several is a flag with any of the choices, separated by commas or repeated.
type several struct {
	into *[]string
	from choices
}

func (m several) String() string {
	if m.into == nil {
		return ""
	}
	return strings.Join(*m.into, ",")
}

func (m several) Type() string { return "strings" }

func (m several) Set(s string) error {
	for _, word := range strings.Split(s, ",") {
		v, err := m.from.find(strings.TrimSpace(word))
		if err != nil {
			return err
		}
		*m.into = append(*m.into, v)
	}
	return nil
}

// choiceFlag adds a flag with choices and their completions to a command.
func choiceFlag(cmd *cobra.Command, v pflag.Value, name, usage string) {
	cmd.Flags().Var(v, name, usage)
	complete := func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch v := v.(type) {
		case one:
			return v.from.completions(""), cobra.ShellCompDirectiveNoFileComp
		case several:
			return v.from.completions(typed[:strings.LastIndexByte(typed, ',')+1]), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(fmt.Sprintf("completions of --%s: %v", name, err)) // the flag was just added
	}
}

// The choices below come from the tables.

func stateChoices() (cs choices) {
	for _, s := range catalog.States {
		cs = append(cs, choice{string(s), s.Label()})
	}
	return cs
}

func channelChoices(keep func(catalog.Channel) bool) (cs choices) {
	for _, c := range catalog.Channels {
		if keep(c) {
			cs = append(cs, choice{string(c), c.Label()})
		}
	}
	return cs
}

func anyChannel(catalog.Channel) bool { return true }

func typeChoices() (cs choices) {
	for _, t := range catalog.DeliveryTypes(catalog.Push) {
		cs = append(cs, choice{string(t.Type), t.Help})
	}
	return cs
}

// creatableTypes are the types of campaigns that can be created.
func creatableTypes() (cs choices) {
	for _, t := range catalog.DeliveryTypes(catalog.Push) {
		if t.Offered {
			cs = append(cs, choice{string(t.Type), t.Help})
		}
	}
	return cs
}

func actionChoices() (cs choices) {
	for _, a := range catalog.StatusActions {
		cs = append(cs, choice{string(a), a.Label()})
	}
	return cs
}

func platformChoices() (cs choices) {
	for _, p := range catalog.Platforms {
		cs = append(cs, choice{string(p), p.Label()})
	}
	return cs
}

// identifierChoices are the identifiers of the channels with test sends.
func identifierChoices() (cs choices) {
	for _, ch := range catalog.Channels {
		if !ch.Writable() {
			continue
		}
		for _, o := range engine.TestFieldsOf(ch).Identifier.Options {
			if !slices.ContainsFunc(cs, func(c choice) bool { return c.value == o.Value }) {
				cs = append(cs, choice{o.Value, cmp.Or(o.Help, o.Label)})
			}
		}
	}
	return cs
}

var tlsChoices = choices{
	{string(delivery.TLSNone), "not encrypted"},
	{string(delivery.TLSStart), "STARTTLS, required"},
	{string(delivery.TLSOpportunistic), "STARTTLS if the server offers it"},
	{string(delivery.TLSImplicit), "TLS from the start, usually port 465"},
}

var authChoices = choices{
	{string(delivery.AuthNone), "no login"},
	{string(delivery.AuthPlain), "PLAIN"},
	{string(delivery.AuthLogin), "LOGIN"},
	{string(delivery.AuthCRAMMD5), "CRAM-MD5"},
	{string(delivery.AuthAuto), "the strongest that the server offers"},
}
