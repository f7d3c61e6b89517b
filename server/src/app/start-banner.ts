import type { Model } from "@trunkline/core/model.ts";
import { fullNameOf } from "@trunkline/core/model.ts";

export interface StartBanner {
  readonly url: string;
  /** The dashboard's address, as a browser needs it. */
  readonly dashboard: string;
  /** The first key, if this start has made it. It is shown only this once. */
  readonly firstKey: string | undefined;
  /** The secret of the link for the operator's first log-in, until one was used. */
  readonly firstLogin: string | undefined;
  readonly notes: readonly string[];
  readonly models: readonly Model[];
  /** The providers whose keys were found in the environment, with the variable. */
  readonly providers?: readonly {
    readonly id: string;
    readonly variable: string;
    readonly keys: readonly unknown[];
  }[];
  /** The model servers on this machine. */
  readonly localServers?: readonly {
    readonly name: string;
    readonly url: string;
    readonly models: readonly string[];
  }[];
}

const LISTED_MODELS = 8;

/** The text that the terminal shows once the service runs: its address, the first key, and a command to try. */
export function formatStartBanner(banner: StartBanner): string {
  const { url, dashboard, firstKey, firstLogin, notes, models } = banner;
  const key = firstKey ?? "$TRUNKLINE_KEY";
  // Models that were discovered by a key are listed by their provider.
  const named = models.filter(({ keys: found }) => found === undefined);
  const names = named.slice(0, LISTED_MODELS).map(fullNameOf).join(", ");
  const more = named.length > LISTED_MODELS ? ` and ${named.length - LISTED_MODELS} more` : "";
  return [
    "",
    `  Trunkline is ready at ${url}   (reference: ${url}/docs)`,
    "",
    `  Open the dashboard:  ${dashboard}/${firstLogin === undefined ? "" : `first-login#${firstLogin}`}`,
    ...(firstLogin === undefined ? [] : ["  The link makes you the owner here. It works once."]),
    "",
    ...(firstKey === undefined
      ? []
      : [
          `  Your first key, shown this once:  ${firstKey}`,
          "  It comes with 1,000 credits and every permission. Keep it safe.",
          "",
        ]),
    `  Models: ${names}${more}`,
    ...discoveryLines(banner),
    ...notes.map((note) => `  Note: ${note}`),
    "",
    "  Try it:",
    "",
    `  curl ${url}/v1/ai/request -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\`,
    `    -d '{"task": "chat", "input": "How do I register my own model?"}'`,
    "",
  ].join("\n");
}

/** A line for each provider whose key was found, and for each model server on this machine. */
function discoveryLines({ providers = [], localServers = [], models }: StartBanner): string[] {
  const byKey = providers.map(({ id, variable, keys }) => {
    const count = models.filter((model) => model.provider === id && model.keys !== undefined).length;
    const several = keys.length > 1 ? `, ${keys.length} keys` : "";
    return count === 0
      ? `  Found: ${id} (${variable}${several}), and no model of it whose price is known`
      : `  Found: ${id} (${variable}${several}), ${modelCount(count)}`;
  });
  const here = localServers.map(
    ({ name, url, models: names }) =>
      `  Found: ${name} at ${url}, ${modelCount(names.length)}: free, and for the operator's account alone`,
  );
  return [...byKey, ...here];
}

function modelCount(models: number): string {
  return models === 1 ? "1 model" : `${models} models`;
}
