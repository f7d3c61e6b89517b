import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** `npm run docs:langchain`: LangChain's own tests, which are no package of the registry. */
export default defineConfig({
  test: {
    include: ["server/test/langchain/*.command.ts"],
    globalSetup: [fileURLToPath(new URL("../global-setup.ts", import.meta.url))],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
