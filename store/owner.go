package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// User is a user of this machine.
type User struct {
	ID   int
	Name string // empty if the system does not know it
}

// String returns the user for people.
func (u User) String() string {
	if u.Name == "" {
		return fmt.Sprintf("the user with id %d", u.ID)
	}
	return u.Name
}

// Sudo returns the command that runs others as the user.
func (u User) Sudo() string {
	if u.Name == "" {
		return fmt.Sprintf("sudo -u '#%d'", u.ID)
	}
	return "sudo -u " + u.Name
}

// OwnerOf returns the user who owns a file or, if it does not exist, the nearest folder above it, and the path of
// that. It returns false if it is unknown, as on Windows.
func OwnerOf(path string) (owner User, at string, ok bool) {
	for {
		info, err := os.Stat(path)
		if err == nil {
			id, ok := ownerID(info)
			return userOf(id), path, ok
		}
		up := filepath.Dir(path)
		if up == path {
			return User{}, path, false
		}
		path = up
	}
}

func userOf(id int) User {
	u := User{ID: id}
	if known, err := user.LookupId(strconv.Itoa(id)); err == nil {
		u.Name = known.Username
	}
	return u
}

// FolderRemedy returns the end of an error about the folder of a store: what to do about it. If the system refuses
// access to a file, it names the file and its owner.
func FolderRemedy(dir string, err error) string {
	const another = "choose another folder with --data or BUGLE_DATA"
	if !errors.Is(err, fs.ErrPermission) && !matchesAny(err, []error{syscall.EACCES, syscall.EPERM}) {
		return another
	}
	at, owner, ok := foreignFile(dir, err)
	switch {
	case !ok:
		return another
	case within(dir, at):
		me := userOf(os.Geteuid())
		return fmt.Sprintf("%s belongs to %s; give it back with `sudo chown -R %s %s`, or %s", at, owner, cmp.Or(me.Name, strconv.Itoa(me.ID)), dir, another)
	case owner.ID == 0:
		return fmt.Sprintf("%s belongs to %s; %s", at, owner, another)
	}
	return fmt.Sprintf("%s belongs to %s; run bugle as that user, or %s", at, owner, another)
}

// foreignFile returns the file of another user to which the system refused access: the one in the error or, because some
// libraries return only text, the first one in the folder.
func foreignFile(dir string, err error) (path string, owner User, ok bool) {
	me := os.Geteuid()
	paths := []string{dir}
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		paths = append(paths, cause.Path)
	}
	for _, pattern := range []string{"*", "*/*"} {
		more, _ := fs.Glob(os.DirFS(dir), pattern) // the pattern is valid
		for _, name := range more {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	for _, p := range paths {
		if owner, at, ok := OwnerOf(p); ok && owner.ID != me {
			return at, owner, true
		}
	}
	return "", User{}, false
}

// within reports whether path is below dir.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}
