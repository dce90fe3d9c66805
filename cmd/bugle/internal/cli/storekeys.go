package cli

import (
	"fmt"

	"bugle/cmd/bugle/internal/storekey"
	"bugle/store/crypt"
)

// storeKeys are the keys of encrypted stores.
type storeKeys struct {
	ring  *storekey.Ring
	Fresh *crypt.Key // key for a new store
}

// Keys returns the source of the keys of stores.
func (f *Factory) Keys() *storekey.Ring {
	if f.Sealing.ring == nil {
		f.Sealing.ring = storekey.New(f.Getenv)
	}
	return f.Sealing.ring
}

// PrintKey prints the location of the key.
func PrintKey(f *Factory, where string, rotated bool) {
	switch {
	case where == storekey.Keyring:
		fmt.Fprintln(f.Out, "The key is in the system keyring. Without it, nothing can be read: print it with `bugle key show` and keep a copy somewhere safe.")
	case rotated:
		fmt.Fprintf(f.Out, "The key is the one in %s. From now on, bugle needs it in %s or %s, or in the keyring (`bugle key keep`).\n", where, storekey.Env, storekey.EnvCommand)
	default:
		fmt.Fprintf(f.Out, "The key is the one in %s, which bugle needs from now on. Without it, nothing can be read.\n", where)
	}
}
