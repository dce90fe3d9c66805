package doc

import (
	"fmt"
	"slices"
)

// Lookup returns the value at p, or an absent value.
func (v Value) Lookup(p Path) Value {
	for _, s := range p {
		if s.IsIndex {
			v = v.At(s.Index)
		} else {
			v = v.Get(s.Name)
		}
	}
	return v
}

// Set returns v with nv at p. It creates missing objects on the path; an index may be the length of its array
// to append. A step into a value of another kind, such as a name into a string, is an error. Setting an
// absent value deletes.
func (v Value) Set(p Path, nv Value) (Value, error) {
	if !nv.Exists() {
		return v.Delete(p), nil
	}
	if len(p) == 0 {
		return nv, nil
	}
	s := p[0]
	if s.IsIndex {
		return v.setElem(p, nv)
	}
	if v.Exists() && v.Kind() != Object {
		return v, fmt.Errorf("cannot set %s: there is a %s where an object belongs", p, v.Kind())
	}
	child, err := v.Get(s.Name).Set(p[1:], nv)
	if err != nil {
		return v, err
	}
	return v.withMember(s.Name, child), nil
}

func (v Value) setElem(p Path, nv Value) (Value, error) {
	i := p[0].Index
	if v.Exists() && v.Kind() != Array {
		return v, fmt.Errorf("cannot set %s: there is a %s where an array belongs", p, v.Kind())
	}
	if i > v.Len() {
		return v, fmt.Errorf("cannot set %s: the array has %d elements", p, v.Len())
	}
	child, err := v.At(i).Set(p[1:], nv)
	if err != nil {
		return v, err
	}
	elems := make([]Value, max(v.Len(), i+1))
	if v.Exists() {
		copy(elems, v.n.body.elems)
	}
	elems[i] = child
	return Value{array(elems)}, nil
}

func (v Value) withMember(name string, child Value) Value {
	if !v.Exists() {
		return Value{object([]Member{M(name, child).named()})}
	}
	old := v.n.body.members
	if i := v.n.body.index(name); i >= 0 {
		ms := slices.Clone(old)
		ms[i].Value = child
		return Value{object(ms)}
	}
	ms := make([]Member, len(old)+1)
	copy(ms, old)
	ms[len(old)] = M(name, child).named()
	return Value{object(ms)}
}

// Delete returns v without the value at p, or v itself if there is none.
func (v Value) Delete(p Path) Value {
	if len(p) == 0 {
		return Value{}
	}
	if !v.Lookup(p).Exists() {
		return v
	}
	s, b := p[0], v.n.body
	if s.IsIndex {
		elems := slices.Clone(b.elems)
		if len(p) == 1 {
			elems = slices.Delete(elems, s.Index, s.Index+1)
		} else {
			elems[s.Index] = elems[s.Index].Delete(p[1:])
		}
		return Value{array(elems)}
	}
	i, ms := b.index(s.Name), slices.Clone(b.members)
	if len(p) == 1 {
		ms = slices.Delete(ms, i, i+1)
	} else {
		ms[i].Value = ms[i].Value.Delete(p[1:])
	}
	return Value{object(ms)}
}

// Insert returns v with nv inserted before the element at p, or appended if p is one past the last element.
func (v Value) Insert(p Path, nv Value) (Value, error) {
	list, i, err := v.listAt(p)
	if err != nil {
		return v, err
	}
	elems := []Value(nil)
	if list.Exists() {
		elems = slices.Clone(list.n.body.elems)
	}
	return v.Set(p.Parent(), Value{array(slices.Insert(elems, i, nv))})
}

// Move returns v with the element at p moved to index to in the same array.
func (v Value) Move(p Path, to int) (Value, error) {
	list, i, err := v.listAt(p)
	if err != nil {
		return v, err
	}
	if i >= list.Len() || to < 0 || to >= list.Len() {
		return v, fmt.Errorf("cannot move %s to %d: the array has %d elements", p, to, list.Len())
	}
	e := list.At(i)
	elems := slices.Delete(slices.Clone(list.n.body.elems), i, i+1)
	return v.Set(p.Parent(), Value{array(slices.Insert(elems, to, e))})
}

func (v Value) listAt(p Path) (list Value, i int, err error) {
	if len(p) == 0 || !p.Last().IsIndex {
		return Value{}, 0, fmt.Errorf("%s leads to no element of an array", p)
	}
	list = v.Lookup(p.Parent())
	if list.Exists() && list.Kind() != Array {
		return Value{}, 0, fmt.Errorf("there is a %s at %s, not an array", list.Kind(), p.Parent())
	}
	if i = p.Last().Index; i < 0 || i > list.Len() {
		return Value{}, 0, fmt.Errorf("%s is past the end: the array has %d elements", p, list.Len())
	}
	return list, i, nil
}

// Rename returns v with the member at p renamed in place.
func (v Value) Rename(p Path, name string) (Value, error) {
	obj := v.Lookup(p.Parent())
	if len(p) == 0 || p.Last().IsIndex || !obj.Get(p.Last().Name).Exists() {
		return v, fmt.Errorf("there is no field at %s", p)
	}
	if name != p.Last().Name && obj.Get(name).Exists() {
		return v, fmt.Errorf("there is already a field named %q", name)
	}
	ms, i := slices.Clone(obj.n.body.members), obj.n.body.index(p.Last().Name)
	ms[i] = M(name, ms[i].Value).named()
	return v.Set(p.Parent(), Value{object(ms)})
}
