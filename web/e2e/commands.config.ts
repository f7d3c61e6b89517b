import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Commands that need a furnished service and a browser: `npm run web:screenshots` and `npm run web:speed`. */
export default defineConfig({
  test: {
    include: ["web/e2e/*.command.ts"],
    globalSetup: [fileURLToPath(new URL("../../server/test/global-setup.ts", import.meta.url))],
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
