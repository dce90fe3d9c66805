package process

import (
	"errors"
	"runtime"
	"strings"

	shellquote "github.com/kballard/go-shellquote"
)

// Words returns the words of a command in a setting, such as EDITOR, as a shell would, with quotes and backslashes, but without running anything.
// On Windows, where a backslash is part of a path, words end at spaces. It fails if a quote is not closed.
func Words(command string) ([]string, error) {
	if runtime.GOOS == "windows" {
		return strings.Fields(command), nil
	}
	words, err := shellquote.Split(command)
	if err != nil {
		return nil, errors.New("a quote or backslash is not closed")
	}
	return words, nil
}
