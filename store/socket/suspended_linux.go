package socket

import (
	"bytes"
	"fmt"
	"os"
)

// suspended reports whether a process is stopped (proc(5), /proc/pid/stat).
func suspended(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, ok := bytes.Cut(b[bytes.LastIndexByte(b, ')')+1:], []byte(" "))
	return ok && len(state) > 0 && (state[0] == 'T' || state[0] == 't')
}
