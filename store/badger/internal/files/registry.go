package files

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// The registry has the keys that the database's files are encrypted with, encrypted themselves with the
// key that the database was opened with. Its layout is that of badger/v4/key_registry.go: an
// initialization vector and a known text, which proves the key; then for each data key a length, a
// checksum and a protobuf message.

const (
	registryText = "Hello Badger"
	// RegistryHeaderSize is how many bytes the registry has before its first key.
	RegistryHeaderSize = aes.BlockSize + len(registryText)
)

// dataKeyAge is how long data is encrypted with one data key. A new one is made as the store is opened, never while
// it is open, so that the copies of the registry are complete.
const dataKeyAge = 30 * 24 * time.Hour

// ErrNoRegistry is the error of a registry that is not what was written.
var ErrNoRegistry = errors.New("the encryption keys of its files cannot be read")

// Registry is the data keys, in the order in which they were made.
type Registry struct {
	Data []byte // as the file has it
	lock []byte // what the keys are encrypted with
	keys []dataKey
	Err  error // it is not what was written
}

type dataKey struct {
	id    uint64
	made  time.Time
	block cipher.Block
}

// NewRegistry returns the registry of a new database, with one data key; lock is what the keys are encrypted with.
func NewRegistry(lock []byte) (r Registry, err error) {
	iv := make([]byte, aes.BlockSize)
	rand.Read(iv)
	proof, err := y.XORBlockAllocate([]byte(registryText), lock, iv)
	if err != nil {
		return r, err
	}
	r = Registry{Data: append(iv, proof...), lock: lock}
	_, err = r.Rotate(time.Now())
	return r, err
}

// ReadRegistry reads a registry. Its Err is set where it cannot be read.
func ReadRegistry(b, lock []byte) Registry {
	r := Registry{Data: b, lock: lock, Err: ErrNoRegistry}
	if len(b) <= RegistryHeaderSize {
		return r
	}
	proof, err := y.XORBlockAllocate(b[aes.BlockSize:RegistryHeaderSize], lock, b[:aes.BlockSize])
	if err != nil || string(proof) != registryText {
		return r
	}
	for rest := b[RegistryHeaderSize:]; len(rest) > 0; {
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
	r.Err = nil
	return r
}

// add takes a key as the file has it.
func (r *Registry) add(k *pb.DataKey) error {
	if len(k.Iv) != aes.BlockSize {
		return ErrNoRegistry
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

// Rotate makes a new data key where the last one is old, and reports whether it did.
func (r *Registry) Rotate(now time.Time) (grown bool, err error) {
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
	r.Data = binary.BigEndian.AppendUint32(append([]byte(nil), r.Data...), uint32(len(b)))
	r.Data = binary.BigEndian.AppendUint32(r.Data, crc32.Checksum(b, y.CastagnoliCrcTable))
	r.Data = append(r.Data, b...)
	return true, r.add(k)
}

// Ciphers returns the data key of that number, or all where there is none such, the newest first; none
// in the nil registry, which is that of a store that is not encrypted.
func (r *Registry) Ciphers(id uint64) []cipher.Block {
	if r == nil {
		return nil
	}
	if i := slices.IndexFunc(r.keys, func(k dataKey) bool { return k.id == id }); i >= 0 {
		return []cipher.Block{r.keys[i].block}
	}
	var all []cipher.Block
	for _, k := range slices.Backward(r.keys) {
		all = append(all, k.block)
	}
	return all
}
