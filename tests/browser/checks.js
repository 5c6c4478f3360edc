// What a reader with poor sight, or without a mouse, would stumble over: a list of sentences, empty for a good page.
() => {
  const wrong = [];
  const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parts = (colour) => (colour.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = (colour) => { const [r, g, b] = parts(colour).map(channel); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((parts(colour)[3] ?? 1) > 0) return colour;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(0, 0, 0)" : "rgb(255, 255, 255)";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || ["SCRIPT", "STYLE", "TITLE", "METER"].includes(element.tagName.toUpperCase())) continue;
    if (!element.checkVisibility?.()) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(element.closest("svg") ? style.fill : style.color), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(2)} of "${texts.currentNode.data.trim().slice(0, 40)}"`);
  }
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((head) => Number(head.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1) wrong.push("not one h1");
  levels.forEach((level, n) => { if (n && level > levels[n - 1] + 1) wrong.push(`heading ${n} skips a level`); });
  for (const image of document.querySelectorAll("img:not([alt]), svg[role=img]:not([aria-label])")) wrong.push(`no words for ${image.tagName}`);
  for (const button of document.querySelectorAll("button, a, summary")) if (!button.textContent.trim() && !button.ariaLabel) wrong.push(`a ${button.tagName} without a name`);
  for (const cell of document.querySelectorAll("th:not([scope])")) wrong.push(`th without scope: ${cell.textContent}`);
  if (!document.documentElement.lang) wrong.push("no language");
  if ([...document.querySelectorAll("[tabindex]")].some((one) => one.tabIndex > 0)) wrong.push("a tabindex above 0");
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id twice");
  for (const link of document.querySelectorAll("a[href^='#']")) if (!document.getElementById(link.hash.slice(1))) wrong.push(`dead link ${link.hash}`);
  if (document.scrollingElement.scrollWidth > innerWidth) wrong.push(`wider than the window: ${document.scrollingElement.scrollWidth} for ${innerWidth}`);
  return wrong;
}
