// @ts-check
// Stands in for `npm start` in the test of the documentation: starts the service with the variables of the block on a
// database of the test, waits until it is ready, and ends it.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../bin/trunkline.mjs", import.meta.url));
const { TEST_DATABASE_URL, TRUNKLINE_URL: _url, TRUNKLINE_KEY: _key, ...rest } = process.env;
const service = spawn(process.execPath, [program], {
  env: {
    TRUNKLINE_WORKERS: "1",
    TRUNKLINE_LOCAL_SERVERS: "off",
    TRUNKLINE_SECRET: "a secret of the documentation test",
    ...rest,
    PORT: "0",
    DATABASE_URL: TEST_DATABASE_URL,
  },
  stdio: ["ignore", "pipe", "inherit"],
});
let said = "";
service.stdout.on("data", (chunk) => {
  said += chunk;
  // A stop by SIGTERM waits some seconds for load balancers.
  if (said.includes(" ready at ")) service.kill("SIGKILL");
});
service.on("exit", () => {
  process.stdout.write(said);
  process.exitCode = said.includes(" ready at ") ? 0 : 1;
});
