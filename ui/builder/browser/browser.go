// Package browser shows pages in the user's browser, from private temporary files.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
)

// Files holds the pages that were shown. The zero value is ready to use.
type Files struct {
	// Start opens a file in a browser; nil means [System].
	Start func(ctx context.Context, file string) error

	mu     sync.Mutex
	dirs   []string
	closed bool
}

// Show writes a page to a file and opens it. If no browser can be opened, the error names the file.
func (f *Files) Show(ctx context.Context, page string) error {
	file, err := f.write(page)
	if err != nil {
		return fmt.Errorf("cannot write the file for the browser: %w", err)
	}
	start := f.Start
	if start == nil {
		start = System
	}
	if err := start(ctx, file); err != nil {
		return fmt.Errorf("no browser could be opened (%w); until you leave this screen the page is in %s", err, file)
	}
	return nil
}

// write writes a page into a new folder, unless Clean has been called.
func (f *Files) write(page string) (file string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return "", errors.New("the screen was left meanwhile")
	}
	dir, err := os.MkdirTemp("", "bugle-page-")
	if err != nil {
		return "", err
	}
	f.dirs = append(f.dirs, dir)
	file = filepath.Join(dir, "message.html")
	return file, os.WriteFile(file, []byte(page), 0o600)
}

// Clean removes the files; no page can be shown after it.
func (f *Files) Clean() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for _, dir := range f.dirs {
		os.RemoveAll(dir)
	}
	f.dirs = nil
}

// System opens a file with the system's default program. It fails without a display, as over ssh, because a
// text browser would take over the terminal.
func System(ctx context.Context, file string) error {
	name, args, err := openCommand(runtime.GOOS, os.Getenv, file)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath(name); err != nil {
		return errors.New("the command " + name + " is not there")
	}
	return exec.CommandContext(ctx, name, args...).Run()
}

// openCommand returns the command that opens a file on a system.
func openCommand(system string, env func(string) string, file string) (name string, args []string, err error) {
	switch system {
	case "darwin":
		if env("SSH_CONNECTION") != "" {
			return "", nil, errors.New("this is a session over ssh")
		}
		return "open", []string{file}, nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", file}, nil
	}
	if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" && env("WSL_DISTRO_NAME") == "" {
		return "", nil, errors.New("there is no display here")
	}
	return "xdg-open", []string{file}, nil
}
