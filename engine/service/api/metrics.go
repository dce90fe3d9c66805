package api

import (
	"maps"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the metrics of the API. Their labels are operations and HTTP statuses, never values from
// callers.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	running  prometheus.Gauge

	mu     sync.Mutex // for changing series
	series atomic.Pointer[map[seriesKey]series]
}

// seriesKey holds the labels of a series.
type seriesKey struct {
	operation string
	status    int
}

// series caches the metrics for a combination of labels.
type series struct {
	requests prometheus.Counter
	duration prometheus.Observer
}

func newMetrics(reg *prometheus.Registry, lines *Log) *metrics {
	if reg == nil {
		reg = prometheus.NewRegistry()
		reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	labels := []string{"operation", "status"}
	m := &metrics{
		registry: reg,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bugle_api_requests_total", Help: "Requests answered, by operation and HTTP status.",
		}, labels),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bugle_api_request_duration_seconds", Help: "Duration of requests, by operation and HTTP status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, labels),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "bugle_api_requests_running", Help: "Requests running.",
		}),
	}
	m.series.Store(&map[seriesKey]series{})
	reg.MustRegister(m.requests, m.duration, m.running)
	if lines != nil {
		reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "bugle_log_lines_dropped_total", Help: "Log lines dropped because nothing read the log.",
		}, func() float64 { return float64(lines.Dropped()) }))
	}
	return m
}

func (m *metrics) observe(operation string, status int, took time.Duration) {
	s := m.seriesFor(seriesKey{operation, status})
	s.requests.Inc()
	s.duration.Observe(took.Seconds())
}

// seriesFor returns the series of an operation and status. The map is replaced, never changed, so that reading takes no lock.
func (m *metrics) seriesFor(a seriesKey) series {
	if s, ok := (*m.series.Load())[a]; ok {
		return s
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all := maps.Clone(*m.series.Load())
	s, ok := all[a]
	if !ok {
		code := strconv.Itoa(a.status)
		s = series{m.requests.WithLabelValues(a.operation, code), m.duration.WithLabelValues(a.operation, code)}
		all[a] = s
		m.series.Store(&all)
	}
	return s
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}
