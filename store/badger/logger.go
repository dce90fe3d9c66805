package badger

import (
	"fmt"
	"log/slog"
	"strings"
)

// logger gives what Badger logs to a slog.Logger. What Badger calls information is about its
// own files, and of no interest to anybody who is not looking into it.
type logger struct{ log *slog.Logger }

func (l logger) Errorf(format string, args ...any)   { l.log.Error(line(format, args)) }
func (l logger) Warningf(format string, args ...any) { l.log.Warn(line(format, args)) }
func (l logger) Infof(format string, args ...any)    { l.log.Debug(line(format, args)) }
func (l logger) Debugf(format string, args ...any)   { l.log.Debug(line(format, args)) }

func line(format string, args []any) string {
	return "badger: " + strings.TrimSpace(fmt.Sprintf(format, args...))
}
