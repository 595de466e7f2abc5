// Reviews are read, written, changed and deleted through the shop's JSON API.
"use strict";

const section = document.querySelector(".reviews");
const form = section.querySelector(".review-form");
const list = section.querySelector(".review-list");
const status = section.querySelector(".status");
const cancel = form.querySelector(".cancel");
const submit = form.querySelector("button:not(.cancel)");
const template = document.getElementById("review");
const collection = `/api/products/${section.dataset.product}/reviews`;
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
let editing = null;

async function call(method, url, body) {
  const options = { method, headers: { Accept: "application/json" } };
  if (body) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(url, options);
  if (!answer.ok) throw new Error((await answer.json()).detail);
  return answer.status === 204 ? null : answer.json();
}

async function attempt(action, done) {
  submit.disabled = true;
  try {
    await action();
    await refresh();
    status.textContent = done;
    return true;
  } catch (error) {
    status.textContent = error.message || "The shop did not answer. Try again.";
    return false;
  } finally {
    submit.disabled = false;
  }
}

function shown(review) {
  const item = template.content.cloneNode(true);
  item.querySelector(".stars").textContent = "★".repeat(review.rating) + "☆".repeat(5 - review.rating);
  item.querySelector(".rated").textContent = `${review.rating} of 5 stars, by `;
  item.querySelector("strong").textContent = review.name;
  const time = item.querySelector("time");
  time.dateTime = new Date(review.created).toISOString();
  time.textContent = dates.format(review.created) + (review.changed > review.created ? ", changed" : "");
  item.querySelector(".words").textContent = review.text;
  item.querySelector(".tools").hidden = !review.mine;
  item.querySelector(".edit").addEventListener("click", () => edit(review));
  item.querySelector(".remove").addEventListener("click", () => remove(review));
  return item;
}

function edit(review) {
  editing = review;
  form.elements.rating.value = String(review?.rating ?? 5);
  form.elements.text.value = review?.text ?? "";
  submit.textContent = review ? "Save" : "Publish";
  cancel.hidden = !review;
  if (review) form.elements.text.focus();
}

async function remove(review) {
  const gone = await attempt(() => call("DELETE", `/api/reviews/${review.id}`), "Your review is deleted.");
  if (gone && editing?.id === review.id) edit(null);
}

async function refresh() {
  const reviews = await call("GET", collection);
  list.replaceChildren(...reviews.map(shown));
  if (!reviews.length) status.textContent = "Nobody has reviewed this yet.";
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const written = {
    rating: Number(form.elements.rating.value),
    text: form.elements.text.value.trim(),
    name: form.elements.name?.value ?? "",
  };
  const target = editing;
  const done = await attempt(
    () => (target ? call("PUT", `/api/reviews/${target.id}`, written) : call("POST", collection, written)),
    target ? "Your review is changed." : "Your review is published.",
  );
  // What somebody wrote stays in the form until the shop has it.
  if (done) edit(null);
});

cancel.addEventListener("click", () => edit(null));
form.hidden = false;
refresh().catch(() => { status.textContent = "The reviews could not be loaded."; });
