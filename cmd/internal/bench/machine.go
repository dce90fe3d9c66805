package bench

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Machine describes the machine of a run. Calibration and Fsync distinguish runs on different machines or under
// different loads.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Cores int    `json:"cores"`
	CPU   string `json:"cpu,omitempty"`
	Go    string `json:"go"`
	// Load is the system's load averages over 1, 5, and 15 minutes before the run.
	Load        []float64 `json:"load,omitempty"`
	Calibration *Spread   `json:"sha256_64mb_ms"`
	Fsync       *Spread   `json:"fsync_4kb_ms"` // appending 4 KB to a file and syncing it
}

const (
	calibrations = 5
	syncs        = 200
)

// examine measures the machine, and the disk of a folder.
func examine(ctx context.Context, dir string) (Machine, error) {
	m := Machine{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version(),
		CPU: cpuModel(), Load: loadAverages(),
	}
	m.Calibration = spread(time.Millisecond, calibrate(ctx))
	took, err := syncing(ctx, dir)
	m.Fsync = spread(time.Millisecond, took)
	return m, err
}

// calibrate measures a fixed amount of work.
func calibrate(ctx context.Context) (took []time.Duration) {
	block := make([]byte, 1<<20)
	for range calibrations {
		began := time.Now()
		h := sha256.New()
		for range 64 {
			_, _ = h.Write(block) // Write never fails
		}
		_ = h.Sum(nil)
		took = append(took, time.Since(began))
		if ctx.Err() != nil {
			break
		}
	}
	return took
}

func syncing(ctx context.Context, dir string) (took []time.Duration, err error) {
	f, err := os.OpenFile(filepath.Join(dir, "fsync"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = f.Close(), os.Remove(f.Name()) }()
	block := make([]byte, 4<<10)
	for range syncs {
		if err := ctx.Err(); err != nil {
			return took, err
		}
		began := time.Now()
		if _, err := f.Write(block); err != nil {
			return took, err
		}
		if err := datasync(f); err != nil {
			return took, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// cpuModel returns the name of the processor on Linux.
func cpuModel() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// loadAverages returns the load averages on Linux.
func loadAverages() (out []float64) {
	b, _ := os.ReadFile("/proc/loadavg")
	words := strings.Fields(string(b))
	for i := range min(3, len(words)) {
		v, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}
