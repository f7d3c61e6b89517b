import { readdir, readFile } from "node:fs/promises";
import type { Doc } from "@trunkline/local-models/load-builtins.ts";

/** Reads the project's documentation, from which the built-in guide answers. */
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
