// The search: each word must stand in a section or its titles, which count more. The index is read when it is first used.
"use strict";
const box = document.getElementById("query");
const list = document.getElementById("found");
const pages = document.getElementById("pages");
box.closest("search").hidden = false;
pages.scrollTop = pages.querySelector("[aria-current]").offsetTop - pages.offsetTop - 100; // shows this page's line

box.addEventListener("focus", () => {
  const script = document.createElement("script");
  script.src = "search-index.js";
  script.onload = show;
  document.head.append(script);
}, { once: true });
box.addEventListener("input", show);

function show() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length && typeof INDEX !== "undefined" ? INDEX.map(entry => [score(entry, words), entry]) : [];
  const best = found.filter(one => one[0]).sort((a, b) => b[0] - a[0]).slice(0, 12);
  list.replaceChildren(...best.map(([, [address, page, title]]) => {
    const item = document.createElement("li");
    const link = item.appendChild(document.createElement("a"));
    link.href = address;
    link.textContent = page === title ? page : `${page}: ${title}`;
    return item;
  }));
}

function score([, ...places], words) { // places: page, title, text
  const [page, title, text] = places.map(place => place.toLowerCase());
  const each = word => 16 * (title === word) + 8 * title.includes(word) + 4 * page.includes(word) + text.includes(word);
  return words.every(each) ? words.reduce((sum, word) => sum + each(word), 0) : 0;
}
