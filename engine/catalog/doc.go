// Package catalog is the specification as data: every table of the contract as a bugle/engine/schema.Field,
// compiled for each channel and each request, and the lifecycle of a campaign as a table of transitions and
// locks.
//
// Each rule of the specification is written only here.
package catalog
