// Package bench measures the program on a store with many campaigns: how fast it starts, follows keys,
// searches, validates and answers over HTTP, and what memory and disk it takes, all in one run.
package bench
