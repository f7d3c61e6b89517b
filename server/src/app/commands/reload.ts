import { parseArgs } from "node:util";
import type { Config } from "../config/config.ts";
import { askControlSocket } from "../control-socket.ts";
import { explainError } from "../explain-error.ts";

const HELP = `Lets the running service read its configuration file again. A wrong one is refused, and the one before stays.

  trunkline reload

Finds the service by TRUNKLINE_DATA_DIR or TRUNKLINE_CONTROL_SOCKET. SIGHUP does the same; the log then says what came of it.
Ends with 0 when it was read, 1 when it was refused or no service runs, 2 when the command line is wrong.`;

/** `trunkline reload`: prints what came of it and returns the exit code. */
export async function reloadCommand(
  args: readonly string[],
  readSite: () => Pick<Config, "controlSocket">,
  out: (line: string) => void,
): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: "boolean", short: "h" } } });
    if (values.help === true) {
      out(HELP);
      return 0;
    }
  } catch (error) {
    out(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return 2;
  }
  try {
    const { controlSocket } = readSite();
    if (controlSocket === undefined) {
      out(
        "With DATABASE_URL the service takes orders only where TRUNKLINE_CONTROL_SOCKET is set. Set it, or send SIGHUP to the service.",
      );
      return 1;
    }
    const outcome = await askControlSocket(controlSocket, "reload");
    out(outcome?.message ?? `No service takes orders at ${controlSocket}.`);
    return outcome?.isDone === true ? 0 : 1;
  } catch (error) {
    out(explainError(error));
    return 1;
  }
}
