// The corner: what the middleware decided about this visitor's requests, and the session on the
// dashboard, told by the shop's own server. It listens only while it is open and to be seen.
"use strict";

(() => {
  const corner = document.querySelector(".corner");
  const details = corner.querySelector("details");
  const brief = corner.querySelector(".brief");
  const session = corner.querySelector(".session");
  const list = corner.querySelector(".decisions");
  const spoken = corner.querySelector('[role="status"]');
  const SPEAK_MS = 5000;
  const begun = Date.now();
  let stream = null;
  let known = "";
  let said = { text: "", at: 0 };

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  }

  const seconds = (ms) => `${(ms / 1000).toFixed(ms < 10000 ? 2 : 0)} s`;
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const KINDS = { page: "page", api: "API call", custom: "event", engagement: "reading time", none: "not logged" };

  function outcome(one) {
    if (one.why) return one.why;
    if (!one.is_in_session) return "logged, on its way …";
    return one.delay_ms === null ? "in your session" : `in your session after ${seconds(one.delay_ms)}`;
  }

  function item(one) {
    const made = element("li", one.kind === "none" ? "no" : one.is_in_session ? "there" : "sent");
    made.dataset.number = one.number;
    const head = element("p");
    head.append(element("b", "", KINDS[one.kind] ?? one.kind));
    const code = element("code", "", `${one.method === "GET" ? "" : `${one.method} `}${one.name ?? one.path}`);
    code.title = one.path;
    head.append(" ", code);
    if (one.status >= 400) head.append(" ", element("span", "status-code", String(one.status)));
    made.append(head, element("p", "outcome", outcome(one)));
    return made;
  }

  // The pictures, styles and scripts of one page would bury the clicks: they share an entry.
  const PARTS = ["image", "font", "script", "style_sheet", "media", "manifest", "favicon"];

  function items(decisions) {
    const made = [];
    let parts = [];
    const flush = () => {
      if (parts.length > 1) made.push(together(parts));
      else made.push(...parts.map(item));
      parts = [];
    };
    for (const one of decisions) {
      if (PARTS.includes(one.reason)) {
        parts.push(one);
      } else {
        flush();
        made.push(item(one));
      }
    }
    flush();
    return made;
  }

  function together(parts) {
    const made = element("li", "no");
    const head = element("p");
    head.append(element("b", "", `${KINDS.none}, ${parts.length} requests`));
    const names = parts.map(({ path }) => path.split("/").pop());
    const code = element("p", "names");
    code.append(element("code", "", names.join(" ")));
    made.append(head, code, element("p", "outcome", "pictures, styles and scripts are parts of a page, not views"));
    return made;
  }

  function showSession({ session: now, is_following: isFollowing }) {
    session.textContent = "";
    if (!now) {
      session.textContent = isFollowing ? "No session yet: nothing of this visit was logged." : "The dashboard's API is not heard right now.";
      return;
    }
    const link = element("a", "", `Session ${now.session_id.slice(0, 8)}`);
    Object.assign(link, { href: now.url, target: "_blank", rel: "noopener" });
    link.append(element("span", "hidden", " on the dashboard (opens in a new tab)"));
    const counts = [[now.pages, "page"], [now.api_calls, "API call"], [now.custom_events, "custom event"]];
    const parts = counts.filter(([number]) => number).map(([number, word]) => plural(number, word));
    session.append(link, " ", element("span", "state", isFollowing ? now.status : `${now.status}, last known`), element("br"), `${plural(now.events, "event")}: ${parts.join(", ")}`);
    const mark = `${now.session_id} ${now.revision} ${now.status}`;
    if (known && known !== mark) {
      session.classList.remove("changed");
      void session.offsetWidth;
      session.classList.add("changed");
    }
    known = mark;
  }

  // The newest request of this page itself: pictures and scripts come after it.
  function headline(decisions) {
    const one = decisions.find(({ kind }) => kind === "page" || kind === "custom") ?? decisions[0];
    if (!one) return "";
    return one.kind === "none" ? `not logged: ${one.why}` : outcome(one);
  }

  function speak(text) {
    if (text === said.text || Date.now() - Math.max(said.at, begun) < SPEAK_MS) return;
    said = { text, at: Date.now() };
    spoken.textContent = text;
  }

  function show(view) {
    list.replaceChildren(...items(view.decisions));
    showSession(view);
    const text = headline(view.decisions);
    if (text) brief.textContent = text;
    speak(text);
  }

  function listen() {
    const wanted = details.open && document.visibilityState === "visible";
    if (wanted && !stream) {
      stream = new EventSource("/corner/stream");
      stream.onmessage = ({ data }) => show(JSON.parse(data));
    } else if (!wanted && stream) {
      stream.close();
      stream = null;
    }
  }

  const page = document.documentElement;
  details.open = page.classList.contains("docked");
  const remember = () => {
    try {
      sessionStorage.setItem("corner", details.open ? "open" : "closed");
    } catch {}
  };
  details.addEventListener("toggle", () => {
    page.classList.toggle("docked", details.open);
    remember();
    listen();
  });
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => {
    // Who leaves at once is quicker than the event of a toggle.
    remember();
    stream?.close();
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    stream = null;
    listen();
  });
  listen();
})();
