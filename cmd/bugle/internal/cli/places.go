package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bugle/cmd/bugle/internal/remotes"
)

// Places are the kinds of places with campaigns.
type Places uint8

// The kinds of places.
const (
	InFolder   Places = 1 << iota // a store in a folder
	InDatabase                    // a store in a database
	OnRemote                      // a remote

	Nowhere    Places = 0 // for commands that need no campaigns
	InStore           = InFolder | InDatabase
	Everywhere        = InStore | OnRemote
)

// String describes the places for people.
func (p Places) String() string {
	var names []string
	for i, name := range []string{"in a folder", "in a database", "on a remote"} {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// Reach is what a command, or a flag of it, works on.
type Reach struct {
	Places
	Whole   bool   // always all workspaces, so it takes no --workspace
	Instead string // a sentence about what to do instead elsewhere
}

// Guard makes every command refuse what it cannot work on before it opens anything, and adds that to its help. reach has
// the path of a command or of a group, without the name of the program, or of one flag, such as "init --encrypt". A group
// without a function prints its help; what is no file is not completed with files.
func (f *Factory) Guard(cmd *cobra.Command, reach map[string]Reach) {
	if cmd.RunE == nil && cmd.HasSubCommands() {
		cmd.Args, cmd.RunE = NoCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if !strings.Contains(cmd.Use, "FILE") && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	if run := cmd.RunE; run != nil {
		r := ReachOf(reach, cmd)
		describe(cmd, r, reach)
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			f.running, f.command = true, commandName(cmd)
			if err := f.checkData(); err != nil {
				return err
			}
			r := r
			cmd.Flags().Visit(func(fl *pflag.Flag) {
				if of, ok := reach[commandName(cmd)+" --"+fl.Name]; ok && fl.Value.String() != "false" {
					f.command += " --" + fl.Name
					r = Reach{r.Places & of.Places, r.Whole && of.Whole, of.Instead}
				}
			})
			if help := cmd.HasSubCommands() && cmd.HasParent() && len(args) == 0; !help {
				if err := f.checkPlace(r); err != nil {
					return err
				}
			}
			return run(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		f.Guard(c, reach)
	}
}

// commandName returns the path of a command without the name of the program.
func commandName(cmd *cobra.Command) string {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	return name
}

// ReachOf returns the reach of a command: its own, that of its group, or everywhere.
func ReachOf(reach map[string]Reach, cmd *cobra.Command) Reach {
	for c := cmd; c.HasParent(); c = c.Parent() {
		if r, ok := reach[commandName(c)]; ok {
			return r
		}
	}
	return Reach{Places: Everywhere}
}

// describe adds what a command works on to its help, if that is not everything.
func describe(cmd *cobra.Command, r Reach, reach map[string]Reach) {
	if r.Places != Nowhere && r.Places != Everywhere {
		cmd.Long += fmt.Sprintf("\n\nWorks on a store %s, not %s.", r.Places, Everywhere&^r.Places)
	}
	cmd.LocalFlags().VisitAll(func(fl *pflag.Flag) {
		if of, ok := reach[commandName(cmd)+" --"+fl.Name]; ok && of.Places != r.Places {
			fl.Usage += "; only for a store " + of.Places.String()
		}
	})
}

// checkPlace returns an error if the flags and variables name a place that a command cannot work on.
func (f *Factory) checkPlace(r Reach) error {
	if f.RemoteName == "" && (r.Places == Nowhere || r.Places == Everywhere && f.Workspace == "") {
		return nil // a damaged file of remotes does not stop a command that may not need it
	}
	p, far, err := f.Remote()
	if err != nil || r.Places == Nowhere {
		return err
	}
	if far {
		return f.checkRemote(r, p)
	}
	_, database := f.Database()
	switch {
	case database && r.Places&InDatabase == 0:
		return WithRemedy(Misused("`bugle %s` works on a store %s, and %s is a database", f.command, r.Places, f.Place()), r.Instead)
	case r.Whole && f.Workspace != "":
		return Misused("`bugle %s` works on the whole store, not on one workspace; leave out --workspace", f.command)
	}
	return nil
}

// checkRemote returns an error if a command cannot work on the remote p, or if other flags name another place.
func (f *Factory) checkRemote(r Reach, p remotes.Remote) error {
	switch {
	case f.Data != "":
		return Misused("--data and --remote %s name two places; leave out one of them", p.Name)
	case r.Places&OnRemote == 0:
		from, remedy := "", "To use the store in "+f.Place()+", add --remote "+remotes.Local+"."
		if f.RemoteName == "" {
			from = f.remoteOrigin()
		}
		if r.Places&InDatabase != 0 && r.Instead != "" {
			remedy += " " + r.Instead
		}
		return WithRemedy(Misused("`bugle %s` works on a store %s, and %s%s is a remote", f.command, r.Places, p.Name, from), remedy)
	case f.Workspace != "" && f.Workspace != p.Workspace:
		return Misused("the remote %s is the workspace %s, not %s; leave out --workspace, or choose another remote", p.Name, p.Workspace, f.Workspace)
	}
	return nil
}
