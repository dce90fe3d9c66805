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

	"bugle/engine/files"
	"bugle/store"
)

// logs prepares the files that the database creates and writes through memory mappings while the store is open. With
// memory mappings, a full disk is a bus error, which ends the process, and the name of a new file is not durable by
// itself. So space is reserved before writing:
//   - The next log (.mem) is created in advance, empty, with its space reserved and its name synced; the
//     database adopts it when it needs it. Nothing is written while there is none.
//   - The value log gets space for the large values of a change before the change is committed.
//   - [reserveFile] intercepts the creation of other mapped files: a table waits until the disk has space
//     for it, and its name is durable before anything relies on it.
type logs struct {
	path  string // empty if the store is read-only
	space uint64 // largest size of a log
	stop  func() // ends watch

	mu   sync.Mutex // guards next
	next string     // the log created in advance; empty: none

	reserved atomic.Uint64 // bytes reserved for it and the current log, if space can be reserved
	waiting  atomic.Int32  // number of tables waiting for space
	// unsynced reports that the database failed to sync its value log, which it only logs.
	unsynced atomic.Bool
	// failed is the reason why nothing can be written any more.
	failed atomic.Pointer[error]
}

const (
	logExt   = ".mem"
	valueExt = ".vlog"
	tableExt = ".sst"
	// listSpace is how much the MANIFEST may grow before the next log is created.
	listSpace = 64 << 10
)

// errUncertain reports that the outcome of a change is unknown.
var errUncertain = errors.New("the last changes may not be saved; start bugle again to see. Until then the store is read-only")

// begin starts preparing the files of a store that is about to be opened, until end.
func (l *logs) begin(path string, o badger.Options) badger.Options {
	// A log is replaced as soon as it has the size of a memtable, after the change that fills it, which is less than a
	// fifth of that.
	l.path, l.space = path, uint64(o.MemTableSize+o.MemTableSize/4)
	l.end()
	l.stop = l.watch()
	return o.WithLogger(errorListener{o.Logger, l})
}

// end must be called when the database is closed or could not be opened.
func (l *logs) end() {
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
}

// errorListener detects an error that the database only logs.
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

// fail stops all further writes: after a failed sync, the system may report success for the next one although the log
// has a gap. It returns the error for the caller of the change.
func (l *logs) fail(err error) error {
	err = fmt.Errorf("the disk has failed (%w): %w", err, errUncertain)
	l.failed.CompareAndSwap(nil, &err)
	return err
}

// errUnreserved reports that the disk had no space for a file of the database; nothing was written.
var errUnreserved = errors.New("cannot reserve disk space")

// removeEmptyLogs removes the log that a killed process created in advance. The caller holds the lock on the store.
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

// prepareNext creates the next log if the database has adopted the previous one. It fails if nothing may be written.
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
	if err := files.SyncFolder(l.path); err != nil {
		return err
	}
	l.next = name
	if reserved {
		l.reserved.Store(2 * l.space)
	}
	return nil
}

// reserveSpace reserves space for a file depending on its size, which does not change. It reports whether the disk
// supports this.
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

// removeNext removes the log created in advance when the store is closed.
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

// newestNumber returns the highest number among the files with an extension, or 0.
func newestNumber(path, ext string) (last uint64, err error) {
	names, err := filepath.Glob(filepath.Join(globEscape(path), "*"+ext))
	for _, name := range names {
		if n, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(name), ext), 10, 32); err == nil {
			last = max(last, n)
		}
	}
	return last, err
}

// commit commits a transaction with the changes, and returns when it is durable.
func (l *logs) commit(txn *badger.Txn, changes []*change) error {
	if l.path == "" {
		return txn.Commit()
	}
	large := int64(0)
	for _, ch := range changes {
		for _, w := range ch.writes {
			if len(w.value) >= inlineLimit {
				large += int64(len(w.key)+len(w.value)) + 64 // its header and checksum
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
		if err = files.SyncFolder(l.path); err == nil && l.unsynced.Load() {
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

// reserveValues reserves size bytes in the value log. Unused space is freed when the database closes the log.
func (l *logs) reserveValues(size int64) error {
	last, err := newestNumber(l.path, valueExt)
	if err != nil {
		return err
	}
	_, err = reserveSpace(filepath.Join(l.path, fmt.Sprintf("%06d%s", last, valueExt)), 0, func(has int64) int64 {
		if has == 2*maxValue { // its initial size; it is replaced once it has more than maxValue
			has = maxValue
		}
		return has + size
	})
	return err
}
