package api_test

import (
	"net/http/httptest"
	"testing"

	"bugle/engine/service/api"
)

func BenchmarkGet(b *testing.B) {
	bench := newBench(b)
	path := campaigns + "/" + bench.create(whole)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		if bench.ServeHTTP(w, request(b.Context(), "GET", path, "")); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	bench := newBench(b)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		if bench.ServeHTTP(w, request(b.Context(), "POST", campaigns, whole)); w.Code != 201 {
			b.Fatal(w.Body)
		}
	}
}

func BenchmarkRefusedForTheLimit(b *testing.B) {
	h := newBench(b, limitsOn)
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), request(b.Context(), "POST", campaigns+"/search", `{"limit":1,"page":1}`))
	}
}

// What it costs a get that its header is watched.
func BenchmarkFraming(b *testing.B) {
	watch := api.Watcher()
	get := []byte("GET /v5/campaigns/665f1c0ffee0ddba11ca11ab HTTP/1.1\r\nHost: campaigns.example.com\r\nUser-Agent: Go-http-client/1.1\r\n" +
		"Authorization: Basic VEVTVDprZXktb2YtYWxsLXNjb3Blcw==\r\nX-SVC-Request-Id: 2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09\r\nAccept-Encoding: gzip\r\nAccept: */*\r\n\r\n")
	b.ReportAllocs()
	for b.Loop() {
		watch(get)
	}
}
