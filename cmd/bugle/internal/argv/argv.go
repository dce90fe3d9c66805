// Package argv reads commands that people give in a setting, such as EDITOR.
package argv

import (
	"errors"
	"runtime"
	"strings"

	shellquote "github.com/kballard/go-shellquote"
)

// Split gives the words of a command as a shell would, with its quotes and backslashes, but without
// running anything. On Windows, where a backslash is part of a path, words end at spaces. It fails where a
// quote is not closed.
func Split(command string) ([]string, error) {
	if runtime.GOOS == "windows" {
		return strings.Fields(command), nil
	}
	words, err := shellquote.Split(command)
	if err != nil {
		return nil, errors.New("a quote or a backslash in it has no end")
	}
	return words, nil
}
