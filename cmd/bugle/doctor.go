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

// checkup is what doctor finds, as it is shown and as it crosses the socket.
type checkup struct {
	Sound   bool     `json:"sound"`             // nothing is wrong, or all of it was mended
	Notices []string `json:"notices,omitempty"` // what was wrong as the store was opened
	// Encrypted says whether the store is, and Readable what beside it can be read without its key.
	Encrypted bool     `json:"encrypted"`
	Readable  []string `json:"readable,omitempty"`
	store.Checked
}

func newDoctor(f *factory) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the store, and mend what can be mended",
		Long: "Check everything in the store: the checksum of each record, summaries and histories against\n" +
			"their campaigns, the sequence of changes, what profiles are found by, what expires. It says by\n" +
			"name what is wrong and what can be done about it, and changes nothing without --repair. It can\n" +
			"run while other bugles have the store open.\n\n" +
			"What a repair replaces or removes stays in the store as it was. It is listed; with --json the\n" +
			"key and the value of each such record are in the list kept, in base64.",
		Example:           "  bugle doctor\n  bugle doctor --repair",
		Args:              exactly(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDoctor(cmd.Context(), f, repair)
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "say what can be mended, and mend it")
	return cmd
}

func runDoctor(ctx context.Context, f *factory, repair bool) error {
	f.notices.drop(func(text string) bool { return strings.Contains(text, "`bugle doctor`") }) // what they say to do is done
	node, err := f.store(ctx)
	if err != nil {
		return err
	}
	found, err := examine(ctx, f, node, attach.JobCheck)
	if err != nil {
		return err
	}
	if repair && found.Mendable() > 0 {
		if !f.json {
			sayFindings(f, found, "will be done")
			fmt.Fprintln(f.out)
		}
		if found, err = examine(ctx, f, node, attach.JobRepair); err != nil {
			return err
		}
		if !f.json {
			sayMended(f, found)
		}
	} else if !f.json {
		sayFindings(f, found, "can be done")
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
		return silentError(exitFailed)
	}
	return nil
}

// store opens the store of this machine, which must be there.
func (f *factory) store(ctx context.Context) (*attach.Node, error) {
	if have, err := f.hasStore(); err != nil {
		return nil, err
	} else if !have {
		return nil, errNoWorkspace
	}
	return f.open(ctx)
}

func examine(ctx context.Context, f *factory, node *attach.Node, kind attach.JobKind) (out checkup, err error) {
	told := f.meter("records checked")
	b, err := node.Do(ctx, attach.Job{Kind: kind}, told)
	if err != nil {
		return out, err
	}
	err = json.Unmarshal(b, &out)
	out.Readable = readable(f.dataDir())
	return out, err
}

// sayFindings tells what is wrong; how is what stands before what can be done about it.
func sayFindings(f *factory, c checkup, how string) {
	for _, n := range c.Notices {
		fmt.Fprintln(f.out, line(n))
	}
	for _, file := range c.Readable {
		fmt.Fprintf(f.out, "The store is encrypted, and this backup of it is not: %s; `bugle encrypt` encrypts it.\n", line(file))
	}
	if len(c.Findings) == 0 {
		fmt.Fprintf(f.out, "%s checked, %s among them: nothing is wrong.\n", count(c.Records, "record"), count(c.Campaigns, "campaign"))
		return
	}
	fmt.Fprintf(f.out, "%s checked, %s among them; %s wrong:\n", count(c.Records, "record"), count(c.Campaigns, "campaign"), wrongThings(len(c.Findings)))
	for _, x := range c.Findings {
		fmt.Fprintf(f.out, "\n  %s\n", line(x.What))
		if x.Mend != "" {
			fmt.Fprintf(f.out, "    %s: %s\n", how, line(x.Mend))
			if x.Loss {
				fmt.Fprintf(f.out, "    this does not bring back what is lost; %s\n", line(x.Advice))
			}
		} else {
			fmt.Fprintf(f.out, "    cannot be mended here; %s\n", line(x.Advice))
		}
	}
	if n := c.Mendable(); n > 0 && how == "can be done" {
		fmt.Fprintf(f.out, "\n`bugle doctor --repair` mends %d of %d.\n", n, len(c.Findings))
	}
}

