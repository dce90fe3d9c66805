package api_test

import (
	"net/http/httptest"
	"testing"
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
