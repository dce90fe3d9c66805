//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// report is what a run measured, and where.
type report struct {
	Date      time.Time `json:"date"`
	Version   string    `json:"version"`
	Platform  string    `json:"platform"`
	Load      string    `json:"load,omitempty"` // load averages before the run, on Linux
	Campaigns int       `json:"campaigns"`
	Rows      []row     `json:"rows"`
}

func newReport(version string, campaigns int) *report {
	load, _ := os.ReadFile("/proc/loadavg")
	return &report{
		Date: time.Now().UTC().Truncate(time.Second), Version: version, Load: string(bytes.TrimSpace(load)), Campaigns: campaigns,
		Platform: fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()),
	}
}

// row is one measurement: a value, or the distribution of several durations in milliseconds, or both for requests.
type row struct {
	What    string  `json:"what"`
	Clients int     `json:"clients,omitempty"`
	Value   float64 `json:"value,omitempty"`
	Unit    string  `json:"unit"`
	Median  float64 `json:"median,omitempty"`
	P99     float64 `json:"p99,omitempty"`
	Max     float64 `json:"max,omitempty"`
	Target  string  `json:"target,omitempty"`
	Reached bool    `json:"reached"`
}

// add adds a row, and whether it reached its target.
func (r *run) add(one row, target string, reached bool) {
	one.Value, one.Target, one.Reached = rounded(one.Value), target, reached
	r.report.Rows = append(r.report.Rows, one)
}

// addDurations adds a row with the distribution of durations, which must have a median, and a 99th percentile unless that is
// 0, of at most so many milliseconds.
func (r *run) addDurations(what string, took []time.Duration, median, p99 float64) {
	one := row{What: what, Unit: "ms"}.of(took)
	target := fmt.Sprintf("median ≤ %g", median)
	if p99 > 0 {
		target += fmt.Sprintf(", p99 ≤ %g", p99)
	}
	r.add(one, target, one.Median <= median && (p99 == 0 || one.P99 <= p99))
}

// of returns the row with the distribution of durations.
func (r row) of(took []time.Duration) row {
	took = slices.Sorted(slices.Values(took))
	at := func(p float64) float64 {
		return rounded(float64(took[int(math.Ceil(p*float64(len(took)-1)))]) / float64(time.Millisecond))
	}
	r.Median, r.P99, r.Max = at(0.5), at(0.99), at(1)
	return r
}

// rounded rounds to four significant digits.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return v
}

// addMemory adds a row with a memory figure of a process, such as VmRSS (proc_pid_status(5)), where the system has it in /proc.
func (r *run) addMemory(what string, pid int, name string, most float64) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name+":" {
			kib, _ := strconv.ParseFloat(words[1], 64)
			size := kib * 1024 / 1e6
			r.add(row{What: what, Value: size, Unit: "MB"}, fmt.Sprintf("≤ %g", most), size <= most)
		}
	}
}
