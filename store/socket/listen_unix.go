//go:build linux || darwin || freebsd

package socket

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// supported reports whether processes can connect to the owner on this system.
const supported = true

// The files of the socket in the data folder.
const (
	socketName  = "bugle.sock"
	pointerName = "bugle.sock.path" // contains the path of the socket if it is in another folder
	bindPrefix  = ".bugle-"
	// maxPath is the maximum length of the path of a socket, in bytes, that all systems support.
	maxPath = 100
)

// socket is what an owner listens on.
type socket struct {
	net.Listener
	dir   string      // the data folder
	in    os.FileInfo // of the data folder
	own   os.FileInfo // of the socket
	files []string    // the socket, and the file with its path
	aside string      // the folder of the socket if it is not the data folder
}

// lost reports whether other processes cannot find the socket, because it was removed, or replaced by one that does not
// respond. If the data folder itself was replaced, it returns false.
func (s *socket) lost() bool {
	if in, err := os.Stat(s.dir); err != nil || !os.SameFile(in, s.in) {
		return false
	}
	for _, f := range s.files {
		if _, err := os.Lstat(f); errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	at := s.files[0]
	if now, err := os.Lstat(at); err != nil || os.SameFile(now, s.own) {
		return false
	}
	c, err := net.DialTimeout("unix", at, introTimeout)
	if err != nil {
		return true
	}
	_ = c.Close()
	return false // it belongs to another owner
}

// remove removes the socket. Only the owner may call it, before it closes the store.
func (s *socket) remove() {
	for _, f := range s.files {
		_ = os.Remove(f) // if it fails, the next owner replaces it
	}
	if s.aside != "" {
		removeRuntimeDir(s.aside)
	}
}

// listen opens the socket of a data folder, and replaces an old one. Only the owner may call it. If the folder cannot
// have a socket, because its path is too long or its file system does not support them, the socket is in a runtime folder
// of the user, and a file in the data folder contains its path.
func listen(dir string) (*socket, error) {
	sweep(dir)
	pointer := filepath.Join(dir, pointerName)
	l, err := bind(dir)
	if err == nil {
		_ = os.Remove(pointer) // of a former owner
		return newSocket(l, dir, filepath.Join(dir, socketName))
	}
	aside, err2 := runtimeDir(dir)
	if err2 != nil {
		return nil, errors.Join(err, err2)
	}
	sweep(aside)
	if l, err2 = bind(aside); err2 != nil {
		removeRuntimeDir(aside)
		return nil, errors.Join(err, err2)
	}
	path := filepath.Join(aside, socketName)
	if err := writeFile(pointer, path); err != nil {
		err = errors.Join(fmt.Errorf("writing the address of the socket: %w", err), l.Close(), os.Remove(path))
		removeRuntimeDir(aside)
		return nil, err
	}
	s, err := newSocket(l, dir, path, pointer)
	if err == nil {
		s.aside = aside
	}
	return s, err
}

func newSocket(l net.Listener, dir string, files ...string) (*socket, error) {
	s := &socket{Listener: l, dir: dir, files: files}
	var err1, err2 error
	s.in, err1 = os.Stat(dir)
	s.own, err2 = os.Lstat(files[0])
	if err := errors.Join(err1, err2); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return s, nil
}

// bind creates the socket in a private folder, and renames it to its place once it listens and its permissions are set.
// So no other user can connect to it at any time.
func bind(dir string) (net.Listener, error) {
	if n := len(filepath.Join(dir, bindPrefix+"0123456789", "s")); n > maxPath {
		return nil, fmt.Errorf("the path of the socket has %d bytes; at most %d are allowed", n, maxPath)
	}
	tmp, err := os.MkdirTemp(dir, bindPrefix)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	at := filepath.Join(tmp, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(at, 0o600), os.Rename(at, filepath.Join(dir, socketName))); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// sweep removes the folders of processes that died while they created a socket.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // listen reports the error
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), bindPrefix) {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

func writeFile(path, text string) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// runtimeDir creates a folder for a socket that cannot be in its data folder.
func runtimeDir(dir string) (string, error) {
	sum := sha256.Sum256([]byte(dir))
	name := hex.EncodeToString(sum[:8])
	var errs []error
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if base == "" {
			continue
		}
		own := filepath.Join(base, "bugle-"+strconv.Itoa(os.Geteuid()))
		at := filepath.Join(own, name)
		if len(filepath.Join(at, bindPrefix+"0123456789", "s")) > maxPath {
			continue
		}
		err := errors.Join(private(own), private(at))
		if errors.Is(err, fs.ErrNotExist) { // the owner of another data folder has just removed the parent
			err = errors.Join(private(own), private(at))
		}
		if err == nil {
			return at, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(append(errs, errors.New("no folder for the socket; set XDG_RUNTIME_DIR to one with a short path"))...)
}

// removeRuntimeDir removes a folder of [runtimeDir], and its parent if it is empty.
func removeRuntimeDir(aside string) {
	if os.Remove(aside) == nil {
		_ = os.Remove(filepath.Dir(aside)) // fails if there are other folders
	}
}

// private creates a folder that only its user can access. It fails if the folder exists with other permissions.
func private(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Geteuid() || st.Mode&0o077 != 0 {
		return fmt.Errorf("%s must belong to this user only", dir)
	}
	return nil
}

// dial connects to the socket of a data folder.
func dial(ctx context.Context, dir string) (net.Conn, error) {
	path := filepath.Join(dir, socketName)
	if b, err := os.ReadFile(filepath.Join(dir, pointerName)); err == nil {
		path = string(b)
	}
	return new(net.Dialer).DialContext(ctx, "unix", path)
}

// sameUser returns an error if the process at the other end of a connection belongs to another user.
func sameUser(c net.Conn) error {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("cannot get the user of a connection of type %T", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return fmt.Errorf("getting the user of a connection: %w", err)
	}
	var uid uint32
	var failed error
	if err := raw.Control(func(fd uintptr) { uid, failed = peerUID(int(fd)) }); err != nil || failed != nil {
		return fmt.Errorf("getting the user of a connection: %w", errors.Join(err, failed))
	}
	if int(uid) != os.Geteuid() {
		return &otherUserError{uid: int(uid)}
	}
	return nil
}
