package badger

import (
	"reflect"
	"unsafe"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/ristretto/v2/z"
)

// drainAllocPool frees the buffers of a table as soon as the table is written, until the database is closed. Badger
// pools the buffers of eight tables, each several times the size of a table. In a burst of writes, they were most of a
// server's memory, and with a heap limit the garbage collector ran all the time. The pool cannot be configured, but it
// is a channel to which buffers are sent, and this function receives them. It does nothing if the database has no such
// pool; then TestBuffersAreFreed fails.
func drainAllocPool(db *badger.DB) {
	kept := allocPool(db)
	if kept == nil {
		return
	}
	go func() { // Badger closes the channel when the database is closed
		for buffers := range kept {
			buffers.Release()
		}
	}()
}

// allocPool returns the channel of the pool (badger/v4/db.go, ristretto/v2/z/allocator.go), or nil if there is none.
func allocPool(db *badger.DB) chan *z.Allocator {
	pool := reflect.ValueOf(db).Elem().FieldByName("allocPool")
	if !pool.IsValid() || pool.Type() != reflect.TypeFor[*z.AllocatorPool]() || pool.IsNil() {
		return nil
	}
	kept := pool.Elem().FieldByName("allocCh")
	if !kept.IsValid() || kept.Type() != reflect.TypeFor[chan *z.Allocator]() {
		return nil
	}
	return *(*chan *z.Allocator)(unsafe.Pointer(kept.UnsafeAddr()))
}
