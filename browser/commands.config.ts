import { defineConfig } from "vitest/config";

/** Commands that need a furnished service and a browser: `npm run web:screenshots` and `npm run web:speed`. */
export default defineConfig({
  test: {
    include: ["browser/*.command.ts"],
    globalSetup: ["server/test/global-setup.ts", "browser/global-setup.ts"],
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
