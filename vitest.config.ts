import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "browser/**/*.test.ts",
      "server/**/*.test.ts",
      "sdk/**/*.test.ts",
      "web/**/*.test.{ts,tsx}",
      "examples/**/*.test.ts",
      "bench/**/*.test.ts",
      "torture/**/*.test.ts",
    ],
    globalSetup: ["server/test/global-setup.ts", "browser/global-setup.ts"],
    pool: "forks",
    // To load everything anew for each file costs more than most files' tests; none leaves anything behind.
    isolate: false,
    // One more than the cores of a small machine: many tests wait for clocks, disks and browsers.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
