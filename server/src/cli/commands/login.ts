import { ApiError, createClient } from "@trunkline/sdk";
import { ask, readPiped } from "../ask.ts";
import { type Command, takeWords, UsageError } from "../command.ts";
import { credentialsFile, DEFAULT_URL, forgetCredentials, keepCredentials, readUrl } from "../credentials.ts";

const LOOPBACK = /^http:\/\/(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::|\/|$)/;

/** `trunkline login` */
export const loginCommand: Command = {
  help: `Logs in to a service with an API key, for the other commands.

  trunkline login [--url URL] [--key KEY]

  --url URL  where the service is; default: ask, or ${DEFAULT_URL}
  --key KEY  the API key. Other users of this machine can see what a command is started with: leave it out to be asked,
             or pipe it in: trunkline login --url URL < file-with-the-key

The key is tried, and kept in a file that only you can read: $XDG_CONFIG_HOME/trunkline/credentials.json, or under
~/.config. The variables TRUNKLINE_URL and TRUNKLINE_KEY come before the file.`,
  options: { url: { type: "string" }, key: { type: "string" } },
  async run({ terminal, words, text, print }) {
    takeWords(words, 0);
    const isPerson = terminal.stdin.isTTY;
    const asked = text("url") ?? (terminal.env.TRUNKLINE_URL || undefined);
    const url = readUrl(
      asked ?? ((isPerson ? await ask(terminal, `URL [${DEFAULT_URL}]: `, "open") : "") || DEFAULT_URL),
    );
    const key = (
      text("key") ?? (isPerson ? await ask(terminal, "API key: ", "secret") : await readPiped(terminal))
    ).trim();
    if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError("No key was given: type it, pipe it in, or use --key.");
    await tryKey(url, key);
    if (url.startsWith("http:") && !LOOPBACK.test(url)) {
      terminal.stderr.write("Note: with http the key crosses the network unencrypted. Use https where you can.\n");
    }
    print(`You are logged in to ${url}. The key is kept in ${await keepCredentials(terminal.env, { url, key })}.`);
  },
};

/** Throws where the key does not count there. One that may only do other things counts. */
async function tryKey(url: string, key: string): Promise<void> {
  try {
    const models: unknown = await createClient({ baseUrl: url, key, maxRetries: 0 }).call("GET /v1/models");
    if (!Array.isArray(models)) throw new UsageError(`What answers at ${url} is not Trunkline.`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.type === "insufficient_scope") return;
    if (error.type === "unreadable") throw new UsageError(`What answers at ${url} is not Trunkline.`);
    throw error;
  }
}

/** `trunkline logout` */
export const logoutCommand: Command = {
  help: `Forgets the log-in of this machine. The key itself stays valid: trunkline keys revoke ends it.

  trunkline logout`,
  options: {},
  async run({ terminal, words, print }) {
    takeWords(words, 0);
    const file = credentialsFile(terminal.env);
    print(
      (await forgetCredentials(terminal.env)) ? `You are logged out. ${file} is deleted.` : "You were not logged in.",
    );
  },
};
