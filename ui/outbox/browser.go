package outbox

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"bugle/engine"
)

// opener shows mails in the browser. Its files are private to the person, and are gone with the
// screen.
type opener struct {
	mu   sync.Mutex
	dirs []string
	// start runs the command of a browser; nil is the system's.
	start func(ctx context.Context, file string) error
}

// open writes the mail into a file and shows that in the browser.
func (o *opener) open(ctx context.Context, m *engine.EmailMessage) error {
	dir, err := os.MkdirTemp("", "bugle-mail-")
	if err != nil {
		return fmt.Errorf("cannot write the file for the browser: %w", err)
	}
	o.mu.Lock()
	o.dirs = append(o.dirs, dir)
	o.mu.Unlock()
	file := filepath.Join(dir, "message.html")
	if err := os.WriteFile(file, []byte(page(m)), 0o600); err != nil {
		return fmt.Errorf("cannot write the file for the browser: %w", err)
	}
	start := o.start
	if start == nil {
		start = startBrowser
	}
	if err := start(ctx, file); err != nil {
		return fmt.Errorf("no browser could be opened (%w); open %s in one yourself while this screen is open", err, file)
	}
	return nil
}

// page puts the mail into a frame without scripts, as mail programs do.
func page(m *engine.EmailMessage) string {
	return `<!doctype html><meta charset="utf-8"><title>` + html.EscapeString(m.Subject) + `</title>` +
		`<style>html,body,iframe{margin:0;border:0;width:100%;height:100%}body{overflow:hidden}</style>` +
		`<iframe sandbox="allow-popups" srcdoc="` + html.EscapeString(m.HTML) + `"></iframe>` + "\n"
}

func startBrowser(ctx context.Context, file string) error {
	name, args := "xdg-open", []string{file}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", file}
	}
	if _, err := exec.LookPath(name); err != nil {
		return errors.New("the command " + name + " is not there")
	}
	return exec.CommandContext(ctx, name, args...).Run()
}

// clean removes the files.
func (o *opener) clean() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, dir := range o.dirs {
		os.RemoveAll(dir)
	}
	o.dirs = nil
}
