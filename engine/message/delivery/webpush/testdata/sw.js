// A service worker as in every tutorial. A message from its page stands for a click on the notification or on a button.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", e => e.waitUntil(clients.claim()));
self.addEventListener("push", e => {
  const n = e.data.json().notification;
  e.waitUntil(registration.showNotification(n.title, n));
});
self.addEventListener("notificationclick", e => {
  const { url, actions } = e.notification.data ?? {};
  e.waitUntil(clients.matchAll().then(list => list[0].postMessage(e.action ? actions?.[e.action] : url)));
});
self.addEventListener("message", e => e.waitUntil(registration.getNotifications().then(([notification]) =>
  self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action: e.data })))));
