// Package argv parses commands in settings, such as EDITOR or one that prints a key.
package argv

import (
	"errors"
	"runtime"
	"strings"

	shellquote "github.com/kballard/go-shellquote"
)

// Split returns the words of a command as a shell would, with quotes and backslashes, but without running anything.
// On Windows, where a backslash is part of a path, words end at spaces. It fails if a quote is not closed.
func Split(command string) ([]string, error) {
	if runtime.GOOS == "windows" {
		return strings.Fields(command), nil
	}
	words, err := shellquote.Split(command)
	if err != nil {
		return nil, errors.New("a quote or backslash is not closed")
	}
	return words, nil
}
