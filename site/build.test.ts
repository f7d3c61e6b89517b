import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildSite } from "./build.mjs";
import { GROUPS, pathOf } from "./pages.mjs";
import { renderPage } from "./render.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trunkline-site-"));
  await buildSite({ out: folder, base: "/base/" });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const filesOf = (place: string) =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1));
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const pages = () => filesOf(folder).filter((path) => path.endsWith(".html"));

describe("the site", () => {
  it("has every page of docs/ in its sidebar, once", () => {
    const listed = GROUPS.flatMap(({ files }) => files);
    const docs = filesOf(join(ROOT, "docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`);
    expect(listed.filter((file) => file.startsWith("docs/")).toSorted()).toEqual(docs.toSorted());
    expect(new Set(listed.map(pathOf)).size).toBe(listed.length);
  });

  it("links only to pages and headings that it has", () => {
    const broken: string[] = [];
    let links = 0;
    for (const page of pages()) {
      for (const [, target = ""] of read(page).matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (/^https?:/.test(target)) continue;
        links++;
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? page : path.replace(/^\/base\//, "").replace(/^$/, "index.html");
        const isThere =
          filesOf(folder).includes(file) && (anchor === undefined || read(file).includes(`id="${anchor}"`));
        if (!isThere && anchor !== "main") broken.push(`${page}: ${target}`);
      }
    }
    expect(links).toBeGreaterThan(1_000);
    expect(broken).toEqual([]);
  });

  it("has no inline script or style and asks no other host for a file, as the content security policy demands", () => {
    for (const page of pages()) {
      const text = read(page);
      expect(text, page).not.toMatch(/<script(?![^>]*\ssrc="\/base\/)|<style|\sstyle=|\son\w+="/);
      expect(text, page).not.toMatch(/(?:<link|<img|<script)[^>]*(?:href|src)="(?!\/base\/)/);
    }
  });

  it("gives the search every section, with its text", () => {
    const name = filesOf(join(folder, "assets")).find((file) => /^search-.*\.json$/.test(file)) ?? "";
    const sections: { path: string; title: string; text: string }[] = JSON.parse(read(`assets/${name}`));
    expect(sections.length).toBeGreaterThan(200);
    const asking = sections.find(({ path }) => path === "quick-start.html#how-do-i-send-a-request");
    expect(asking?.text).toContain("curl http://127.0.0.1:8080/v1/ai/request");
  });
});

describe("a page", () => {
  const addressOf = (file: string) => (file === "docs/money.md" ? "/base/money.html" : undefined);

  it("gives headings the ids of code hosts, and a number to a repeated one", () => {
    const { html, title } = renderPage("docs/a.md", "# Title\n\n## Who pays?\n\n## Who pays?\n", addressOf);
    expect(title).toBe("Title");
    expect(html).toContain('<h2 id="who-pays">');
    expect(html).toContain('<h2 id="who-pays-1">');
  });

  it("links to other pages, and drops a link to a file that the site lacks", () => {
    const text = "See [money](money.md#holds), [the code](../server/x.ts) and [this](https://example.com).";
    const { html } = renderPage("docs/a.md", text, addressOf);
    expect(html).toContain(
      'See <a href="/base/money.html#holds">money</a>, the code and <a href="https://example.com">this</a>.',
    );
  });

  it("leaves out comments and colours code", () => {
    const { html } = renderPage("docs/a.md", '<!-- a note -->\n```json\n{"a": 1}\n```\n', addressOf);
    expect(html).not.toContain("a note");
    expect(html).toContain('<span class="hljs-attr">');
  });

  it("is summed up by its first sentence", () => {
    const summaryOf = (text: string) => renderPage("docs/a.md", `# Title\n\n${text}\n`, addressOf).summary;
    expect(summaryOf("One. Two.")).toBe("One.");
    expect(summaryOf("These are there: a, b.")).toBe("These are there.");
    expect(summaryOf("**What you get:** more for less. And so on.")).toBe("More for less.");
  });

  it("aligns columns by a class", () => {
    const { html } = renderPage("docs/a.md", "| a |\n| -: |\n| 1 |\n", addressOf);
    expect(html).toContain('<td class="right">1</td>');
  });
});
