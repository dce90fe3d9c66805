// Package preview draws the models of bugle/engine/message/render: push notifications as phones and browsers
// show them, and emails as inboxes and mail readers do.
//
// The drawing follows the devices in what matters to the author: what is cut, where things are, which colors
// meet. Below it are notes on what a device does not show: link targets, expressions without a value, texts
// that are too long.
package preview
