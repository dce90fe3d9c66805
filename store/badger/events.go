package badger

import (
	"fmt"
	"log/slog"
	"strings"
)

// events forwards Badger's log and reports Badger's progress to the compaction check. Badger has no other hook for
// this: it writes log lines in the goroutine that does the work, at the right moments. [TestCompactionsAreSeen] fails
// when a new version of Badger logs differently. Until then, each compaction whose completion was not seen is examined
// the slow way, so a missing line costs time but no records.
type events struct {
	log   *slog.Logger
	check *compactions // nil: nobody listens
}

// Log lines of badger/v4/levels.go and db.go.
const (
	lineIterated = "[%d] LOG Compact. Added %d keys. Skipped %d keys." // subcompact: before the inputs are removed
	lineDone     = "[Compactor: %d] Compaction for level: %d DONE"     // doCompact: after they are removed
	lineClosing  = "Waiting for closer"                                // close: all compactions have ended, and the lock is held
	lineFailed   = "[Compactor: %d] LOG Compact FAILED"                // doCompact: the inputs stay
)

// Errorf implements badger.Logger.
func (e events) Errorf(format string, args ...any) { e.write(slog.LevelError, format, args) }

// Warningf implements badger.Logger.
func (e events) Warningf(format string, args ...any) {
	if e.check != nil && strings.HasPrefix(format, lineFailed) {
		if id, ok := number(args, 0); ok {
			e.check.failed(id)
		}
	}
	e.write(slog.LevelWarn, format, args)
}

// Infof implements badger.Logger. Badger's information is about its own files, so it is logged at debug level.
func (e events) Infof(format string, args ...any) { e.write(slog.LevelDebug, format, args) }

// Debugf implements badger.Logger.
func (e events) Debugf(format string, args ...any) {
	if e.check != nil {
		switch {
		case strings.HasPrefix(format, lineIterated):
			id, ok := number(args, 0)
			added, ok1 := number(args, 1)
			skipped, ok2 := number(args, 2)
			if ok && ok1 && ok2 {
				e.check.iterated(id, added, skipped)
			}
		case strings.HasPrefix(format, lineClosing):
			e.check.end()
		case strings.HasPrefix(format, lineDone):
			if id, ok := number(args, 0); ok {
				e.check.done(id)
			}
		}
	}
	e.write(slog.LevelDebug, format, args)
}

// number returns an argument of a log line as a number.
func number(args []any, n int) (int, bool) {
	if n >= len(args) {
		return 0, false
	}
	switch v := args[n].(type) {
	case int:
		return v, true
	case uint64:
		return int(v), true
	}
	return 0, false
}

func (e events) write(level slog.Level, format string, args []any) {
	if ctx := noContext; e.log.Enabled(ctx, level) {
		e.log.Log(ctx, level, "badger: "+strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
}
