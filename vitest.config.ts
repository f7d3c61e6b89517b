import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "web/e2e/**/*.test.ts",
      "packages/**/*.test.ts",
      "server/**/*.test.ts",
      "sdk/**/*.test.ts",
      "web/**/*.test.{ts,tsx}",
      "examples/**/*.test.ts",
      "bench/**/*.test.ts",
      "chaos/**/*.test.ts",
    ],
    globalSetup: ["server/test/global-setup.ts", "web/e2e/global-setup.ts"],
    pool: "forks",
    // To load everything anew for each file costs more than most files' tests; none leaves anything behind.
    isolate: false,
    // One more than the cores of a small machine: many tests wait for clocks, disks and browsers.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
