import type { Client } from "@trunkline/sdk";

/** Where a command reads and writes; the process itself, but for tests. */
export type Terminal = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env">;

/** An option of a command, as `parseArgs` takes it. */
interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
}

/** One command of the program, such as `trunkline keys`. */
export interface Command {
  /** What `--help` prints. */
  readonly help: string;
  readonly options: Readonly<Record<string, Option>>;
  run(invocation: Invocation): Promise<void>;
}

/** What a command was started with. */
export interface Invocation {
  readonly terminal: Terminal;
  /** The words that are no options. */
  readonly words: readonly string[];
  readonly text: (option: string) => string | undefined;
  readonly isSet: (option: string) => boolean;
  /** A client of the service that the person is logged in to. */
  readonly client: () => Promise<Client>;
  /** Prints a line. */
  readonly print: (line: string) => void;
  /** Prints a value for programs, as JSON. */
  readonly printJson: (value: unknown) => void;
}

/** A mistake on the command line or in what it needs. It is explained without a stack, and the program ends with 2. */
export class UsageError extends Error {}

/** The words of a command, as many as it takes. */
export function takeWords(words: readonly string[], most: number): readonly string[] {
  if (words.length > most) throw new UsageError(`Unexpected: ${words.slice(most).join(" ")}.`);
  return words;
}

/** An option whose value must be one of a list. */
export function choiceOf<Choice extends string>(
  name: string,
  value: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((candidate) => candidate === value);
  if (value !== undefined && choice === undefined) {
    throw new UsageError(`--${name} must be one of: ${choices.join(", ")}.`);
  }
  return choice;
}

/** An option whose value must be a number above 0. */
export function numberOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) throw new UsageError(`--${name} must be a number above 0.`);
  return number;
}
