// Package preview draws the models of bugle/engine/message/render: a notification as a phone or a browser shows
// it, a mail as an inbox and its reader do.
//
// What is drawn follows the devices where it tells the author something: what is cut, what stands where,
// which colors meet. Below the picture stands what a device does not show: where taps lead, which
// expressions have no value, which texts are too long.
package preview
