package badger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"

	"bugle/store"
	"bugle/store/kv"
)

// inspectLogs looks after the files that the database makes and writes through mapped memory while the store is
// open. There a full disk is a bus error, which ends the process, and the name of a new file is not durable
// by itself. So what is written has its space before:
//
//   - The log (.mem) that comes after the one in use is made ahead, empty, with its space reserved and its
//     name synced; the database takes it as its own when it needs it. Nothing is written while there is none.
//   - The value log has space reserved for the large values of a change before that is committed.
//   - What else the database maps, [reserveFile] sees as it does: a table waits there until the disk has space
//     for it, and its name is durable before anything relies on it.
type logs struct {
	path  string // empty: the store is only read
	space uint64 // what a log takes at most
	stop  func() // of watch

	mu   sync.Mutex // guards next
	next string     // the log made ahead; empty: none

	reserved atomic.Uint64 // the space that it and the log in use have, where that can be reserved
	waiting  atomic.Int32  // tables that wait for space
	// unsynced reports that the database could not sync its value log: it only logs that.
	unsynced atomic.Bool
	// failed is why nothing can be written any more.
	failed atomic.Pointer[error]
}

const (
	logExt   = ".mem"
	valueExt = ".vlog"
	tableExt = ".sst"
	// listSpace is what the list of tables (MANIFEST) may grow by until the next log is made.
	listSpace = 64 << 10
)

// errUncertain says that a change may be saved or not.
var errUncertain = errors.New("the last changes may not be saved; start bugle again to see. Until then the store is read-only")

// begin has the files of a store that is about to be opened looked after, until end.
func (l *logs) begin(path string, o badger.Options) badger.Options {
	// A log is left as soon as it has as much as a table in memory, after the change that fills it, which has
	// less than a fifth of that.
	l.path, l.space = path, uint64(o.MemTableSize+o.MemTableSize/4)
	l.end()
	l.stop = l.watch()
	return o.WithLogger(errorListener{o.Logger, l})
}

// end is called where the database is closed, or could not be opened.
func (l *logs) end() {
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
}

// errorListener notices an error of the database that it only logs.
type errorListener struct {
	badger.Logger
	logs *logs
}

func (l errorListener) Errorf(format string, args ...any) {
	if strings.HasPrefix(format, "Error while curlf sync") { // badger/v4/value.go
		l.logs.unsynced.Store(true)
	}
	l.Logger.Errorf(format, args...)
}

// fail stops all further writes: after an error of a sync the system may say that the next one succeeded, and
// the log has a hole. It returns the error for who has asked for the change.
func (l *logs) fail(err error) error {
	err = fmt.Errorf("the disk has failed (%w): %w", err, errUncertain)
	l.failed.CompareAndSwap(nil, &err)
	return err
}

// errUnreserved says that the disk had no space for a file that the database makes; nothing was written.
var errUnreserved = errors.New("cannot reserve disk space")

// removeEmptyLogs removes the log that was made ahead by a process that was killed. Its caller holds the
// lock on the store.
func removeEmptyLogs(path string) error {
	names, err := filepath.Glob(filepath.Join(globEscape(path), "*"+logExt))
	if err != nil {
		return err
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.Size() > 0 {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// prepareNext makes the next log where the database has taken the one that was made ahead. It fails where nothing
// may be written.
func (l *logs) prepareNext() error {
	if err := l.failed.Load(); err != nil {
		return *err
	}
	if l.path == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next != "" {
		if info, err := os.Stat(l.next); err == nil && info.Size() == 0 {
			return nil
		}
	}
	last, err := newestNumber(l.path, logExt)
	if err != nil {
		return err
	}
	name := filepath.Join(l.path, fmt.Sprintf("%05d%s", last+1, logExt))
	reserved, err := reserveSpace(name, os.O_CREATE, func(int64) int64 { return int64(l.space) })
	if err != nil {
		_ = os.Remove(name)
		return err
	}
	list := filepath.Join(l.path, badger.ManifestFilename)
	if _, err := reserveSpace(list, 0, func(size int64) int64 { return size + listSpace }); err != nil {
		return err
	}
	if err := kv.SyncFolder(l.path); err != nil {
		return err
	}
	l.next = name
	if reserved {
		l.reserved.Store(2 * l.space)
	}
	return nil
}

// reserveSpace reserves space for a file, by what its size is, which stays as it is. It reports whether the disk
// can do that.
func reserveSpace(name string, flag int, space func(size int64) int64) (reserved bool, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|flag, 0o600)
	if err != nil {
		return false, err
	}
	info, err := f.Stat()
	if err == nil {
		err = allocate(f, space(info.Size()))
	}
	reserved = err == nil
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return reserved, errors.Join(err, f.Close())
}

// removeNext removes the log that was made ahead, as the store is closed.
func (l *logs) removeNext() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == "" {
		return
	}
	if info, err := os.Stat(l.next); err == nil && info.Size() == 0 {
		_ = os.Remove(l.next)
	}
	l.next = ""
	l.reserved.Store(0)
}

// newestNumber returns the highest number among the files with an ending, 0 where there is none.
func newestNumber(path, ext string) (last uint64, err error) {
	names, err := filepath.Glob(filepath.Join(globEscape(path), "*"+ext))
	for _, name := range names {
		if n, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(name), ext), 10, 32); err == nil {
			last = max(last, n)
		}
	}
	return last, err
}

// commit commits what the changes have written into a transaction, and returns when it is durable.
func (l *logs) commit(txn *badger.Txn, changes []*change) error {
	if l.path == "" {
		return txn.Commit()
	}
	large := int64(0)
	for _, ch := range changes {
		for _, w := range ch.writes {
			if len(w.value) >= inlineLimit {
				large += int64(len(w.key)+len(w.value)) + 64 // its head and checksum
			}
		}
	}
	if large > 0 {
		if err := l.reserveValues(large); err != nil {
			return err
		}
	}
	err := txn.Commit()
	switch {
	case err == nil && large > 0:
		if err = kv.SyncFolder(l.path); err == nil && l.unsynced.Load() {
			err = errors.New("cannot sync the value log")
		}
	case errors.Is(err, badger.ErrTxnTooBig), errors.Is(err, badger.ErrBlockedWrites), errors.Is(err, badger.ErrDBClosed):
		return err // nothing was written
	case err != nil && strings.Contains(err.Error(), errUnreserved.Error()): // of the next value log, before anything was written
		return fmt.Errorf("%w: %w", store.ErrDiskFull, err)
	}
	if err != nil {
		return l.fail(err)
	}
	return nil
}

// reserveValues reserves space for that many bytes in the value log. What it has beyond its end is not lost
// to the disk: the database cuts it off as it leaves the log.
func (l *logs) reserveValues(size int64) error {
	last, err := newestNumber(l.path, valueExt)
	if err != nil {
		return err
	}
	_, err = reserveSpace(filepath.Join(l.path, fmt.Sprintf("%06d%s", last, valueExt)), 0, func(has int64) int64 {
		if has == 2*maxValue { // as it is made; it is left once it has more than maxValue
			has = maxValue
		}
		return has + size
	})
	return err
}
