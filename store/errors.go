package store

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound says that a record is not there.
	ErrNotFound = errors.New("not found")
	// Stop, returned from the function given to a scan, ends the scan without an error.
	//
	//lint:ignore ST1012 it is a signal, as fs.SkipAll is
	Stop = errors.New("stop")
	// ErrClosed says that the store was closed before.
	ErrClosed = errors.New("the store is closed")
	// ErrReadOnly is the answer to a write within View.
	ErrReadOnly = errors.New("the transaction is read-only")
	// ErrTooLarge says that a transaction, or one record, is larger than the store takes at once.
	ErrTooLarge = errors.New("the change is too large for the store; split it into smaller ones")
	// ErrDiskFull says that the disk has too little space left to write.
	ErrDiskFull = errors.New("the disk is full")
	// ErrLocksUnsupported says that a file system cannot keep two processes from writing to one store.
	ErrLocksUnsupported = errors.New("the file system of this folder does not support file locks, like some network drives")
	// ErrDataLost says that a record was there, or may have been, and was lost with a part of the disk.
	ErrDataLost = errors.New("part of the store was lost")
	// ErrUnreachable reports that the database does not respond, or cannot be written to at the moment.
	ErrUnreachable = errors.New("cannot reach the database")
	// ErrCommitUnknown reports that a change may or may not have been stored: the connection was lost during the commit, and
	// could not be restored to find out.
	ErrCommitUnknown = errors.New("the connection to the store was lost while the change was being stored")
	// ErrBusy reports that another transaction holds a lock on the record for too long.
	ErrBusy = errors.New("the record is in use")
	// ErrLeaseExpired reports that the lease of this process has expired, so another process may have taken over its work.
	ErrLeaseExpired = errors.New("this process was suspended for too long, and another one may have taken over its work")
	// ErrNewerVersion says that the store was written by a later program.
	ErrNewerVersion = errors.New("this store was written by a newer version; update bugle to open it")
)

// CorruptError says that a record is there, but is not what was written.
type CorruptError struct {
	What   string // the record in words, such as `campaign "66f…" in workspace "DEMO"`
	Err    error
	Advice string // what to do about it; empty: what can be done about any record
}

func (e *CorruptError) Error() string {
	advice := e.Advice
	if advice == "" {
		advice = "restore an earlier revision, or a backup with `bugle restore`"
	}
	return fmt.Sprintf("%s is damaged in the store (%v): %s", e.What, e.Err, advice)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// DamagedError says that a store's files cannot be read, and why it cannot be opened.
type DamagedError struct{ Dir string }

func (e *DamagedError) Error() string { return fmt.Sprintf("the store in %s is damaged", e.Dir) }

// LockedError says that another process owns the store's folder.
type LockedError struct {
	Dir string
	PID int // 0 where it is not known
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("another bugle process (%d)", e.PID)
	}
	return fmt.Sprintf("%s is using the store in %s; quit it first, or choose another folder with --data or BUGLE_DATA", who, e.Dir)
}
