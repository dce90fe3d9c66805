// Package argv parses and runs commands in settings, such as EDITOR or one that prints a key.
package argv

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

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

// secretTime is the time limit of a command that prints a secret, which may ask the user.
const secretTime = time.Minute

// Secret returns what a command prints, without line breaks at the end. The standard error of the command may contain the
// secret, so it is not repeated.
func Secret(ctx context.Context, words []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, secretTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s failed: %w; run it in a shell to see why", words[0], err)
	}
	return strings.TrimRight(string(out), "\r\n"), nil
}
