import { pages, runPages } from "./run-pages.ts";

runPages(pages.filter(({ file }) => file.startsWith("docs/guides/")));
