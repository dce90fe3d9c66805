package store

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound reports that a record does not exist.
	ErrNotFound = errors.New("not found")
	// Stop ends a scan without an error when the function given to the scan returns it.
	//lint:ignore ST1012 it is a signal, as fs.SkipAll is
	Stop = errors.New("stop")
	// ErrClosed reports that the store is closed.
	ErrClosed = errors.New("the store is closed")
	// ErrReadOnly reports a write in a read-only transaction.
	ErrReadOnly = errors.New("the transaction is read-only")
	// ErrTooLarge reports that a transaction or a record exceeds the store's size limit.
	ErrTooLarge = errors.New("the change is too large for the store; split it into smaller ones")
	// ErrDiskFull reports that the disk does not have enough space for a write.
	ErrDiskFull = errors.New("the disk is full")
	// ErrLocksUnsupported reports that the file system does not support file locks, so two processes could write to the
	// store at once.
	ErrLocksUnsupported = errors.New("the file system of this folder does not support file locks, like some network drives")
	// ErrUnreachable reports that the database does not respond, or does not accept writes at the moment.
	ErrUnreachable = errors.New("cannot reach the database")
	// ErrCommitUnknown reports that a change may or may not have been stored: the connection was lost during the commit
	// and could not be restored to find out.
	ErrCommitUnknown = errors.New("the connection to the store was lost while the change was being stored")
	// ErrBusy reports that another transaction holds a lock on the record for too long.
	ErrBusy = errors.New("the record is in use")
	// ErrLeaseExpired reports that the lease of this process has expired, so another process may have taken over its
	// work.
	ErrLeaseExpired = errors.New("this process was suspended for too long, and another one may have taken over its work")
	// ErrNewerVersion reports that the store was written by a newer version of the program.
	ErrNewerVersion = errors.New("this store was written by a newer version; update bugle to open it")
)

// CorruptError reports that a record exists but its contents are damaged.
type CorruptError struct {
	What     string // names the record, such as `campaign "66f…" in workspace "DEMO"`
	Campaign string // the id of the campaign that it belongs to; empty if it belongs to none
	Err      error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s is damaged in the store (%v): restore an earlier revision, or a backup with `bugle restore`", e.What, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// DamagedError reports that the files of a store are damaged: it cannot be opened, or nothing is written to it any more.
type DamagedError struct {
	Dir string
	Why string // what was found
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the store in %s is damaged: %s; check with `bugle doctor`, and restore a backup with `bugle restore`", e.Dir, e.Why)
}

// LockedError reports that another process owns the store's folder.
type LockedError struct {
	Dir string
	PID int // 0 if unknown
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("another bugle process (%d)", e.PID)
	}
	return fmt.Sprintf("%s is using the store in %s; quit it first, or choose another folder with --data or BUGLE_DATA", who, e.Dir)
}
