package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"bugle/engine/attach"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
)

// checkup is the result of doctor, as printed and as sent over the socket.
type checkup struct {
	Sound   bool     `json:"sound"`             // nothing is wrong, or everything was repaired
	Notices []string `json:"notices,omitempty"` // problems found when the store was opened
	// Encrypted reports whether the store is; Readable lists the backups that can be read without its key.
	Encrypted bool     `json:"encrypted"`
	Readable  []string `json:"readable,omitempty"`
	store.Checked
}

func newDoctor(f *factory) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check and repair the store",
		Long: "Checks every record, and lists what is wrong and what can be done about it. Nothing is changed\n" +
			"without --repair. Other bugle processes can keep using the store.\n\n" +
			"Records that a repair replaces or removes are kept in the store and listed. With --json, they are\n" +
			"printed with their keys and values in base64, in the list kept.",
		Example:           "  bugle doctor\n  bugle doctor --repair",
		Args:              exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDoctor(cmd.Context(), f, repair)
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "repair what can be repaired")
	return cmd
}

func runDoctor(ctx context.Context, f *factory, repair bool) error {
	f.notices.drop(func(text string) bool { return strings.Contains(text, "`bugle doctor`") }) // which is what runs
	node, err := openStore(ctx, f)
	if err != nil {
		return err
	}
	found, err := examine(ctx, f, node, attach.JobCheck)
	if err != nil {
		return err
	}
	if repair && found.Mendable() > 0 {
		if !f.json {
			sayFindings(f, found, "repair")
			fmt.Fprintln(f.out)
		}
		if found, err = examine(ctx, f, node, attach.JobRepair); err != nil {
			return err
		}
		if !f.json {
			sayRepaired(f, found)
		}
	} else if !f.json {
		sayFindings(f, found, "possible repair")
	}
	if !f.json {
		sayKept(f, found)
	}
	if f.json {
		if err := f.printJSON(found); err != nil {
			return err
		}
	}
	if !found.Sound {
		return silent(exitFailed)
	}
	return nil
}

// openStore opens the store on this machine, which must exist.
func openStore(ctx context.Context, f *factory) (*attach.Node, error) {
	if have, err := f.hasStore(); err != nil {
		return nil, err
	} else if !have {
		return nil, errNoWorkspace
	}
	return f.open(ctx)
}

func examine(ctx context.Context, f *factory, node *attach.Node, kind attach.JobKind) (out checkup, err error) {
	told := meter(&f.printer, "records checked")
	b, err := node.Do(ctx, attach.Job{Kind: kind}, told)
	if err != nil {
		return out, err
	}
	err = json.Unmarshal(b, &out)
	out.Readable = readable(f.dataDir())
	return out, err
}

// sayFindings prints what is wrong; how introduces what can be done about it.
func sayFindings(f *factory, c checkup, how string) {
	for _, n := range c.Notices {
		fmt.Fprintln(f.out, line(n))
	}
	for _, file := range c.Readable {
		fmt.Fprintf(f.out, "The store is encrypted, but this backup is not: %s. Encrypt it with `bugle encrypt`.\n", line(file))
	}
	if len(c.Findings) == 0 {
		fmt.Fprintf(f.out, "Checked %s, including %s. No problems found.\n", count(c.Records, "record"), count(c.Campaigns, "campaign"))
		return
	}
	fmt.Fprintf(f.out, "Checked %s, including %s. Found %s:\n", count(c.Records, "record"), count(c.Campaigns, "campaign"), count(len(c.Findings), "problem"))
	for _, x := range c.Findings {
		fmt.Fprintf(f.out, "\n  %s\n", line(x.What))
		if x.Mend != "" {
			fmt.Fprintf(f.out, "    %s: %s\n", how, line(x.Mend))
			if x.Loss {
				fmt.Fprintf(f.out, "    this does not bring back lost data; %s\n", line(x.Advice))
			}
		} else {
			fmt.Fprintf(f.out, "    cannot be repaired; %s\n", line(x.Advice))
		}
	}
	if n := c.Mendable(); n > 0 && how == "possible repair" {
		fmt.Fprintf(f.out, "\nRepair %d of %d with `bugle doctor --repair`.\n", n, len(c.Findings))
	}
}

// sayRepaired prints the results of a repair.
func sayRepaired(f *factory, c checkup) {
	done := 0
	for _, x := range c.Findings {
		switch {
		case x.Mended:
			done++
		case x.Failed != "":
			fmt.Fprintf(f.out, "Not repaired: %s: %s\n", line(x.What), line(x.Failed))
		}
	}
	fmt.Fprintf(f.out, "Repaired %d of %d.\n", done, len(c.Findings))
}

// mostKeptLines is how many of the records kept by repairs are listed.
const mostKeptLines = 10

