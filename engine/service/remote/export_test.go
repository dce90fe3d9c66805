package remote

import "bugle/engine/doc"

// Words returns a dialect's translation of the bodies of requests and of the data of answers.
func Words(d Dialect) (out, in func(doc.Value) doc.Value, path func(string) string, err error) {
	t, err := newTranslator(d)
	if err != nil {
		return nil, nil, nil, err
	}
	back := func(v doc.Value) doc.Value { return t.value(v, t.root, false) }
	return t.out, back, t.path, nil
}
