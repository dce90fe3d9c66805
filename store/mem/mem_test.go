package mem_test

import (
	"testing"

	"bugle/store/mem"
	"bugle/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.KeyValueDB { return mem.New() })
}