// sayKept lists the records that repairs replaced or removed, newest first.
func sayKept(f *factory, c checkup) {
	if len(c.Kept) == 0 {
		return
	}
	fmt.Fprintf(f.out, "\nRepairs replaced or removed %s. The originals are kept; print them with `bugle doctor --json`:\n", count(c.KeptRecords, "record"))
	for i := range min(len(c.Kept), mostKeptLines) {
		k := c.Kept[len(c.Kept)-1-i]
		fmt.Fprintf(f.out, "  %s  %s (%s)\n", k.At.Local().Format("2006-01-02 15:04"), line(k.What), count(k.Bytes, "byte"))
	}
	if more := c.KeptRecords - mostKeptLines; more > 0 {
		fmt.Fprintf(f.out, "  and %d more\n", more)
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// meter returns a function that shows progress on standard error, if that is a terminal: on one line, which is cleared
// at the end.
func meter(p *printer, what string) func(attach.JobProgress) {
	file, ok := p.err.(*os.File)
	if !ok || !isTerminal(file) || p.json {
		return nil
	}
	return func(done attach.JobProgress) {
		what := what
		if done.Verifying {
			what = "records verified"
		}
		fmt.Fprintf(p.err, "\r\x1b[K%d %s\r", done.Records, what)
	}
}

// Do implements [attach.Maintained].
func (o owned) Do(ctx context.Context, job attach.Job, progress func(attach.JobProgress)) ([]byte, error) {
	records := func(n int) { progress(attach.JobProgress{Records: n}) }
	switch job.Kind {
	case attach.JobCheck, attach.JobRepair:
		run := store.Check
		if job.Kind == attach.JobRepair {
			run = store.Repair
		}
		o.db.Prove(ctx)
		found, err := run(ctx, o.db, records)
		if err != nil {
			return nil, err
		}
		if err := backup.Compare(ctx, o.db, o.dataDir, func(i backup.Info) string { return o.passphrase(attach.Job{File: i.File}) }, &found); err != nil {
			return nil, err
		}
		_, encrypted := o.db.Key()
		return json.Marshal(checkup{Sound: found.Sound(), Notices: o.db.Notices(), Encrypted: encrypted, Checked: found})
	case attach.JobBackup:
		info, err := backup.Write(ctx, o.db, job.File, backup.Options{
			Passphrase: job.Passphrase, Key: o.key(), Program: version(),
			Progress: func(p backup.Progress) { progress(attach.JobProgress(p)) },
		})
		if err != nil {
			return nil, err
		}
		return json.Marshal(info)
	case attach.JobRecover:
		info, err := backup.Recover(ctx, o.db, job.File, o.passphrase(job), job.Workspace, job.Campaign)
		if err != nil {
			return nil, err
		}
		return json.Marshal(info)
	}
	return nil, fmt.Errorf("unknown job %q", job.Kind)
}

// key returns the key of the store, nil if it is not encrypted.
func (o owned) key() *crypt.Key {
	if key, ok := o.db.Key(); ok {
		return &key
	}
	return nil
}

// passphrase returns the passphrase of the backup of a job: the one in the job, or that of the store's key.
func (o owned) passphrase(job attach.Job) string {
	if key := o.key(); job.Passphrase == "" && key != nil {
		if info, err := backup.ReadHeader(job.File); err == nil && info.Key == key.ID() {
			return key.Passphrase()
		}
	}
	return job.Passphrase
}

// kept is the store while this process owns it, with its daily backups.
type kept struct {
	owned
	daily *backup.Keeper // nil if they are off
	*findings
}

// findings passes on the problems found in the store while this process owns it.
type findings struct {
	mu   sync.Mutex
	tell func(notice string) // nil: nothing listens yet
}

// Tell implements [attach.Noticing].
func (s *findings) Tell(tell func(notice string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = tell
}

func (s *findings) pass(notice string) {
	s.mu.Lock()
	tell := s.tell
	s.mu.Unlock()
	if tell != nil {
		tell(notice)
	}
}

// envBackups is the environment variable that turns the daily backups off.
const envBackups = "BUGLE_BACKUPS"

// keep starts the daily backups of a store that was opened, and notes its problems.
func (f *factory) keep(db *badger.DB, found *findings) attach.Owned {
	f.notices.add(db.Notices()...)
	k := kept{owned: owned{db, f.dataDir()}, findings: found}
	if f.getenv(envBackups) != onOff(false) {
		k.daily = backup.Keep(db, f.daily(k.owned))
	}
	return k
}

// daily returns how the daily backups of a store are made.
func (f *factory) daily(o owned) backup.Daily {
	told := ""
	return backup.Daily{DataDir: f.dataDir(), Program: version(), Key: o.key(), Made: func(_ backup.Info, err error) {
		text := ""
		if err != nil {
			text = fmt.Sprintf("the daily backup failed: %v", err)
		}
		if text != "" && text != told { // it is retried several times an hour
			f.notices.add(text)
		}
		told = text
	}}
}

func (k kept) Close() error {
	if k.daily != nil {
		k.daily.Close()
	}
	return k.owned.Close()
}

// sayNotices prints on standard error the problems found when this command opened the store.
func (f *factory) sayNotices() {
	for _, n := range f.notices.take() {
		if f.json {
			b, err := json.Marshal(map[string]string{"notice": n})
			if err == nil {
				fmt.Fprintf(f.err, "%s\n", escaped(string(b)))
			}
			continue
		}
		fmt.Fprintln(f.err, "bugle: "+line(n))
	}
}
