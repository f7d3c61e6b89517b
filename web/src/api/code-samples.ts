/** What a sample is written for. */
export interface SamplePlace {
  /** Of the service, without a slash at its end. */
  readonly origin: string;
  /** A key's secret; undefined: the sample reads it from the environment. */
  readonly key: string | undefined;
}

const INPUT = "What is Trunkline?";

/** A first request for a terminal. It runs as it is shown, with the key in the variable TRUNKLINE_KEY or filled in. */
export function writeCurlSample({ origin, key = "$TRUNKLINE_KEY" }: SamplePlace): string {
  return `curl ${origin}/v1/ai/request \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"task": "chat", "input": "${INPUT}"}'`;
}

/** For a terminal and a key that only reads. */
export function writeReadSample({ origin, key = "$TRUNKLINE_KEY" }: SamplePlace): string {
  return `curl ${origin}/v1/models -H "Authorization: Bearer ${key}"`;
}
