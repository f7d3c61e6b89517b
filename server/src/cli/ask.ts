import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { type Terminal, UsageError } from "./command.ts";

/** Asks the person at the terminal for a line. What is typed as a secret is not shown. */
export async function ask(terminal: Terminal, question: string, kind: "open" | "secret"): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  terminal.stderr.write(question);
  const lines = createInterface({
    input: terminal.stdin,
    output: kind === "secret" ? hidden : terminal.stderr,
    terminal: true,
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("close", () => reject(new UsageError("Nothing was entered.")));
    });
  } finally {
    lines.close();
    if (kind === "secret") terminal.stderr.write("\n");
  }
}

/** All of what is piped in; "" at a terminal. */
export async function readPiped({ stdin }: Terminal): Promise<string> {
  return stdin.isTTY ? "" : (await textOf(stdin)).trim();
}
