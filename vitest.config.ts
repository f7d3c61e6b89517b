import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { keepTemporaryFilesInMemory } from "./server/test/support/memory-folder.ts";

keepTemporaryFilesInMemory();

/** The files that take longest, in this order; the rest comes as vitest sorts it. */
const LONGEST = [
  "/server/test/documentation/",
  "/chaos/chaos.test.ts",
  "/web/e2e/every-page.test.ts",
  "/server/test/front-door/fuzz.test.ts",
  "/server/src/app/commands/backup.test.ts",
  "/server/test/agents/",
  "/server/test/clients/",
  "/web/e2e/",
  "/server/test/process/",
  "/server/test/replay/",
  "/server/test/front-door/access-matrix.test.ts",
  "/server/test/front-door/webhooks.delivery.test.ts",
  "/server/test/front-door/telemetry.victoria-metrics.test.ts",
  "/server/src/store/copy-database.test.ts",
  "/server/test/front-door/store-outage.test.ts",
  "/sdk/test/package.test.ts",
  "/packages/local-postgres/src/embedded-postgres.test.ts",
  "/server/src/store/ledger/audit.test.ts",
  "/packages/guard/src/screen/text-screen.test.ts",
  "/server/src/ledger/limits/rate-limiter.test.ts",
  "/server/test/front-door/routing.survives.test.ts",
  "/server/test/front-door/code-samples.test.ts",
  "/packages/router/training/",
  "/packages/guard/training/",
];

/** Starts the longest files first, so that a run does not end with one worker at a long file and the others idle. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((path) => moduleId.includes(path));
      return rank === -1 ? LONGEST.length : rank;
    };
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

export default defineConfig({
  test: {
    include: [
      "web/e2e/**/*.test.ts",
      "packages/**/*.test.ts",
      "server/**/*.test.ts",
      "sdk/**/*.test.ts",
      "sdk-python/**/*.test.ts",
      "ai-sdk-provider/**/*.test.ts",
      "web/**/*.test.{ts,tsx}",
      "site/**/*.test.ts",
      "examples/**/*.test.ts",
      "bench/**/*.test.ts",
      "chaos/**/*.test.ts",
    ],
    globalSetup: ["server/test/global-setup.ts", "web/e2e/global-setup.ts"],
    setupFiles: ["web/src/texts/test-setup.ts"],
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    // Loading every module again for each file costs more than most files' tests, and no file leaves state behind.
    isolate: false,
    // Three times the cores of a small machine: many tests wait for clocks, disks and browsers. Four left a quarter of two cores idle.
    maxWorkers: 6,
    // There are more workers than cores: threads of their own for collecting would only take turns with the tests.
    execArgv: ["--single-threaded-gc", "--max-semi-space-size=64"],
    // Generous, so that a slow or busy machine passes: a limit is only reached by what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 240_000 } },
  },
});
