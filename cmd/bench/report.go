//go:build unix

package main

import (
	"bytes"
	"errors"
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
	Cores     int       `json:"cores"`
	Load      string    `json:"load,omitempty"` // load averages before the run, on Linux
	Campaigns int       `json:"campaigns"`
	Rows      []row     `json:"rows"`
}

func newReport(version string, campaigns int) *report {
	load, _ := os.ReadFile("/proc/loadavg")
	return &report{
		Date: time.Now().UTC().Truncate(time.Second), Version: version, Platform: runtime.GOOS + "/" + runtime.GOARCH + ", " + runtime.Version(),
		Cores: runtime.NumCPU(), Load: string(bytes.TrimSpace(load)), Campaigns: campaigns,
	}
}

// row is one measurement: a value, or the spread of several, or both for requests.
type row struct {
	Part    string   `json:"part"`
	What    string   `json:"what"`
	Clients int      `json:"clients,omitempty"`
	Value   float64  `json:"value,omitempty"`
	Unit    string   `json:"unit"`
	Spread  *spread  `json:"ms,omitempty"`
	Targets []target `json:"targets,omitempty"`
}

// spread is the distribution of several durations, in milliseconds.
type spread struct {
	Count  int     `json:"count"`
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

// target is a limit for a figure of a row.
type target struct {
	Of      string  `json:"of"` // median, p99 or value
	Limit   float64 `json:"limit"`
	Reached bool    `json:"reached"`
}

func median(limit float64) target  { return target{Of: "median", Limit: limit} }
func p99(limit float64) target     { return target{Of: "p99", Limit: limit} }
func atMost(limit float64) target  { return target{Of: "value", Limit: limit} }
func atLeast(limit float64) target { return target{Of: "least value", Limit: limit} }

// add adds a row, and sets which of its targets are reached.
func (r *run) add(one row) {
	one.Value = rounded(one.Value)
	for i, t := range one.Targets {
		switch t.Of {
		case "median":
			one.Targets[i].Reached = one.Spread.Median <= t.Limit
		case "p99":
			one.Targets[i].Reached = one.Spread.P99 <= t.Limit
		case "value":
			one.Targets[i].Reached = one.Value <= t.Limit
		default:
			one.Targets[i].Reached = one.Value >= t.Limit
		}
	}
	r.report.Rows = append(r.report.Rows, one)
}

// addDurations adds a row with the distribution of durations.
func (r *run) addDurations(part, what string, took []time.Duration, targets ...target) {
	r.add(row{Part: part, What: what, Unit: "ms", Spread: spreadOf(took), Targets: targets})
}

func spreadOf(took []time.Duration) *spread {
	if len(took) == 0 {
		return nil
	}
	took = slices.Sorted(slices.Values(took))
	at := func(p float64) float64 {
		return rounded(float64(took[int(math.Ceil(p*float64(len(took)-1)))]) / float64(time.Millisecond))
	}
	return &spread{len(took), at(0), at(0.5), at(0.99), at(1)}
}

// rounded rounds to four significant digits.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return v
}

// memoryOf returns a memory figure of a process, such as VmRSS, in megabytes (proc_pid_status(5)).
func memoryOf(pid int, name string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name+":" {
			kib, err := strconv.ParseFloat(words[1], 64)
			return kib * 1024 / 1e6, err
		}
	}
	return 0, errors.New("the process has no " + name)
}

// addMemory adds a row with the memory of a process, where the system has it in /proc.
func (r *run) addMemory(part, what string, pid int, name string, most float64) error {
	size, err := memoryOf(pid, name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		r.add(row{Part: part, What: what, Value: size, Unit: "MB", Targets: []target{atMost(most)}})
	}
	return err
}
