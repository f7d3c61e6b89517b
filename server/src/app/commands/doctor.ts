import { parseArgs } from "node:util";
import { Secret } from "@trunkline/core/secret.ts";
import { createDialer } from "@trunkline/providers/dialer/dialer.ts";
import { type Database, openDatabase } from "../../store/database/database.ts";
import { OutboundTlsFiles } from "../../tls/outbound-tls-files.ts";
import type { Config } from "../config/config.ts";
import { type CheckInput, type Finding, failed, ok } from "../doctor/finding.ts";
import { checkMail, checkPayments, checkProviders } from "../doctor/outbound-checks.ts";
import { checkSecrets } from "../doctor/secret-checks.ts";
import { checkClock, checkDatabase, checkDisk } from "../doctor/store-checks.ts";
import { checkTls } from "../doctor/tls-check.ts";
import { explainError } from "../explain-error.ts";
import { withStore } from "./with-store.ts";

const CHECKS: Readonly<Record<string, (input: CheckInput) => Promise<Finding[]>>> = {
  database: checkDatabase,
  clock: checkClock,
  disk: checkDisk,
  secrets: checkSecrets,
  providers: checkProviders,
  mail: checkMail,
  tls: checkTls,
  payments: checkPayments,
};

const HELP = `Checks what the service needs, by the settings that it would start with. Changes nothing, sends nothing that costs, and may run beside the service.

  trunkline doctor [--json] [check …]

Checks: configuration, ${Object.keys(CHECKS).join(", ")}. Without a name, all of them.
Ends with 0 when nothing failed, 1 when something did, 2 when the command line is wrong.`;

const MARKS = { ok: "✓", note: "!", failed: "✗" } as const;
/** Longer than every wait inside a check. */
const CHECK_MS = 40_000;

/** `trunkline doctor`: prints what each check finds and returns the exit code. No secret is ever printed. */
export async function doctorCommand(
  args: readonly string[],
  readConfig: () => Config,
  out: (line: string) => void,
): Promise<number> {
  let names: readonly string[];
  let isJson: boolean;
  try {
    const options = { help: { type: "boolean", short: "h" }, json: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const unknown = positionals.find((name) => name !== "configuration" && !Object.hasOwn(CHECKS, name));
    if (unknown !== undefined) throw new TypeError(`There is no check ${unknown}.`);
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    names = positionals.length === 0 ? ["configuration", ...Object.keys(CHECKS)] : positionals;
    isJson = values.json === true;
  } catch (error) {
    out(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return 2;
  }
  const findings: (Finding & { readonly check: string })[] = [];
  let hide = (text: string) => text;
  const report = (check: string, found: readonly Finding[]) => {
    for (const { verdict, sentence } of found) {
      const finding = { check, verdict, sentence: hide(sentence) };
      findings.push(finding);
      if (!isJson) out(`${MARKS[verdict]} ${check}: ${finding.sentence}`);
    }
  };
  const config = attempt(readConfig);
  if ("trouble" in config) report("configuration", [failed(`${config.trouble} The other checks need it.`)]);
  else {
    hide = createHider(config.value);
    if (names.includes("configuration"))
      report("configuration", [ok("The variables and the configuration file can be read.")]);
    const asked = names.filter((name) => name !== "configuration");
    await withInput(config.value, async (input) => {
      for (const name of asked) report(name, await runCheck(name, input));
    });
  }
  const bad = findings.filter(({ verdict }) => verdict === "failed").length;
  if (isJson) out(JSON.stringify({ sound: bad === 0, findings }, undefined, 2));
  else out(bad === 0 ? "Nothing failed." : `${bad} of ${findings.length} findings need you.`);
  return bad === 0 ? 0 : 1;
}

function attempt<Value>(read: () => Value): { readonly value: Value } | { readonly trouble: string } {
  try {
    return { value: read() };
  } catch (error) {
    return { trouble: explainError(error) };
  }
}

/** Opens the database where there is one. A check that needs it and has none says why. */
async function withInput(config: Config, work: (input: CheckInput) => Promise<void>): Promise<void> {
  const outboundTls = attempt(() => OutboundTlsFiles.open(config.outboundTls, () => undefined));
  const dialer = createDialer(
    "value" in outboundTls ? { tlsTerms: (host) => outboundTls.value.termsOf(host) } : undefined,
  );
  const input = { config, dialer, now: Date.now };
  let hasBegun = false;
  try {
    await withStore(config, async (address) => {
      const database = openDatabase(address, () => undefined, { connections: 2 });
      try {
        const trouble = await reach(database);
        hasBegun = true;
        await work({ ...input, database: trouble ?? database });
      } finally {
        await database.close();
      }
    });
  } catch (error) {
    if (hasBegun) throw error;
    await work({ ...input, database: explainError(error) });
  } finally {
    await dialer.close();
  }
}

async function reach(database: Database): Promise<string | undefined> {
  return database.query("SELECT 1").then(
    () => undefined,
    (error: unknown) => explainError(error),
  );
}

async function runCheck(name: string, input: CheckInput): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Finding[]>((resolve) => {
    timer = setTimeout(() => resolve([failed(`There was no result within ${CHECK_MS / 1_000} s.`)]), CHECK_MS);
  });
  try {
    return await Promise.race([CHECKS[name]?.(input) ?? [], tooLate]);
  } catch (error) {
    return [failed(explainError(error))];
  } finally {
    clearTimeout(timer);
  }
}

/** Removes every secret of the settings from a text: what other programs say of an error might repeat one. */
function createHider(config: Config): (text: string) => string {
  const passwords = [config.databaseUrl, config.databaseReadUrl, ...config.otherDatabaseUrls].map(passwordOf);
  const secrets = [...secretsIn(config), ...passwords].filter((value) => value.length >= 4);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
}

function secretsIn(value: unknown): string[] {
  if (value instanceof Secret) return [value.reveal()];
  if (typeof value !== "object" || value === null) return [];
  const members = value instanceof Map ? [...value.values()] : Object.values(value);
  return members.flatMap(secretsIn);
}

/** `URL` can't read an address with several servers. */
function passwordOf(url = ""): string {
  return decodeURIComponent(/^\w+:\/\/[^/?#@:]*:([^/?#]*)@/.exec(url)?.[1] ?? "");
}
