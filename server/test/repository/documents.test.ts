import { access, readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const AT_THE_ROOT = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "NOTICE"];
const READMES = [
  "examples/provider/README.md",
  "sdk/README.md",
  "sdk-python/README.md",
  "ai-sdk-provider/README.md",
  ".changeset/README.md",
];
const FOLDERS =
  "\\.changeset|\\.ci|\\.devcontainer|\\.github|bench|chaos|docs|examples|packages|scripts|ai-sdk-provider|sdk-python|sdk|server|site|web";
const PATH = new RegExp(`(?<![\\w/.@-])(?:${FOLDERS})/[\\w./-]*\\w`, "g");

async function documents(): Promise<string[]> {
  const docs = (await readdir(join(ROOT, "docs"), { recursive: true })).filter((name) => name.endsWith(".md"));
  return [...AT_THE_ROOT, ...docs.map((name) => `docs/${name}`), ...READMES];
}

const read = (path: string) => readFile(join(ROOT, path), "utf8");
const exists = (path: string) =>
  access(join(ROOT, path)).then(
    () => true,
    () => false,
  );

/** The ids that a page gives to its headings: lower case, without punctuation, hyphens for spaces. */
async function anchorsOf(path: string): Promise<Set<string>> {
  const headings = withoutCode(await read(path)).matchAll(/^#{1,6} +(.+)$/gm);
  const anchors = new Set<string>();
  for (const [, heading = ""] of headings) {
    const anchor = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-");
    let count = 0;
    while (anchors.has(count === 0 ? anchor : `${anchor}-${count}`)) count++;
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** Fenced blocks hold commands and samples: a `#` there is a comment, and brackets are no link. */
function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "");
}

describe("the documents", () => {
  it("name only files and folders of the repository that exist", async () => {
    const missing: string[] = [];
    for (const document of await documents()) {
      const paths = new Set(Array.from((await read(document)).matchAll(PATH), ([path]) => path));
      for (const path of paths) {
        // Build outputs are not in the repository.
        if (!/(^|\/)dist(\/|$)/.test(path) && !(await exists(path))) missing.push(`${document}: ${path}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it("link only to files and headings that exist", async () => {
    const broken: string[] = [];
    let links = 0;
    for (const document of await documents()) {
      for (const [, target = ""] of withoutCode(await read(document)).matchAll(/\]\(([^()\s]+)\)/g)) {
        if (/^[a-z]+:/i.test(target)) continue;
        links++;
        const [file = "", anchor] = target.split("#");
        const path = file === "" ? document : relative(ROOT, join(ROOT, dirname(document), file));
        const isSound = (await exists(path)) && (anchor === undefined || (await anchorsOf(path)).has(anchor));
        if (!isSound) broken.push(`${document}: ${target}`);
      }
    }
    expect(links).toBeGreaterThan(50);
    expect(broken).toEqual([]);
  });
});
