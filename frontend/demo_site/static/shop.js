// What the beacon is told of, and shelves that are sorted without a request. Everything works
// without this file, too.
"use strict";

window.clickwake = window.clickwake || function () { (clickwake.q = clickwake.q || []).push(arguments); };

// A form with data-event says its name when it is sent, with the fields that data-properties lists.
document.addEventListener("submit", ({ target }) => {
  const { event, properties = "" } = target.dataset;
  if (!event) return;
  const given = new FormData(target);
  const names = properties.split(" ").filter(Boolean);
  clickwake(event, Object.fromEntries(names.map((name) => [name, given.get(name)])));
});

// Leaves modified clicks to the browser; the beacon reports where pushState leads.
function goes(link, show) {
  link.addEventListener("click", (click) => {
    if (click.metaKey || click.ctrlKey || click.shiftKey) return;
    click.preventDefault();
    if (link.href !== location.href) history.pushState(null, "", link.href);
    show(link);
  });
}

const tabs = [...document.querySelectorAll(".tabs a")];

function choose(tab) {
  for (const other of tabs) {
    const isChosen = other === tab;
    if (isChosen) other.setAttribute("aria-current", "page");
    else other.removeAttribute("aria-current");
    document.getElementById(`panel-${other.dataset.panel}`).hidden = !isChosen;
  }
}

for (const tab of tabs) goes(tab, choose);
if (tabs.length) {
  addEventListener("popstate", () => choose(tabs.find((tab) => tab.pathname === location.pathname) ?? tabs[0]));
}

const links = [...document.querySelectorAll(".sorts a")];
const chosen = (address) => new URL(address).searchParams.get("sort") ?? "shelf";

function sort(by) {
  const grid = document.querySelector("main > .grid");
  const value = ({ dataset }) => (by === "name" ? dataset.name : Number(dataset[by] ?? dataset.shelf));
  const cards = [...grid.children].sort((a, b) => (value(a) < value(b) ? -1 : Number(value(a) > value(b))));
  grid.replaceChildren(...cards);
  for (const link of links) {
    if (chosen(link.href) === by) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

for (const link of links) goes(link, ({ href }) => sort(chosen(href)));
if (links.length) addEventListener("popstate", () => sort(chosen(location.href)));
