// @ts-check
import { GROUPS, pathOf } from "./pages.mjs";

/** @typedef {import("./render.mjs").Page} Page */
/** @typedef {{ base: string, script: string, style: string, icon: string, search: string, apiReference: string | undefined }} Site */

/** @param {string} text */
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** @param {Site} site @param {readonly Page[]} pages @param {Page} page */
export function pageHtml(site, pages, page) {
  const index = pages.indexOf(page);
  const group = GROUPS.find(({ files }) => files.includes(page.file));
  /** @param {Page | undefined} other @param {string} word */
  const neighbour = (other, word) =>
    other === undefined
      ? "<span></span>"
      : `<a href="${site.base}${pathOf(other.file)}"><small>${word}</small>${escaped(other.title)}</a>`;
  const headings = page.sections.filter(({ level }) => level === 2 || level === 3);
  const onThisPage =
    headings.length < 2
      ? ""
      : `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${headings
          .map(({ id, level, title }) => `<li class="level-${level}"><a href="#${id}">${escaped(title)}</a></li>`)
          .join("")}</ul></nav>`;
  return frame(
    site,
    pages,
    { title: page.title, summary: page.summary, file: page.file },
    `<article><p class="group">${escaped(group?.title ?? "")}</p>${page.html}
<nav class="neighbours" aria-label="Next pages">${neighbour(pages[index - 1], "Previous")}${neighbour(pages[index + 1], "Next")}</nav>
</article>${onThisPage}`,
  );
}

/** @param {Site} site @param {readonly Page[]} pages */
export function homeHtml(site, pages) {
  const groups = GROUPS.map(({ title, about, files }) => {
    const items = files.map((file) => {
      const page = pages.find((each) => each.file === file);
      return `<li><a href="${site.base}${pathOf(file)}">${escaped(page?.title ?? file)}</a> <span class="summary">${escaped(page?.summary ?? "")}</span></li>`;
    });
    return `<section><h2>${escaped(title)}</h2><p>${escaped(about)}</p><ul>${items.join("")}</ul></section>`;
  });
  const summary = "One HTTP API, one key and one prepaid balance for every AI model.";
  const html = `<article class="home"><h1>Trunkline documentation</h1><p>${summary}</p>${groups.join("")}</article>`;
  return frame(site, pages, { title: "Documentation", summary, file: undefined }, html);
}

/** @param {Site} site @param {readonly Page[]} pages */
export function notFoundHtml(site, pages) {
  const html = `<article><h1>There is no such page</h1><p>Search above, or see <a href="${site.base}">all pages</a>.</p></article>`;
  return frame(site, pages, { title: "There is no such page", summary: "", file: undefined }, html);
}

/** @param {Site} site @param {readonly Page[]} pages @param {{ title: string, summary: string, file: string | undefined }} current @param {string} main */
function frame(site, pages, current, main) {
  const sidebar = GROUPS.map(({ title, files }) => {
    const items = files.map((file) => {
      const mark = file === current.file ? ' aria-current="page"' : "";
      const label = pages.find((page) => page.file === file)?.title ?? file;
      return `<li><a href="${site.base}${pathOf(file)}"${mark}>${escaped(label)}</a></li>`;
    });
    if (title === "Reference" && site.apiReference !== undefined)
      items.unshift(`<li><a href="${site.apiReference}">API reference, interactive</a></li>`);
    return `<section><h2>${escaped(title)}</h2><ul>${items.join("")}</ul></section>`;
  });
  const reference = site.apiReference === undefined ? "" : `<a href="${site.apiReference}">API reference</a>`;
  return `<!doctype html>
<html lang="en" data-base="${site.base}" data-search="${site.search}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(current.title)} · Trunkline</title>
<meta name="description" content="${escaped(current.summary)}">
<link rel="icon" href="${site.icon}">
<link rel="stylesheet" href="${site.style}">
<script src="${site.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<button id="menu" type="button" aria-expanded="false" aria-controls="sidebar">Menu</button>
<a class="name" href="${site.base}"><img src="${site.icon}" alt="" width="22" height="22">Trunkline</a>
<div class="search" role="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" aria-controls="results" autocomplete="off"><div id="results" class="results" role="region" aria-label="Search results" aria-live="polite" hidden></div></div>
${reference}
<button id="theme" type="button">Theme</button>
</header>
<div class="columns">
<nav id="sidebar" class="sidebar" aria-label="Pages">${sidebar.join("")}</nav>
<main id="main">${main}</main>
</div>
</body>
</html>
`;
}
