package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
)

// OwnerOf returns the id and the name of the user who owns a file or, if it does not exist, the nearest folder above it, and
// the path of that. It returns false if it is unknown, as on Windows.
func OwnerOf(path string) (id int, name, at string, ok bool) {
	info, err := os.Stat(path)
	for ; err != nil && path != filepath.Dir(path); info, err = os.Stat(path) {
		path = filepath.Dir(path)
	}
	if err != nil {
		return 0, "", path, false
	}
	uid := reflect.Indirect(reflect.ValueOf(info.Sys())).FieldByName("Uid") // of a Unix system
	if !uid.IsValid() {
		return 0, "", path, false
	}
	id = int(uid.Uint())
	return id, nameOf(id), path, true
}

// nameOf returns the name of a user or, where there is none, a # and the id, as sudo takes it.
func nameOf(id int) string {
	if known, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return known.Username
	}
	return "#" + strconv.Itoa(id)
}

// FolderRemedy returns the end of an error about the folder of a store: what to do about it. If the system refuses
// access to a file of somebody else, it names the file and its owner.
func FolderRemedy(dir string, err error) string {
	const another = "choose another folder with --data or BUGLE_DATA"
	if !errors.Is(err, fs.ErrPermission) && !matchesAny(err, []error{syscall.EACCES, syscall.EPERM}) {
		return another
	}
	path := dir
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		path = cause.Path
	}
	id, name, at, ok := OwnerOf(path)
	switch {
	case !ok || id == os.Geteuid():
		return another
	case strings.HasPrefix(at, dir+string(filepath.Separator)):
		me := strings.TrimPrefix(nameOf(os.Geteuid()), "#")
		return fmt.Sprintf("%s belongs to %s; give it back with `sudo chown -R %s %s`, or %s", at, name, me, dir, another)
	case id == 0:
		return fmt.Sprintf("%s belongs to %s; %s", at, name, another)
	}
	return fmt.Sprintf("%s belongs to %s; run bugle as that user, or %s", at, name, another)
}
