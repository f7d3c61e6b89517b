import type { ConfigFile } from "./config-file.ts";

/** Where a setting comes from. What the operator has set in the dashboard goes before all of these. */
export const SETTING_SOURCES = ["default", "file", "environment", "command line", "dashboard"] as const;
type SettingSource = (typeof SETTING_SOURCES)[number];

/** A setting as it is in force, safe to show. */
export interface EffectiveSetting {
  /** The variable, or the path of the field in the file. */
  readonly name: string;
  /** As text; undefined: it is not set. Secrets are never part of it. */
  readonly value: string | undefined;
  readonly source: SettingSource;
  /** Whether there is a value that is not shown. */
  readonly isSecret: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

const SECRET_NAME = /SECRET|KEY|PASSWORD|CREDENTIAL|CRASH_POINTS/;
const ADDRESS_NAME = /(_URLS?|^DATABASE_URL)$/;

/** The variables that the service knows, and further ones that hold a provider's key. */
export function describeVariables(
  names: readonly string[],
  given: Variables,
  providerKeys: readonly string[],
): EffectiveSetting[] {
  return [...names, ...providerKeys.filter((name) => !names.includes(name))].map((name) => {
    const value = given[name];
    const source = value === undefined ? "default" : "environment";
    const isSecret = value !== undefined && SECRET_NAME.test(name);
    return { name, value: value === undefined || isSecret ? undefined : shownValue(name, value), source, isSecret };
  });
}

/** Addresses can hold passwords and keys: only their host is shown. */
function shownValue(name: string, value: string): string {
  if (!ADDRESS_NAME.test(name)) return value;
  return value
    .split(",")
    .map((address) => {
      if (!URL.canParse(address.trim())) return "[address]";
      const { protocol, host } = new URL(address.trim());
      return `${protocol}//${host}`;
    })
    .join(", ");
}

/** The fields of the file, one by one. `raw` is what the file itself says. */
export function describeFile(file: ConfigFile, raw: unknown, overridden: Variables): EffectiveSetting[] {
  const { models, backups, safety, ...rest } = file;
  const listed = [
    ...flatten(rest, ""),
    ["models", models.map(({ name }) => name).join(", ")] as const,
    ["backups", Object.keys(backups).join(", ")] as const,
    // Rules are shown on a page of their own. A judge's address could hold a key.
    ["safety", Object.keys(safety).join(", ")] as const,
  ];
  return listed.map(([name, value]) => {
    const variable = OVERRIDING_VARIABLES[name];
    const isOverridden = variable !== undefined && overridden[variable] !== undefined;
    const source = isOverridden ? "environment" : isIn(raw, name) ? "file" : "default";
    return {
      name,
      value: isOverridden ? overridden[variable] : value === "" ? undefined : value,
      source,
      isSecret: false,
    };
  });
}

/** Fields that a variable goes before. */
const OVERRIDING_VARIABLES: Readonly<Record<string, string>> = {
  workers: "TRUNKLINE_WORKERS",
  log_level: "TRUNKLINE_LOG_LEVEL",
};

/** The leaves of the file's sections. Lists and tables of the operator's own are one value. */
function flatten(section: object, path: string): (readonly [string, string])[] {
  return Object.entries(section).flatMap(([name, value]: [string, unknown]) => {
    const isSection = typeof value === "object" && value !== null && !Array.isArray(value) && name !== "data_claims";
    if (isSection) return flatten(value, `${path}${name}.`);
    return [[path + name, textOf(value)] as const];
  });
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isIn(raw: unknown, path: string): boolean {
  let at: unknown = raw;
  for (const name of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return false;
    at = Object.entries(at).find(([key]) => key === name)?.[1];
  }
  return true;
}
