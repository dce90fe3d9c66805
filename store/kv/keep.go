package kv

// Dated is a [Tx] that knows the version of the store which it sees. Each change makes a higher one.
type Dated interface{ Version() uint64 }
