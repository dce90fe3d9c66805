package cli

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
)

// Choice is one value of an argument or flag.
type Choice struct {
	Value string // on the wire
	Help  string
}

// Choices are the values that an argument or flag takes.
type Choices []Choice

// Values returns the values, as they are on the wire.
func (cs Choices) Values() []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.Value
	}
	return out
}

// Find returns the value for s, ignoring case, spaces, dashes, and underscores.
func (cs Choices) Find(s string) (string, error) {
	plain := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	}
	for _, c := range cs {
		if plain(c.Value) == plain(s) {
			return c.Value, nil
		}
	}
	return "", errors.New("must be one of " + strings.Join(cs.Values(), ", "))
}

// completions returns the values with their help, for shells.
func (cs Choices) completions(prefix string) []cobra.Completion {
	var out []cobra.Completion
	for _, c := range cs {
		out = append(out, cobra.CompletionWithDesc(prefix+c.Value, c.Help))
	}
	return out
}

// one is a flag with one of the choices.
type one struct {
	into *string
	from Choices
}

// OneOf returns a flag that stores one of the choices in a string.
func OneOf(into *string, from Choices) pflag.Value { return one{into, from} }

// AnyOf returns a flag that stores any of the choices in a list.
func AnyOf(into *[]string, from Choices) pflag.Value { return several{into, from} }

func (o one) String() string {
	if o.into == nil {
		return ""
	}
	return *o.into
}

func (o one) Type() string { return "string" }

func (o one) Set(s string) error {
	v, err := o.from.Find(s)
	if err == nil {
		*o.into = v
	}
	return err
}

// several is a flag with any of the choices, separated by commas or repeated.
type several struct {
	into *[]string
	from Choices
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
		v, err := m.from.Find(strings.TrimSpace(word))
		if err != nil {
			return err
		}
		*m.into = append(*m.into, v)
	}
	return nil
}

// ChoiceFlag adds a flag with choices and their completions to a command.
func ChoiceFlag(cmd *cobra.Command, v pflag.Value, name, usage string) {
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

// StateChoices are the states of campaigns.
func StateChoices() (cs Choices) {
	for _, s := range catalog.States {
		cs = append(cs, Choice{string(s), s.Label()})
	}
	return cs
}

// ChannelChoices are the channels for which keep returns true.
func ChannelChoices(keep func(catalog.Channel) bool) (cs Choices) {
	for _, c := range catalog.Channels {
		if keep(c) {
			cs = append(cs, Choice{string(c), c.Label()})
		}
	}
	return cs
}

// AnyChannel returns true for every channel.
func AnyChannel(catalog.Channel) bool { return true }

// TypeChoices are the delivery types.
func TypeChoices() (cs Choices) {
	for _, t := range catalog.DeliveryTypes(catalog.Push) {
		cs = append(cs, Choice{string(t.Type), t.Help})
	}
	return cs
}

// CreatableTypes are the types of campaigns that can be created.
func CreatableTypes() (cs Choices) {
	for _, t := range catalog.DeliveryTypes(catalog.Push) {
		if t.Offered {
			cs = append(cs, Choice{string(t.Type), t.Help})
		}
	}
	return cs
}

// PlatformChoices are the platforms of push messages.
func PlatformChoices() (cs Choices) {
	for _, p := range catalog.Platforms {
		cs = append(cs, Choice{string(p), p.Label()})
	}
	return cs
}

// IdentifierChoices are the identifiers of the channels with test sends.
func IdentifierChoices() (cs Choices) {
	for _, ch := range catalog.Channels {
		if !ch.Writable() {
			continue
		}
		for _, o := range engine.NewTestFields(ch).Identifier.Options {
			if !slices.ContainsFunc(cs, func(c Choice) bool { return c.Value == o.Value }) {
				cs = append(cs, Choice{o.Value, cmp.Or(o.Help, o.Label)})
			}
		}
	}
	return cs
}

// The stages of lint.
const (
	StageDraft   = "draft"
	StagePublish = "publish"
)

// StageChoices are the stages at which a campaign can be checked.
var StageChoices = Choices{{StageDraft, "check what is in the file, as create does"}, {StagePublish, "also check what publishing requires"}}

// PublishSetting is the workspace setting that turns on publishing through the API.
const PublishSetting = "publish"
