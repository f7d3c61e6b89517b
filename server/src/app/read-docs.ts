import { readdir, readFile } from "node:fs/promises";
import type { Doc } from "@trunkline/local-models/load-builtins.ts";

/** The project's own documentation, which the built-in guide answers from. */
export async function readDocs(): Promise<Doc[]> {
  const root = new URL("../../../", import.meta.url);
  const pages = (await readdir(new URL("docs/", root)))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`);
  return Promise.all(
    ["README.md", ...pages].map(async (file) => ({
      file,
      text: await readFile(new URL(file, root), "utf8"),
    })),
  );
}
