/** A first request in one language. It runs as it is shown, with the key in the variable TRUNKLINE_KEY or filled in. */
export interface CodeSample {
  readonly label: string;
  readonly language: "bash" | "typescript" | "python";
  /** How it is run once it is saved. */
  readonly run: string | undefined;
  readonly write: (where: SamplePlace) => string;
}

/** What a sample is written for. */
export interface SamplePlace {
  /** Of the service, without a slash at its end. */
  readonly origin: string;
  /** A key's secret; undefined: the sample reads it from the environment. */
  readonly key: string | undefined;
}

const INPUT = "What is Trunkline?";

/** For a terminal. */
export const CURL_SAMPLE: CodeSample = {
  label: "curl",
  language: "bash",
  run: undefined,
  write: ({ origin, key = "$TRUNKLINE_KEY" }) => `curl ${origin}/v1/ai/request \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"task": "chat", "input": "${INPUT}"}'`,
};

/** For a terminal and a key that only reads. */
export function writeReadSample({ origin, key = "$TRUNKLINE_KEY" }: SamplePlace): string {
  return `curl ${origin}/v1/models -H "Authorization: Bearer ${key}"`;
}

/** Every sample there is. Each is run by a test, so one for another API belongs here once that API answers. */
export const CODE_SAMPLES: readonly CodeSample[] = [
  CURL_SAMPLE,
  {
    label: "TypeScript",
    language: "typescript",
    run: "node first-request.mjs",
    write: ({
      origin,
      key = `\${process.env.TRUNKLINE_KEY}`,
    }) => `// Save it as first-request.mjs and run: node first-request.mjs
const response = await fetch("${origin}/v1/ai/request", {
  method: "POST",
  headers: {
    Authorization: \`Bearer ${key}\`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify({ task: "chat", input: "${INPUT}" }),
});
console.log(await response.json());`,
  },
  {
    label: "Python",
    language: "python",
    run: "python3 first_request.py",
    write: ({
      origin,
      key = "{os.environ['TRUNKLINE_KEY']}",
    }) => `# Save it as first_request.py and run: python3 first_request.py
import json
import os
import urllib.request

request = urllib.request.Request(
    "${origin}/v1/ai/request",
    data=json.dumps({"task": "chat", "input": "${INPUT}"}).encode(),
    headers={
        "Authorization": f"Bearer ${key}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`,
  },
  {
    label: "OpenAI SDK",
    language: "typescript",
    run: "node first-chat.mjs",
    write: ({ origin, key }) => `// Run: npm install openai. Then save it as first-chat.mjs and run: node first-chat.mjs
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${origin}/openai/v1",
  apiKey: ${key === undefined ? "process.env.TRUNKLINE_KEY" : `"${key}"`},
});
const { model, choices, usage } = await client.chat.completions.create({
  model: "auto",
  messages: [{ role: "user", content: "${INPUT}" }],
});
console.log({ output: choices[0].message.content, model_used: model, cost: usage.cost });`,
  },
];
