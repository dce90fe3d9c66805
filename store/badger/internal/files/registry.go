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

// The key registry contains the data keys that encrypt the database's files, encrypted with the key that the database
// was opened with. Its format is that of badger/v4/key_registry.go: an initialization vector and a known text, which
// verifies the key; then for each data key a length, a checksum, and a protobuf message.

const (
	registryText = "Hello Badger"
	// RegistryHeaderSize is the number of bytes before the first data key.
	RegistryHeaderSize = aes.BlockSize + len(registryText)
)

// dataKeyAge is how long a data key is used for new data. A new data key is created when the store is opened, never
// while it is open, so that the copies of the registry are complete.
const dataKeyAge = 30 * 24 * time.Hour

// ErrNoRegistry reports that a key registry is damaged.
var ErrNoRegistry = errors.New("the encryption keys of its files cannot be read")

// Registry is the data keys in the order of their creation.
type Registry struct {
	Data []byte // the contents of the file
	lock []byte // the key that encrypts the data keys
	keys []dataKey
	Err  error // not nil if the registry is damaged
}

type dataKey struct {
	id    uint64
	made  time.Time
	block cipher.Block
}

// NewRegistry returns the registry of a new database with one data key; lock encrypts the data keys.
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

// ReadRegistry reads a registry. It sets Err if the registry cannot be read.
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

// Wrong reports whether the registry belongs to another key.
func (r Registry) Wrong() bool {
	if len(r.Data) < RegistryHeaderSize {
		return false
	}
	proof, err := y.XORBlockAllocate(r.Data[aes.BlockSize:RegistryHeaderSize], r.lock, r.Data[:aes.BlockSize])
	return err == nil && string(proof) != registryText
}

// add adds a data key from the file.
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

// Rotate adds a new data key if the last one is too old, and reports whether it did.
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

// Ciphers returns the cipher of the data key with that id, or all of them, newest first, if there is none. The nil
// registry of a store without encryption has none.
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
