// Before the page is drawn: whether the corner will be open, so that nothing moves when it is.
"use strict";

(() => {
  let remembered = null;
  try {
    remembered = sessionStorage.getItem("corner");
  } catch {}
  const isRoomy = matchMedia("(min-width: 1000px)").matches && location.pathname !== "/studio";
  const isOpen = (remembered ?? (isRoomy ? "open" : "closed")) === "open";
  document.documentElement.classList.toggle("docked", isOpen);
})();
