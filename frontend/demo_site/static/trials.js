// The buttons of the privacy page: requests that the middleware judges differently.
"use strict";

const said = document.getElementById("trial");
const TRIALS = {
  picture: ["a picture", "/static/favicon.svg", {}],
  prefetch: ["a page, to look ahead", "/category/light", { headers: { "X-Purpose": "preview" } }],
  head: ["the head of a page", "/about", { method: "HEAD" }],
  api: ["reviews, from the API", "/api/products/harbour-kettle/reviews", {}],
  nowhere: ["a page that is not there", "/no-such-page", {}],
};

document.querySelector(".trials").hidden = false;
document.querySelector(".trials").addEventListener("click", async ({ target }) => {
  const trial = TRIALS[target.dataset.trial];
  if (!trial) return;
  const [name, path, options] = trial;
  try {
    const { status } = await fetch(path, { cache: "no-store", ...options });
    said.textContent = `Asked for ${name}: answered with ${status}. See the corner.`;
  } catch {
    said.textContent = "The shop did not answer. Try again.";
  }
});
