package files

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"

	"github.com/dgraph-io/badger/v4/options"
)

// walkBlocks reads the blocks of a table that has no index any more, from the first one on: they lie
// one after another. It ends at the first that is not what was written.
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

// encryptedLen returns how many bytes at the start of b are one encrypted block, and which key that was
// with; 0 where none is there. A block has its initialization vector at its end, wherever that is: its
// beginning makes sense with no other.
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

// beginsBlock reports whether a packed block can begin so: with its length, and bytes as they are, of
// which the first two are zero, as the first key of a block shares nothing with one before.
func beginsBlock(b []byte) bool {
	n, at := binary.Uvarint(b)
	if at <= 0 || n == 0 || n > maxBlock || b[at]&3 != 0 {
		return false
	}
	at += 1 + max(0, int(b[at]>>2)-59)
	return at+2 <= len(b) && b[at] == 0 && b[at+1] == 0
}

// snappyLen returns how many bytes at the start of b are one snappy block; 0 where none is there.
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
		case 0: // bytes as they are
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
