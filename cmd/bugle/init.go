package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/storekey"
	"bugle/engine"
	"bugle/engine/schema"
	"bugle/engine/service/local/sample"
	"bugle/store/badger"
)

// emptyID is the default id of a workspace without the sample.
const emptyID = "MAIN"

// newWorkspace describes the workspace to create.
type newWorkspace struct {
	id, name, author string
	sample           bool
	encrypt          bool
}

func newInit(f *factory) *cobra.Command {
	var w newWorkspace
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Create a workspace",
		Long: "Creates the store too, if there is none. The API key is shown only once. HTTP clients of `bugle serve`\n" +
			"need it; the terminal program and the commands do not.",
		Example:           "  bugle init --sample\n  bugle init --id SHOP --name 'The shop' --author ann@example.com\n  bugle init --encrypt",
		Args:              exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if w.author != "" && !schema.Email.Matches(w.author) {
				return misused("--author must be %s, not %q", schema.Email.Words(), w.author)
			}
			made, err := createEncrypted(cmd.Context(), f, w)
			if err != nil {
				return initFailure(err)
			}
			id, key := made.ID, made.APIKey
			if f.json {
				return f.printJSON(made)
			}
			fmt.Fprintf(f.out, "Workspace %s is ready in %s.\nAPI key (shown once): %s\n", line(id), line(f.dataDir()), key)
			if made.KeyFrom != "" {
				fmt.Fprint(f.out, "\nThe store is encrypted. ")
				sayKey(f, made.KeyFrom, false)
			}
			fmt.Fprint(f.out, "\nRun bugle to open it.\n")
			return nil
		},
	}
	cmd.Flags().BoolVar(&w.sample, "sample", false, "add sample campaigns, users and settings")
	cmd.Flags().BoolVar(&w.encrypt, "encrypt", false, "encrypt the store (see bugle encrypt --help)")
	cmd.Flags().StringVar(&w.id, "id", "", "`id` of the workspace (default "+emptyID+", or "+sample.ID+" with --sample)")
	cmd.Flags().StringVar(&w.name, "name", "", "`name` of the workspace")
	cmd.Flags().StringVar(&w.author, "author", "", "`email` address to sign your changes with (default that of git, or user@host)")
	return cmd
}

// made is the workspace that was created, and the key of a store that was created for it.
type made struct {
	ID      string `json:"workspace_id"`
	APIKey  string `json:"api_key"`
	Key     string `json:"key_id,omitempty"`
	KeyFrom string `json:"key_from,omitempty"`
}

// createEncrypted creates the workspace, in a new encrypted store if asked to.
func createEncrypted(ctx context.Context, f *factory, w newWorkspace) (out made, err error) {
	if w.encrypt {
		_, encrypted, err := badger.Sealed(f.dataDir())
		switch {
		case err != nil:
			return out, err
		case encrypted: // it stays what it is
		case badger.Has(f.dataDir()):
			return out, withRemedy(fmt.Errorf("the store in %s already exists and is not encrypted", f.dataDir()), "No changes made. Encrypt it with `bugle encrypt`.")
		default:
			key, where, err := f.keys().Fresh(ctx, false)
			if err != nil {
				return out, err
			}
			f.sealing.fresh, out.Key, out.KeyFrom = &key, key.ID(), where
		}
	}
	out.ID, out.APIKey, err = createWorkspace(ctx, f, w)
	if now, _, _ := badger.Sealed(f.dataDir()); err != nil && out.KeyFrom == storekey.Keyring && now != out.Key {
		err = errors.Join(err, f.keys().Drop(out.Key))
	}
	return out, err
}

// initFailure adds what to do about an id that is taken; an invalid id is invalid usage.
func initFailure(err error) error {
	if e := engine.AsError(err); e != nil && e.Code == engine.BadRequest {
		return withRemedy(err, "No changes made. Open it with `bugle`, or create another one with `bugle init --id OTHER`.")
	}
	return asUsage(err)
}

// createWorkspace creates the workspace and returns its id and API key.
func createWorkspace(ctx context.Context, f *factory, w newWorkspace) (id, key string, err error) {
	node, err := f.open(ctx)
	if err != nil {
		return "", "", err
	}
	if w.author == "" {
		w.author = guessAuthor(ctx, &f.environment)
	}
	switch {
	case w.id != "":
	case f.workspace != "":
		w.id = f.workspace
	case w.sample:
		w.id = sample.ID
	default:
		w.id = emptyID
	}
	ws := engine.Workspace{ID: w.id, Name: w.name, Author: w.author}
	if !w.sample {
		ws.Timezone = localZone(f.getenv)
		ws.Connectors = []engine.Connector{{Type: usualConnectorType, Name: "Outbox", Provider: engine.ProviderOutbox}}
	}
	return node.CreateWorkspace(ctx, ws, w.sample)
}

// guessAuthor returns the address that git signs with, or one made for this machine.
func guessAuthor(ctx context.Context, e *environment) string {
	if a := e.getenv(envAuthor); a != "" {
		return a
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "git", "config", "user.email").Output(); err == nil {
		if a := strings.TrimSpace(string(out)); schema.Email.Matches(a) {
			return a
		}
	}
	return e.author("")
}

// localZone returns the IANA name of the time zone of this machine, or UTC.
func localZone(getenv func(string) string) string {
	names := []string{getenv("TZ")}
	if link, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(link, "zoneinfo/"); ok {
			names = append(names, name)
		}
	}
	for _, n := range names {
		if _, err := time.LoadLocation(n); err == nil && n != "" && n != "Local" {
			return n
		}
	}
	return "UTC"
}
