package badger

import (
	"reflect"
	"unsafe"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/ristretto/v2/z"
)

// drainAllocPool has the buffers that a table was built in given back as soon as it is written, until the database is
// closed. Badger keeps those of eight tables, each several times as large as a table: under a burst of writes they
// were most of a server's memory, and a limit on the heap had the collector run all the time. The pool cannot be
// set; but it is a channel that a table's buffers are put into, and this takes them out. It does nothing where the
// database has no such pool; TestBuffersAreGivenBack fails then.
func drainAllocPool(db *badger.DB) {
	kept := allocPool(db)
	if kept == nil {
		return
	}
	go func() { // Badger closes the channel as the database is closed
		for buffers := range kept {
			buffers.Release()
		}
	}()
}

// allocPool returns the channel of the pool (badger/v4/db.go, ristretto/v2/z/allocator.go), nil where there is none.
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
