package livepage

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"

	"github.com/adrg/xdg"
)

// makeFolder creates a private folder for files that the browser is to open. On Linux it is among the downloads, if there
// are any, because browsers from snap and flatpak see neither temporary files nor hidden folders.
func makeFolder() (string, error) {
	const pattern = "bugle-page-"
	if runtime.GOOS == "linux" {
		if dir, err := os.MkdirTemp(xdg.UserDirs.Download, pattern); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", pattern)
}

// OpenBrowser opens a file with the system's default program. It fails without a display, as over ssh, because a
// text browser would take over the terminal.
func OpenBrowser(ctx context.Context, file string) error {
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
