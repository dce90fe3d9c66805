package badger

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// The registry has the keys that the database's files are encrypted with, encrypted themselves with the
// key that the database was opened with. Its layout is that of badger/v4/key_registry.go: an
// initialisation vector and a known text, which proves the key; then for each data key a length, a
// checksum and a protobuf message.

const (
	registryProof = "Hello Badger"
	registryHead  = aes.BlockSize + len(registryProof)
)

var errNoRegistry = errors.New("the encryption keys of its files cannot be read")

// registry is the data keys, in the order in which they were made.
type registry struct {
	data []byte // as the file has it
	lock []byte // what the keys are encrypted with
	keys []dataKey
	err  error // it is not what was written
}

type dataKey struct {
	id    uint64
	made  time.Time
	block cipher.Block
}

func newRegistry(lock []byte) (r registry, err error) {
	iv := make([]byte, aes.BlockSize)
	rand.Read(iv)
	proof, err := y.XORBlockAllocate([]byte(registryProof), lock, iv)
	if err != nil {
		return r, err
	}
	r = registry{data: append(iv, proof...), lock: lock}
	_, err = r.renew(time.Now())
	return r, err
}

func readRegistry(b, lock []byte) registry {
	r := registry{data: b, lock: lock, err: errNoRegistry}
	if len(b) <= registryHead {
		return r
	}
	proof, err := y.XORBlockAllocate(b[aes.BlockSize:registryHead], lock, b[:aes.BlockSize])
	if err != nil || string(proof) != registryProof {
		return r
	}
	for rest := b[registryHead:]; len(rest) > 0; {
		if len(rest) < 8 {
			return r
		}
		n, sum := uint64(binary.BigEndian.Uint32(rest)), binary.BigEndian.Uint32(rest[4:])
		rest = rest[8:]
		if n > uint64(len(rest)) || crc32.Checksum(rest[:n], y.CastagnoliCrcTable) != sum {
			return r
		}
		var k pb.DataKey
		if proto.Unmarshal(rest[:n], &k) != nil || r.add(&k) != nil {
			return r
		}
		rest = rest[n:]
	}
	r.err = nil
	return r
}

// add takes a key as the file has it.
func (r *registry) add(k *pb.DataKey) error {
	if len(k.Iv) != aes.BlockSize {
		return errNoRegistry
	}
	plain, err := y.XORBlockAllocate(k.Data, r.lock, k.Iv)
	if err != nil {
		return err
	}
	block, err := aes.NewCipher(plain)
	if err != nil {
		return err
	}
	r.keys = append(r.keys, dataKey{k.KeyId, time.Unix(k.CreatedAt, 0), block})
	return nil
}

// renew makes a new data key where the last one is old, and tells whether it did.
func (r *registry) renew(now time.Time) (grown bool, err error) {
	var last dataKey
	if n := len(r.keys); n > 0 {
		last = r.keys[n-1]
		if now.Sub(last.made) < dataKeyAge {
			return false, nil
		}
	}
	plain, iv := make([]byte, 32), make([]byte, aes.BlockSize)
	rand.Read(plain)
	rand.Read(iv)
	data, err := y.XORBlockAllocate(plain, r.lock, iv)
	if err != nil {
		return false, err
	}
	k := &pb.DataKey{KeyId: last.id + 1, Data: data, Iv: iv, CreatedAt: now.Unix()}
	b, err := proto.Marshal(k)
	if err != nil {
		return false, err
	}
	r.data = binary.BigEndian.AppendUint32(append([]byte(nil), r.data...), uint32(len(b)))
	r.data = binary.BigEndian.AppendUint32(r.data, crc32.Checksum(b, y.CastagnoliCrcTable))
	r.data = append(r.data, b...)
	return true, r.add(k)
}
