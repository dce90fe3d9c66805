package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
)

func newWorkspaceProfiles(f *factory) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:               "profiles [TEXT]",
		Short:             "List users that tests can be sent to",
		Long:              "List the users whose id or attributes contain the text.",
		Args:              between(0, 1, "one text"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return misused("--limit must be 0 (all) or more, not %d", limit)
			}
			svc, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			ps, err := svc.Profiles(cmd.Context(), strings.Join(args, ""), limit)
			if err != nil {
				return err
			}
			return f.printProfiles(ps)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "at most so many; 0 means all")
	return cmd
}

func (f *factory) printProfiles(ps []engine.Profile) error {
	if f.json {
		return f.printJSON(map[string]any{"profiles": append([]engine.Profile{}, ps...)})
	}
	if len(ps) == 0 {
		fmt.Fprintln(f.err, "No user found. `bugle workspace profile` adds one.")
		return nil
	}
	var rows [][]string
	for _, p := range ps {
		var devices []string
		for _, d := range p.Devices {
			devices = append(devices, d.Platform)
		}
		mail, _ := p.Attributes[engine.AttrEmail].(string)
		rows = append(rows, []string{p.ID, p.DisplayName(), mail, strings.Join(devices, " ")})
	}
	return f.rows([]string{"ID", "NAME", "E-MAIL", "DEVICES"}, rows)
}

func newWorkspaceProfile(f *factory) *cobra.Command {
	var remove string
	cmd := &cobra.Command{
		Use:   "profile FILE|-",
		Short: "Add, change or remove a user",
		Long:  "Add the user that a JSON file describes, or change the one with its id.",
		Example: `  echo '{"id": "U1", "attributes": {"First Name": "Ann", "Email (Standard)": "ann@example.com"},
    "devices": [{"platform": "ANDROID", "token": "t1"}]}' | bugle workspace profile -
  bugle workspace profile --remove U1`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || (len(args) == 1) == (remove != "") {
				return misused("this takes a file, - for standard input, or --remove ID")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			id, done := remove, "Removed"
			if remove != "" {
				err = svc.DeleteProfile(cmd.Context(), remove)
			} else {
				var p engine.Profile
				if p, err = f.profile(cmd, args[0]); err != nil {
					return err
				}
				id, done = p.ID, "Stored"
				err = svc.PutProfile(cmd.Context(), p)
			}
			if err != nil {
				return asUsage(err)
			}
			if f.json {
				return f.printJSON(map[string]any{"id": id})
			}
			fmt.Fprintln(f.out, line(done+" user "+id))
			return nil
		},
	}
	cmd.Flags().StringVar(&remove, "remove", "", "remove the user with this `id`")
	return cmd
}

// profile reads a profile, its numbers as they are spelled.
func (f *factory) profile(cmd *cobra.Command, file string) (engine.Profile, error) {
	var p engine.Profile
	v, err := f.document(cmd.Context(), file)
	if errors.As(err, new(documentError)) { // no campaign is invalid for it
		err = usageError{err}
	}
	if err != nil {
		return p, err
	}
	dec := json.NewDecoder(strings.NewReader(string(v.Encode())))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&p); err != nil {
		return p, misused("%s is no profile: %s", inputName(file), strings.TrimPrefix(err.Error(), "json: "))
	}
	return p, nil
}
