package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"

	"bugle/store"
)

const (
	socketName = "bugle.sock"
	newName    = ".bugle-sock" // private folder in which the socket is created
	// maxPath is the maximum length of the path of a socket, in bytes, that all systems support.
	maxPath = 100
)

func socketOf(dir string) string { return filepath.Join(dir, socketName) }

// short calls fn with a path of a data folder that is short enough for those of sockets in it: its own, or that of a
// symbolic link that is removed afterwards.
func short(dir string, fn func(dir string) error) error {
	if len(filepath.Join(dir, newName, socketName)) <= maxPath {
		return fn(dir)
	}
	tmp, err := os.MkdirTemp("/tmp", "bugle-sock-")
	if err != nil {
		return fmt.Errorf("the path of the data folder is too long for a socket: %w", err)
	}
	defer os.RemoveAll(tmp)
	link := filepath.Join(tmp, "d")
	if err := os.Symlink(dir, link); err != nil {
		return err
	}
	return fn(link)
}

// listen opens the socket of a data folder, and replaces an old one. Only the owner may call it. The socket is created in
// a private folder and renamed to its place when its permissions are set, so that no other user can connect at any time.
func listen(dir string) (l *net.UnixListener, err error) {
	if runtime.GOOS == "windows" { // where files have no permissions and owners such as these
		return nil, errors.New("on this system, only one bugle process can use a data folder at a time")
	}
	private := filepath.Join(dir, newName)
	if err := errors.Join(os.RemoveAll(private), os.Mkdir(private, 0o700)); err != nil {
		return nil, err
	}
	defer os.RemoveAll(private)
	err = short(dir, func(dir string) error {
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, newName, socketName), Net: "unix"})
		return err
	})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	at := filepath.Join(private, socketName)
	if err := errors.Join(os.Chmod(at, 0o600), os.Rename(at, socketOf(dir))); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// dial connects to the socket of a data folder. It fails with a [refusal] if the socket is another user's.
func dial(ctx context.Context, dir string) (c net.Conn, err error) {
	socket := socketOf(dir)
	if id, user, at, ok := store.OwnerOf(socket); ok && at == socket && id != os.Geteuid() {
		return nil, refusal(fmt.Sprintf("the process that has the store open belongs to %s; "+
			"each user needs a data folder, chosen with --data or BUGLE_DATA", user))
	}
	err = short(dir, func(dir string) error {
		c, err = new(net.Dialer).DialContext(ctx, "unix", socketOf(dir))
		return err
	})
	return c, err
}
