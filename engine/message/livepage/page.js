"use strict";
// The page follows the message: each event names a version, and frames are loaded again only if their message differs.
const at = id => document.getElementById(id);
const frames = [at("wide"), at("narrow")];
let images = "", loading = false, again = false, loaded = "", timer = 0;

function say(text) { at("state").textContent = text; }

function load(version) {
  const query = "message?v=" + version + images;
  if (query === loaded) return;
  loaded = query;
  for (const f of frames) f.src = query;
}

async function refresh() {
  if (loading) { again = true; return; }
  loading = true;
  try {
    const answer = await fetch("head");
    if (!answer.ok) { say(await answer.text()); return; }
    const head = await answer.json();
    document.title = head.title;
    at("where").textContent = [head.title, head.cell, head.person && "as " + head.person].filter(Boolean).join(" · ");
    at("subject").textContent = head.subject;
    at("sender").textContent = head.email ? [head.sender, head.preview].filter(Boolean).join(" — ") : "";
    at("phone").hidden = !head.email;
    say("Follows your changes");
    load(head.version);
  } catch {
    // The stream of events says whether the server has ended.
  } finally {
    loading = false;
    if (again) { again = false; soon(); }
  }
}

// soon waits for the end of a burst of changes.
function soon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, 60);
}

at("dark").addEventListener("click", () => {
  at("dark").setAttribute("aria-pressed", String(document.body.classList.toggle("dark")));
});

at("images").addEventListener("click", () => {
  images = "&images=remote";
  at("images").disabled = true;
  at("images").textContent = "Remote images are loaded";
  refresh();
});

const events = new EventSource("events");
events.addEventListener("message", soon);
events.addEventListener("end", () => {
  events.close();
  say("You left the campaign. This page no longer follows it.");
});
events.addEventListener("error", () => {
  if (events.readyState !== EventSource.CLOSED) say("bugle does not answer.");
});