// sayMended tells what became of it.
func sayMended(f *factory, c checkup) {
	done := 0
	for _, x := range c.Findings {
		switch {
		case x.Mended:
			done++
		case x.Failed != "":
			fmt.Fprintf(f.out, "not mended: %s: %s\n", line(x.What), line(x.Failed))
		}
	}
	fmt.Fprintf(f.out, "%d of %d mended.\n", done, len(c.Findings))
}

// mostKeptLines is how many of the records that repairs have kept are listed.
const mostKeptLines = 10

// sayKept lists what repairs have replaced or removed, the newest first.
func sayKept(f *factory, c checkup) {
	if len(c.Kept) == 0 {
		return
	}
	fmt.Fprintf(f.out, "\nRepairs replaced or removed %s, which the store has kept as they were; `bugle doctor --json` prints them:\n", count(c.KeptRecords, "record"))
	for i := range min(len(c.Kept), mostKeptLines) {
		k := c.Kept[len(c.Kept)-1-i]
		fmt.Fprintf(f.out, "  %s  %s (%s)\n", k.At.Local().Format("2006-01-02 15:04"), line(k.What), count(k.Bytes, "byte"))
	}
	if more := c.KeptRecords - mostKeptLines; more > 0 {
		fmt.Fprintf(f.out, "  and %d earlier ones\n", more)
	}
}

func wrongThings(n int) string {
	if n == 1 {
		return "one thing is"
	}
	return fmt.Sprintf("%d things are", n)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// meter gives what tells of progress on standard error, where that is a terminal: on one line, which
// is wiped in the end.
func (f *factory) meter(what string) func(attach.JobProgress) {
	file, ok := f.err.(*os.File)
	if !ok || !isTerminal(file) || f.json {
		return nil
	}
	return func(p attach.JobProgress) {
		what := what
		if p.Verifying {
			what = "records read again"
		}
		fmt.Fprintf(f.err, "\r\x1b[K%d %s\r", p.Records, what)
	}
}

// Do is [attach.Maintained]: what this process does while it has the store.
func (o owned) Do(ctx context.Context, job attach.Job, progress func(attach.JobProgress)) ([]byte, error) {
	records := func(n int) { progress(attach.JobProgress{Records: n}) }
	switch job.Kind {
	case attach.JobCheck, attach.JobRepair:
		look := store.Check
		if job.Kind == attach.JobRepair {
			look = store.Repair
		}
		o.db.Prove(ctx)
		found, err := look(ctx, o.db, records)
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
	return nil, fmt.Errorf("there is no job %q", job.Kind)
}

// key gives the key that the store is encrypted with, nil where it is not.
func (o owned) key() *crypt.Key {
	if key, ok := o.db.Key(); ok {
		return &key
	}
	return nil
}

// passphrase gives that of the backup which a job is about: the one that came with the job, or the
// store's own.
func (o owned) passphrase(job attach.Job) string {
	if key := o.key(); job.Passphrase == "" && key != nil {
		if info, err := backup.ReadHeader(job.File); err == nil && info.Key == key.ID() {
			return key.Passphrase()
		}
	}
	return job.Passphrase
}

// kept is the store while this process has it, with its daily backups.
type kept struct {
	owned
	daily *backup.Keeper // nil where they are off
	*findings
}

// findings passes on what is found to be wrong with the store while this process has it.
type findings struct {
	mu   sync.Mutex
	tell func(notice string) // nil: nobody is there yet
}

// Tell is [attach.Noticing].
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

// keep begins the daily backups of a store that was opened, and notes what was wrong with it.
func (f *factory) keep(db *badger.DB, found *findings) attach.Owned {
	f.notices.add(db.Notices()...)
	k := kept{owned: owned{db, f.dataDir()}, findings: found}
	if f.getenv(envBackups) != onOff(false) {
		k.daily = backup.Keep(db, f.daily(k.owned))
	}
	return k
}

// daily says how the daily backups of a store are made.
func (f *factory) daily(o owned) backup.Daily {
	told := ""
	return backup.Daily{DataDir: f.dataDir(), Program: version(), Key: o.key(), Made: func(_ backup.Info, err error) {
		text := ""
		if err != nil {
			text = fmt.Sprintf("the daily backup was not made: %v", err)
		}
		if text != "" && text != told { // it is tried again, several times an hour
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

// sayNotices tells on standard error what was wrong with the store as this command opened it.
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
