package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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

// choice is a flag with one of the choices, or with any of them, separated by commas or repeated.
type choice struct {
	set   func(value string)
	first string // the default
	any   bool
	from  Choices
}

// OneOf returns a flag that stores one of the choices in a string.
func OneOf(into *string, from Choices) choice {
	return choice{set: func(value string) { *into = value }, first: *into, from: from}
}

// AnyOf returns a flag that stores any of the choices in a list.
func AnyOf(into *[]string, from Choices) choice {
	return choice{set: func(value string) { *into = append(*into, value) }, any: true, from: from}
}

func (c choice) String() string { return c.first }

func (c choice) Type() string { return "string" }

func (c choice) Set(s string) error {
	words := []string{s}
	if c.any {
		words = strings.Split(s, ",")
	}
	for _, word := range words {
		v, err := c.from.Find(word)
		if err != nil {
			return err
		}
		c.set(v)
	}
	return nil
}

// ChoiceFlag adds a flag with choices and their completions to a command.
func ChoiceFlag(cmd *cobra.Command, v choice, name, usage string) {
	cmd.Flags().Var(v, name, usage)
	complete := func(_ *cobra.Command, _ []string, typed string) (out []cobra.Completion, directive cobra.ShellCompDirective) {
		before := ""
		if directive = cobra.ShellCompDirectiveNoFileComp; v.any {
			before, directive = typed[:strings.LastIndexByte(typed, ',')+1], directive|cobra.ShellCompDirectiveNoSpace
		}
		for _, one := range v.from {
			out = append(out, cobra.CompletionWithDesc(before+one.Value, one.Help))
		}
		return out, directive
	}
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(fmt.Sprintf("completions of --%s: %v", name, err)) // the flag was just added
	}
}

// ChoicesOf returns choices from a table, with their labels.
func ChoicesOf[T ~string](values []T, label func(T) string) (cs Choices) {
	for _, v := range values {
		cs = append(cs, Choice{string(v), label(v)})
	}
	return cs
}

// Any returns true for every value.
func Any[T any](T) bool { return true }

// TypeChoices are the delivery types for which keep returns true.
func TypeChoices(keep func(catalog.DeliveryTypeInfo) bool) (cs Choices) {
	for _, t := range catalog.DeliveryTypes(catalog.Push) {
		if keep(t) {
			cs = append(cs, Choice{string(t.Type), t.Help})
		}
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
