// @ts-check
import { posix } from "node:path";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import MarkdownIt from "markdown-it";

for (const [name, language] of Object.entries({ bash, json, python, typescript, yaml }))
  hljs.registerLanguage(name, language);

/**
 * What a page became. `sections` are what the search finds: the text below each heading.
 * @typedef {{ id: string, level: number, title: string, text: string }} Section
 * @typedef {{ file: string, title: string, summary: string, html: string, sections: readonly Section[] }} Page
 */

const markdown = new MarkdownIt({
  html: true,
  highlight: (code, language) => (hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : ""),
});
// Code examples wrap nowhere, so they scroll sideways; a keyboard can scroll only what can have the focus.
const fence = markdown.renderer.rules.fence;
markdown.renderer.rules.fence = (...args) =>
  (fence?.(...args) ?? "").replace("<pre>", '<pre tabindex="0" role="group" aria-label="Code">');
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>';
markdown.renderer.rules.heading_close = (tokens, index) => {
  const { tag } = tokens[index] ?? {};
  const id = tokens[index - 2]?.attrGet("id");
  return `${tag === "h1" ? "" : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`}</${tag}>\n`;
};
markdown.renderer.rules.table_close = () => "</table></div>";

/**
 * Renders a Markdown file. `addressOf` gives the address of a file of the repository, or nothing where the site does not
 * have it: such a link becomes plain text.
 * @param {string} file @param {string} source @param {(file: string) => string | undefined} addressOf
 * @returns {Page}
 */
export function renderPage(file, source, addressOf) {
  const tokens = markdown.parse(source.replace(/<!--[\s\S]*?-->\n?/g, ""), {});
  /** @type {Section[]} */
  const sections = [];
  /** @type {Set<string>} */
  const ids = new Set();
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 1];
    if (token.type === "heading_open" && inline !== undefined) {
      const title = textOf(inline);
      const id = uniqueId(title, ids);
      token.attrSet("id", id);
      sections.push({ id, level: Number(token.tag.slice(1)), title, text: "" });
    } else if (tokens[index - 1]?.type !== "heading_open") {
      const section = sections.at(-1);
      if (section !== undefined && ["inline", "fence", "code_block"].includes(token.type))
        section.text += `${textOf(token)} `;
    }
    // The content security policy allows no style attribute.
    const align = /text-align:\s*(\w+)/.exec(`${token.attrGet("style")}`)?.[1];
    if (align !== undefined) token.attrs = [["class", align]];
    resolveLinks(token.children ?? [], file, addressOf);
  }
  const first = tokens.find((token, index) => token.type === "inline" && tokens[index - 1]?.type === "paragraph_open");
  return {
    file,
    title: sections[0]?.title ?? file,
    summary: first === undefined ? "" : firstSentence(textOf(first)),
    html: markdown.renderer.render(tokens, markdown.options, {}),
    sections,
  };
}

/** @typedef {ReturnType<typeof markdown.parse>[number]} Token */

/** @param {Token[]} tokens @param {string} file @param {(file: string) => string | undefined} addressOf */
function resolveLinks(tokens, file, addressOf) {
  let isDropped = false;
  for (const token of tokens) {
    const attribute = token.type === "image" ? "src" : "href";
    const target = `${token.attrGet(attribute) ?? "#"}`;
    if (!/^[a-z]+:|^#/i.test(target)) {
      const [path = "", anchor] = target.split("#");
      const address = addressOf(posix.join(posix.dirname(file), path));
      if (address !== undefined) token.attrSet(attribute, anchor === undefined ? address : `${address}#${anchor}`);
      isDropped = address === undefined && token.type === "link_open";
    } else if (token.type === "link_open") isDropped = false;
    if (isDropped && /^link_/.test(token.type)) {
      token.type = "text";
      token.content = "";
      token.tag = "";
    }
  }
}

/** @param {Token} token */
function textOf(token) {
  if (token.children === null || token.children === undefined) return token.content.trim();
  return token.children
    .map(({ type, content }) => (type === "softbreak" ? " " : type === "html_inline" ? "" : content))
    .join("");
}

/** The ids that code hosts give to headings, so that links work there and here. @param {string} title @param {Set<string>} ids */
function uniqueId(title, ids) {
  const base = title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
  let id = base;
  for (let count = 1; ids.has(id); count++) id = `${base}-${count}`;
  ids.add(id);
  return id;
}

/** @param {string} text */
function firstSentence(text) {
  const words = text.replace(/^What you get:\s*/, "");
  const sentence = /^.*?[.:](?=\s|$)/.exec(words)?.[0].replace(/:$/, ".") ?? words;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
