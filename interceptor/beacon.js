// What a page reports to the site it came from: views without a request, reading time, and
// the site's own events. No cookie, no storage, no other origin. docs/beacon.md says more.
(function (window, document, location, history) {
  "use strict";
  var script = document.currentScript;
  var before = window.clickwake || {};
  if (!script || before.ready) return;
  window.clickwake = function (name, properties) {
    send({ kind: "custom", name: name, properties: properties || {} });
  };
  window.clickwake.ready = true;
  var endpoint = script.src.replace(/\.js(\?.*)?$/, "");
  var silent =
    RESPECT_DNT && (navigator.doNotTrack === "1" || navigator.globalPrivacyControl === true);
  var page = here();
  var idleMs = 300000;
  var began = 0;
  var read = 0;
  var used = 0;
  var idle;

  function here() {
    return location.pathname + location.search;
  }

  function bare(address) {
    return address.split("?")[0];
  }

  // Whatever the site's own code passes, nothing may be thrown into it.
  function send(event) {
    if (silent) return;
    try {
      event.path = page;
      var body = JSON.stringify(event);
      if (navigator.sendBeacon && navigator.sendBeacon(endpoint, body)) return;
      fetch(endpoint, { method: "POST", body: body, keepalive: true }).catch(function () {});
    } catch (error) {}
  }

  function view(referrer) {
    send({ kind: "page", referrer: referrer });
  }

  // Timers stand still while a computer sleeps, so time that nobody used may be long.
  function pause() {
    if (began) read += Math.min(performance.now(), used + idleMs) - began;
    began = 0;
  }

  function report() {
    pause();
    if (read < 1000) return;
    send({ kind: "engagement", engaged_ms: Math.round(read) });
    read = 0;
  }

  // The page is read while it is visible, has the focus, and was used lately.
  function use() {
    var now = performance.now();
    if (began && now - used < 1000) return;
    // A long read must not look like silence, which would end the session.
    if (began && now - began > idleMs) report();
    used = now;
    clearTimeout(idle);
    idle = setTimeout(report, idleMs);
    if (!began && document.visibilityState === "visible" && document.hasFocus()) began = now;
  }

  function moved(isReplaced) {
    var from = page;
    var to = here();
    if (to === from) return;
    if (isReplaced && bare(to) === bare(from)) {
      page = to;
      return;
    }
    report();
    read = 0;
    page = to;
    view(location.origin + bare(from));
    use();
  }

  function follow(name) {
    var original = history[name];
    history[name] = function () {
      var result = original.apply(this, arguments);
      moved(name === "replaceState");
      return result;
    };
  }

  follow("pushState");
  follow("replaceState");
  addEventListener("popstate", function () {
    moved();
  });
  // The site has logged the first view, but not of a page that comes back out of the browser's
  // memory, nor of one that was rendered ahead.
  addEventListener("pageshow", function (event) {
    if (!event.persisted) return;
    view("");
    use();
  });
  document.addEventListener("prerenderingchange", function () {
    view(document.referrer);
    use();
  });
  document.addEventListener("visibilitychange", function () {
    if (document.visibilityState === "hidden") report();
    else use();
  });
  addEventListener("pagehide", report);
  addEventListener("blur", pause);
  ["focus", "pointermove", "pointerdown", "keydown", "scroll", "touchmove"].forEach(
    function (name) {
      addEventListener(name, use, { passive: true, capture: true });
    },
  );
  use();
  (before.q || []).forEach(function (call) {
    window.clickwake.apply(null, call);
  });
})(window, document, location, history);
