package files

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"

	"github.com/dgraph-io/badger/v4/options"
)

// walkBlocks reads the consecutive blocks of a table without a readable index. It ends at the first damaged one.
func walkBlocks(b []byte, h TableFormat, fn func(Entry) error) error {
	if h.Compression != options.Snappy || fn == nil {
		return nil
	}
	r := BlockReader{Compression: h.Compression}
	for len(b) > 0 {
		n := snappyLen(b)
		if len(h.Keys) > 0 {
			n, r.Key = encryptedLen(b, h.Keys)
		}
		if n == 0 {
			return nil
		}
		if err := r.Read(b[:n], fn); errors.Is(err, ErrBlock) {
			return nil
		} else if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// encryptedLen returns the length of the encrypted block at the start of b and its cipher, or 0. A block ends with its
// initialization vector, at an unknown offset: its start only decrypts correctly with the right vector.
func encryptedLen(b []byte, keys []cipher.Block) (int, cipher.Block) {
	var head [16]byte
	for end := 2 * len(head); end <= min(len(b), maxBlock); end++ {
		for _, key := range keys {
			key.Encrypt(head[:], b[end-len(head):end])
			for i := range head {
				head[i] ^= b[i]
			}
			if !beginsBlock(head[:]) {
				continue
			}
			if plain := decrypt(nil, b[:end], key); snappyLen(plain) == len(plain) {
				return end, key
			}
		}
	}
	return 0, nil
}

// beginsBlock reports whether b may start with a compressed block: its length, then literal bytes whose first two are
// zero, because the first key of a block shares no prefix with a previous one.
func beginsBlock(b []byte) bool {
	n, at := binary.Uvarint(b)
	if at <= 0 || n == 0 || n > maxBlock || b[at]&3 != 0 {
		return false
	}
	at += 1 + max(0, int(b[at]>>2)-59)
	return at+2 <= len(b) && b[at] == 0 && b[at+1] == 0
}

// snappyLen returns the length of the snappy block at the start of b, or 0.
func snappyLen(b []byte) int {
	want, at := binary.Uvarint(b)
	if at <= 0 || want == 0 || want > maxBlock {
		return 0
	}
	for got := uint64(0); got < want; {
		if at >= len(b) {
			return 0
		}
		tag := b[at]
		switch n := int(tag >> 2); tag & 3 {
		case 0: // literal bytes
			extra := max(0, n-59)
			if at+extra >= len(b) {
				return 0
			}
			if extra > 0 {
				n = 0
				for i := range extra {
					n |= int(b[at+1+i]) << (8 * i)
				}
			}
			got += uint64(n) + 1
			at += 1 + extra + n + 1
		case 1:
			got += 4 + uint64(n&7)
			at += 2
		case 2:
			got += 1 + uint64(n)
			at += 3
		case 3:
			got += 1 + uint64(n)
			at += 5
		}
		if got > want {
			return 0
		}
	}
	if at > len(b) {
		return 0
	}
	return at
}
