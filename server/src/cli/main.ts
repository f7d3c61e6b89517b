import { parseArgs } from "node:util";
import { ApiError, createClient } from "@trunkline/sdk";
import { type Command, type Invocation, type Terminal, UsageError } from "./command.ts";
import { balanceCommand } from "./commands/balance.ts";
import { chatCommand } from "./commands/chat.ts";
import { keysCommand } from "./commands/keys.ts";
import { loginCommand, logoutCommand } from "./commands/login.ts";
import { logsCommand } from "./commands/logs.ts";
import { modelsCommand } from "./commands/models.ts";
import { usageCommand } from "./commands/usage.ts";
import { verifyAuditLogCommand } from "./commands/verify-audit-log.ts";
import { verifyProofCommand } from "./commands/verify-proof.ts";
import { findCredentials } from "./credentials.ts";
import { printable } from "./table.ts";

const COMMANDS: Readonly<Record<string, Command>> = {
  login: loginCommand,
  logout: logoutCommand,
  chat: chatCommand,
  models: modelsCommand,
  keys: keysCommand,
  usage: usageCommand,
  logs: logsCommand,
  balance: balanceCommand,
  "verify-proof": verifyProofCommand,
  "verify-audit-log": verifyAuditLogCommand,
};

/** The commands for users of a service: `trunkline login`, `chat`, `keys` and so on. Sets the exit code: 0; 1 the service refused or failed; 2 the command line is wrong. */
export async function main(args: readonly string[], terminal: Terminal = process): Promise<void> {
  const [name = "", ...rest] = args;
  const command = COMMANDS[name];
  // Such as `trunkline logs | head`: who reads no further wants no more.
  terminal.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  try {
    if (command === undefined) throw new UsageError(`There is no command ${name}.`);
    const invocation = readInvocation(command, rest, terminal);
    if (invocation.isSet("help")) invocation.print(command.help);
    else await command.run(invocation);
  } catch (error) {
    process.exitCode = error instanceof ApiError ? 1 : 2;
    terminal.stderr.write(`${explain(error, name)}\n`);
  }
}

function readInvocation(command: Command, args: readonly string[], terminal: Terminal): Invocation {
  const options: Command["options"] = { ...command.options, help: { type: "boolean", short: "h" } };
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const print = (line: string) => void terminal.stdout.write(`${line}\n`);
  return {
    terminal,
    words: positionals,
    text: (option) => {
      const value = values[option];
      return typeof value === "string" ? value : undefined;
    },
    isSet: (option) => values[option] === true,
    client: async () => {
      const { url, key } = await findCredentials(terminal.env);
      return createClient({ baseUrl: url, key });
    },
    print,
    printJson: (value) => print(JSON.stringify(value, undefined, 2)),
  };
}

/** A sentence for the person at the terminal. Only a bug keeps its stack. */
function explain(error: unknown, name: string): string {
  if (error instanceof ApiError) {
    const id = error.requestId === undefined ? "" : ` (request ${error.requestId})`;
    const hint = error.status === 401 && name !== "login" ? " Run: trunkline login" : "";
    return printable(`${error.message}${hint}${id}`);
  }
  // parseArgs throws a TypeError with a code and a sentence for people.
  if (error instanceof UsageError || (error instanceof TypeError && "code" in error)) {
    return `${error.message}\nSee: trunkline ${name} --help`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
