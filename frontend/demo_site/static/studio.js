// The studio: forms are sent without leaving the page, and the state is shown as it changes.
"use strict";

const ASK_MS = 500;
const STALE_MS = 3000;
const said = document.getElementById("said");
const numbers = new Intl.NumberFormat("en");
const put = (id, text) => {
  const place = document.getElementById(id);
  if (place.textContent !== text) place.textContent = text;
};
let before = null;

for (const output of document.querySelectorAll("output")) {
  const range = document.getElementById(output.htmlFor[0]);
  const show = () => { output.value = range.value + (range.dataset.unit ?? ""); };
  range.addEventListener("input", show);
  show();
}

async function send(form, action) {
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(action, { method: "POST", body, headers: { Accept: "application/json" } });
  if (!answer.headers.get("content-type")?.includes("json")) {
    throw new Error("The studio was restarted: load this page again.");
  }
  said.textContent = (await answer.json()).said;
}

for (const form of document.querySelectorAll(".panel")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await send(form, event.submitter?.getAttribute("formaction") ?? form.getAttribute("action"));
    } catch (error) {
      said.textContent = error.message || "The shop did not answer. Try again.";
    }
  });
}

const STATUS = { ready: "up", held: "stopped", starting: "starting", waiting: "starting", backing_off: "down", stopped: "down" };

function showTraffic(traffic, time) {
  const isThere = traffic && time - traffic.time < STALE_MS;
  put("on-site", isThere ? numbers.format(traffic.on_site) : "none");
  put("wished", isThere ? numbers.format(traffic.traffic.visitors_per_minute) : "no sample traffic");
  put("note", isThere ? traffic.note : "No sample traffic runs: ./clickwake traffic sends some, which this page then steers.");
  if (isThere && before && traffic.time > before.time) {
    const rate = ((traffic.requests - before.requests) * 1000) / (traffic.time - before.time);
    put("rate", rate.toFixed(1));
  }
  if (!isThere) put("rate", "–");
  if (isThere && (!before || traffic.time - before.time > 1500)) before = traffic;
}

function showBroker(broker, outage, time) {
  const left = outage ? Math.ceil((outage.until - time) / 1000) : 0;
  const text = broker ? (STATUS[broker.status] ?? broker.status) : "somebody else's";
  put("broker", text + (left > 0 && broker?.status === "held" ? `, ${left} s more` : ""));
  document.getElementById("broker").dataset.state = broker?.status === "ready" ? "good" : "bad";
}

function showLedger(ledger) {
  put("balance", ledger ? (ledger.balances ? "balances" : "does not balance") : "not heard");
  document.getElementById("balance").dataset.state = ledger?.balances ? "good" : "bad";
  if (!ledger) return;
  const { requests, events, late, dead_letters: dead, duplicates } = ledger.total;
  put("ledger", [
    `${numbers.format(requests)} requests`, `${numbers.format(events)} in sessions`, `${numbers.format(duplicates)} duplicates`,
    `${numbers.format(late)} late`, `${numbers.format(dead)} unreadable`, `${numbers.format(ledger.dropped)} not logged by choice`, `${numbers.format(ledger.lost)} lost`,
  ].join(" · "));
}

async function ask() {
  try {
    const answer = await fetch("/studio/state", { cache: "no-store" });
    const { time, traffic, broker, outage, queued, ledger } = await answer.json();
    put("queued", numbers.format(queued));
    showTraffic(traffic, time);
    showBroker(broker, outage, time);
    showLedger(ledger);
  } catch {
    put("broker", "the shop does not answer");
  }
  setTimeout(ask, document.visibilityState === "visible" ? ASK_MS : 10 * ASK_MS);
}

ask();
