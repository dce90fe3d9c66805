package bench

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Report is the results of a run.
type Report struct {
	Date        time.Time `json:"date"`
	Version     string    `json:"version"`
	Machine     Machine   `json:"machine"`
	Campaigns   int       `json:"campaigns"`
	Seed        uint64    `json:"seed"`
	FillSeconds float64   `json:"fill_s"` // also for a store that an earlier run has filled
	Rows        []Row     `json:"rows"`
	LeftOut     []LeftOut `json:"left_out,omitempty"`
}

// LeftOut is a part that was not measured.
type LeftOut struct {
	Part Part   `json:"part"`
	Why  string `json:"why"`
}

// Row is one measurement. It has a spread if there were several samples, and otherwise a value.
type Row struct {
	Part      Part   `json:"part"`
	What      string `json:"what"`
	Campaigns int    `json:"campaigns,omitempty"`
	Clients   int    `json:"clients,omitempty"`
	Unit      string `json:"unit"`
	Count     int    `json:"count"`
	*Spread
	Value   *float64 `json:"value,omitempty"`
	Latency *Spread  `json:"latency_ms,omitempty"` // of single requests
	Settled *Spread  `json:"settled_ms,omitempty"` // until the screen no longer changes
	Targets []Target `json:"targets,omitempty"`
	Reached *bool    `json:"reached,omitempty"` // all targets are reached
	Failed  string   `json:"failed,omitempty"`  // why there is no result
	Note    string   `json:"note,omitempty"`
}

// Spread is the distribution of several values.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

// Target is a limit for a figure.
type Target struct {
	Of      string   `json:"of"` // median, p99, max, or value
	AtMost  *float64 `json:"at_most,omitempty"`
	AtLeast *float64 `json:"at_least,omitempty"`
	Reached bool     `json:"reached"`
}

// The figures that targets refer to.
const (
	ofMedian = "median"
	ofP99    = "p99"
	ofMax    = "max"
	ofValue  = "value"
)

func atMost(of string, v float64) Target  { return Target{Of: of, AtMost: &v} }
func atLeast(of string, v float64) Target { return Target{Of: of, AtLeast: &v} }

// fail adds a row for a failed measurement to the report.
func (r *run) fail(row Row, err error) {
	none := false
	row.Failed, row.Reached = err.Error(), &none
	r.report.Rows = append(r.report.Rows, row)
	r.failed = append(r.failed, fmt.Errorf("%s: %s: %w", row.Part, row.What, err))
}

// figure returns a figure of a row.
func (r Row) figure(of string) float64 {
	switch of {
	case ofMedian:
		return r.Median
	case ofP99:
		return r.P99
	case ofMax:
		return r.Max
	}
	return *r.Value
}

// add adds a row to the report, and sets whether its targets are reached.
func (r *run) add(row Row) {
	all := true
	for i, t := range row.Targets {
		v := row.figure(t.Of)
		row.Targets[i].Reached = t.AtMost != nil && v <= *t.AtMost || t.AtLeast != nil && v >= *t.AtLeast
		all = all && row.Targets[i].Reached
	}
	if len(row.Targets) > 0 {
		row.Reached = &all
	}
	r.report.Rows = append(r.report.Rows, row)
}

// durations returns a row with the distribution of durations, in the given unit.
func durations(p Part, what string, unit time.Duration, took []time.Duration, targets ...Target) Row {
	names := map[time.Duration]string{time.Millisecond: "ms", time.Microsecond: "µs"}
	return Row{Part: p, What: what, Unit: names[unit], Count: len(took), Spread: spread(unit, took), Targets: targets}
}

// value returns a row with a single figure.
func value(p Part, what, unit string, v float64, targets ...Target) Row {
	v = round(v)
	return Row{Part: p, What: what, Unit: unit, Count: 1, Value: &v, Targets: targets}
}

// spread returns the distribution of durations, or nil if there are none.
func spread(unit time.Duration, took []time.Duration) *Spread {
	if len(took) == 0 {
		return nil
	}
	took = slices.Sorted(slices.Values(took))
	at := func(p float64) float64 {
		return round(float64(took[int(math.Ceil(p*float64(len(took)-1)))]) / float64(unit))
	}
	return &Spread{Min: at(0), Median: at(0.5), P99: at(0.99), Max: at(1)}
}

// round rounds to four significant digits.
func round(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
