package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/argv"
	"bugle/engine/attach"
	"bugle/store/backup"
)

// envPassphrase is the environment variable with the passphrase of backups.
const envPassphrase = "BUGLE_PASSPHRASE"

// passphrase says where the passphrase of a backup comes from. It is never an argument, which other
// users of the machine could read.
type passphrase struct {
	env     string
	command string
}

func (p *passphrase) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.env, "passphrase-env", envPassphrase, "`variable` that holds the passphrase")
	cmd.Flags().StringVar(&p.command, "passphrase-command", "", "`command` that prints the passphrase")
}

// read gives the passphrase: of the command, of the variable, or typed at the terminal, twice where it
// is a new one.
func (p *passphrase) read(ctx context.Context, f *factory, fresh bool) (string, error) {
	if p.command != "" {
		words, err := argv.Split(p.command)
		if err != nil {
			return "", misused("--passphrase-command: %w", err)
		}
		if len(words) == 0 {
			return "", misused("--passphrase-command names no command")
		}
		out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
		if err != nil {
			return "", fmt.Errorf("the command for the passphrase failed: %w", err)
		}
		return nonEmpty(strings.TrimRight(string(out), "\r\n"))
	}
	if text := f.getenv(p.env); text != "" {
		return text, nil
	}
	in, _, ok := f.terminal()
	if !ok {
		return "", misused("give the passphrase in the environment variable %s, or with --passphrase-command", p.env)
	}
	text, err := askPassphrase(ctx, f, in, "Passphrase: ")
	if err != nil || !fresh {
		return text, err
	}
	again, err := askPassphrase(ctx, f, in, "Again: ")
	if err == nil && again != text {
		err = errors.New("the two are not the same; nothing was written")
	}
	return text, err
}

func nonEmpty(text string) (string, error) {
	if text == "" {
		return "", errors.New("the passphrase is empty")
	}
	return text, nil
}

func askPassphrase(ctx context.Context, f *factory, in *os.File, prompt string) (string, error) {
	text, err := f.typed(ctx, in, prompt)
	if err != nil {
		return "", fmt.Errorf("reading the passphrase: %w", err)
	}
	return nonEmpty(text)
}

func newBackup(f *factory) *cobra.Command {
	var encrypt bool
	var pass passphrase
	cmd := &cobra.Command{
		Use:   "backup [FILE]",
		Short: "Write the whole store into one file",
		Long: "Write the whole store, as it is at this moment, into one file: compressed, checksummed, and read\n" +
			"again before it gets its name. Other bugles may have the store open and go on. Without FILE it\n" +
			"gets a name in the folder backups of the data folder.\n\n" +
			"A bugle that keeps running, a terminal or `bugle serve`, makes one there by itself each day, and\n" +
			fmt.Sprintf("keeps those of the last %d days and %d weeks; %s=off turns that off.", backup.KeptDays, backup.KeptWeeks, envBackups) +
			"\n\nBackups of a store that is encrypted are encrypted with its key, and restored with it; --encrypt\n" +
			"takes a passphrase instead.",
		Example: "  bugle backup\n  bugle backup /mnt/stick/campaigns" + backup.Suffix + " --encrypt",
		Args:    between(0, 1, "at most one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			encrypt = encrypt || pass.command != "" || cmd.Flags().Changed("passphrase-env")
			file := ""
			if len(args) == 1 {
				file = args[0]
			}
			secret := ""
			if encrypt {
				var err error
				if secret, err = pass.read(cmd.Context(), f, true); err != nil {
					return err
				}
			}
			return runBackup(cmd.Context(), f, file, secret)
		},
	}
	cmd.Flags().BoolVar(&encrypt, "encrypt", false, "encrypt it with a passphrase: that of "+envPassphrase+", or one that you type")
	pass.flags(cmd)
	return cmd
}

func runBackup(ctx context.Context, f *factory, file, secret string) error {
	node, err := f.store(ctx)
	if err != nil {
		return err
	}
	if file == "" {
		if err := backup.MakeFolder(f.dataDir()); err != nil {
			return err
		}
		file = backup.Name(f.dataDir(), time.Now())
	}
	if file, err = filepath.Abs(file); err != nil {
		return fmt.Errorf("the name of the backup cannot be used: %w", err)
	}
	b, err := node.Do(ctx, attach.Job{Kind: attach.JobBackup, File: file, Passphrase: secret}, f.meter("records written"))
	if err != nil {
		return err
	}
	var info backup.Info
	if err := json.Unmarshal(b, &info); err != nil {
		return fmt.Errorf("reading what the backup came to: %w", err)
	}
	if f.json {
		return f.printJSON(info)
	}
	how := ""
	switch {
	case info.Key != "":
		how = ", encrypted with the key of the store"
	case info.Encrypted:
		how = ", encrypted"
	}
	fmt.Fprintf(f.out, "%s in %s and %s are in %s (%s%s); it was read again and is whole.\n", count(info.Campaigns, "campaign"),
		count(len(info.Workspaces), "workspace"), count(info.Records, "record"), line(info.File), bytesText(info.Size), how)
	if !info.Sound() {
		fmt.Fprintln(f.out, "The store itself is damaged, and the backup is as it is: see `bugle doctor`.")
	}
	return nil
}

func bytesText(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// notices is what was wrong with stores as they were opened, and what went wrong beside somebody's work,
// until somebody is told.
type notices struct {
	mu       sync.Mutex
	texts    []string
	unwanted func(text string) bool // is not kept; nil: all is
	more     chan struct{}          // holds one where there may be some; nil until somebody waits
}

func (n *notices) add(texts ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range texts {
		if n.unwanted == nil || !n.unwanted(text) {
			n.texts = append(n.texts, text)
		}
	}
	n.signal()
}

// arrived tells that there are notices to take.
func (n *notices) arrived() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.more == nil {
		n.more = make(chan struct{}, 1)
		n.signal()
	}
	return n.more
}

func (n *notices) signal() {
	if n.more == nil || len(n.texts) == 0 {
		return
	}
	select {
	case n.more <- struct{}{}:
	default: // nobody has taken the last ones yet
	}
}

// follow says each as it comes, until ctx ends.
func (n *notices) follow(ctx context.Context, say func(text string)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.arrived():
		}
		for _, text := range n.take() {
			say(text)
		}
	}
}

// drop forgets those that need not be said, from now on.
func (n *notices) drop(unwanted func(text string) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.unwanted = unwanted
	n.texts = slices.DeleteFunc(n.texts, unwanted)
}

// take gives them, once, as sentences.
func (n *notices) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.texts
	n.texts = nil
	return out
}
