package badger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// state is what a store records in a JSON file of its own, next to the database. The file is overwritten in place and not
// synced after each commit: after a kill it is current, after a power failure it may be older.
type state struct {
	// Key is the id of the key of an encrypted store.
	Key string `json:"key_id,omitempty"`
	// PID is the process that has the store open, 0 if it was closed.
	PID int `json:"pid,omitempty"`
	// Last is the version of the last acknowledged commit. If the database is behind it, acknowledged changes were lost.
	Last uint64 `json:"last"`
	// Damage is what was found, in a sentence. While it is not empty, nothing is written to the database.
	Damage string `json:"damage,omitempty"`
	// Verified is when each block was last read and verified.
	Verified time.Time `json:"verified"`
}

const stateFile = "STATE"

// readState reads the state of the store at path. That of a store without one, or with a damaged one, is empty.
func readState(path string) (s state, err error) {
	b, err := os.ReadFile(filepath.Join(path, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	// A state that was longer than the line may have left something.
	if err == nil && json.NewDecoder(bytes.NewReader(b)).Decode(&s) != nil {
		s = state{}
	}
	return s, err
}

// known returns the state.
func (d *driver) known() state {
	d.stateMu.Lock()
	defer d.stateMu.Unlock()
	return d.state
}

// record changes the state and its file. durably waits for the disk.
func (d *driver) record(durably bool, change func(*state)) error {
	d.stateMu.Lock()
	defer d.stateMu.Unlock()
	change(&d.state)
	b, err := json.Marshal(d.state)
	if err != nil {
		return err
	}
	if _, err := d.file.WriteAt(fmt.Appendf(nil, "%-255s\n", b), 0); err != nil {
		return err
	}
	if durably {
		return d.file.Sync()
	}
	return nil
}
