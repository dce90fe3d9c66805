package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the numbers of the API. Their labels are operations and HTTP statuses, and nothing
// that a caller chooses.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	running  prometheus.Gauge
}

func newMetrics(reg *prometheus.Registry) *metrics {
	if reg == nil {
		reg = prometheus.NewRegistry()
		reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	labels := []string{"operation", "status"}
	m := &metrics{
		registry: reg,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bugle_api_requests_total", Help: "Requests that were answered, by operation and HTTP status.",
		}, labels),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bugle_api_request_duration_seconds", Help: "How long requests took to answer, by operation and HTTP status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, labels),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "bugle_api_requests_running", Help: "Requests that are being answered.",
		}),
	}
	reg.MustRegister(m.requests, m.duration, m.running)
	return m
}

func (m *metrics) observe(operation string, status int, took time.Duration) {
	code := strconv.Itoa(status)
	m.requests.WithLabelValues(operation, code).Inc()
	m.duration.WithLabelValues(operation, code).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}
