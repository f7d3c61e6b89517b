/** What sample code is written for. */
export interface ModelCodeRequest {
  /** Of the service, without a slash at its end. */
  readonly origin: string;
  /** A key's secret; undefined: the sample reads it from the variable TRUNKLINE_KEY. */
  readonly key: string | undefined;
  /** A model's name, or `auto`. */
  readonly model: string;
  readonly input: "text" | "image" | "audio" | "vector";
  readonly output: "text" | "image" | "audio" | "vector";
}

/** One sample, in a language or for a library. */
export interface ModelCode {
  readonly label: string;
  readonly language: "bash" | "typescript" | "python";
  readonly code: string;
}

/** One call: its path below /openai/v1, what is sent, and what is read of the answer. */
interface Call {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly method: string;
  /** What is printed, of `answer`, in both languages. */
  readonly typescript: string;
  readonly python: string;
  /** The name of a file that is sent, where one is. */
  readonly file?: string;
  /** The name of a file that the answer is saved in, where it is no JSON. */
  readonly saved?: string;
}

/** A request that the model can answer, for a terminal, for OpenAI's libraries and for ours. */
export function modelCode(request: ModelCodeRequest): readonly ModelCode[] {
  const call = callFor(request);
  return [
    { label: "curl", language: "bash", code: writeCurl(request, call) },
    { label: "OpenAI Python", language: "python", code: writePython(request, call) },
    { label: "OpenAI TypeScript", language: "typescript", code: writeTypescript(request, call) },
    ...(request.output === "text" && request.input !== "audio"
      ? [{ label: "Trunkline SDK", language: "typescript" as const, code: writeOwn(request) }]
      : []),
  ];
}

const QUESTION = "Write a haiku about trains.";

function callFor({ model, input, output }: ModelCodeRequest): Call {
  if (output === "image")
    return {
      path: "images/generations",
      body: { model, prompt: "A lake at dawn" },
      method: "images.generate",
      typescript: "answer.data[0]",
      python: "answer.data[0]",
    };
  if (output === "audio")
    return {
      path: "audio/speech",
      body: { model, input: "Good morning.", voice: voiceOf(model), response_format: "wav" },
      method: "audio.speech.create",
      typescript: "",
      python: "",
      saved: "speech.wav",
    };
  if (output === "vector")
    return {
      path: "embeddings",
      body: { model, input: "Some text" },
      method: "embeddings.create",
      typescript: "answer.data[0].embedding",
      python: "answer.data[0].embedding",
    };
  if (input === "audio")
    return {
      path: "audio/transcriptions",
      body: { model },
      method: "audio.transcriptions.create",
      typescript: "answer.text",
      python: "answer.text",
      file: "speech.mp3",
    };
  return {
    path: "chat/completions",
    body: { model, messages: [{ role: "user", content: QUESTION }] },
    method: "chat.completions.create",
    typescript: "answer.choices[0].message.content",
    python: "answer.choices[0].message.content",
  };
}

/** OpenAI's voice that most providers know; the built-in model has others. */
function voiceOf(model: string): string {
  return model === "voice" || model.startsWith("builtin/") ? "slt" : "alloy";
}

function writeCurl({ origin, key = "$TRUNKLINE_KEY" }: ModelCodeRequest, { path, body, file, saved }: Call): string {
  const lines = [`curl ${quoteForShell(`${origin}/openai/v1/${path}`)}`, `  -H "Authorization: Bearer ${key}"`];
  if (file === undefined) {
    lines.push(`  -H "Content-Type: application/json"`, `  -d ${quoteForShell(JSON.stringify(body))}`);
  } else {
    lines.push(`  -F file=@${file}`, `  -F ${quoteForShell(`model=${String(body.model)}`)}`);
  }
  if (saved !== undefined) lines.push(`  -o ${saved}`);
  return lines.join(" \\\n");
}

function writePython({ origin, key }: ModelCodeRequest, { method, body, python, file, saved }: Call): string {
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${JSON.stringify(value)},`);
  if (file !== undefined) fields.push(`    file=open("${file}", "rb"),`);
  return `# pip install openai
import os
from openai import OpenAI

client = OpenAI(
    base_url="${origin}/openai/v1",
    api_key=${key === undefined ? 'os.environ["TRUNKLINE_KEY"]' : JSON.stringify(key)},
)
answer = client.${method}(
${fields.join("\n")}
)
${saved === undefined ? `print(${python})` : `answer.write_to_file("${saved}")`}`;
}

function writeTypescript({ origin, key }: ModelCodeRequest, { method, body, typescript, file, saved }: Call): string {
  const fields = Object.entries(body).map(([name, value]) => `  ${name}: ${scriptLiteral(value)},`);
  if (file !== undefined) fields.push(`  file: createReadStream("${file}"),`);
  const imports = [
    ...(file === undefined ? [] : [`import { createReadStream } from "node:fs";`]),
    ...(saved === undefined ? [] : [`import { writeFile } from "node:fs/promises";`]),
    `import OpenAI from "openai";`,
  ];
  return `// npm install openai
${imports.join("\n")}

const client = new OpenAI({
  baseURL: "${origin}/openai/v1",
  apiKey: ${key === undefined ? "process.env.TRUNKLINE_KEY" : JSON.stringify(key)},
});
const answer = await client.${method}({
${fields.join("\n")}
});
${saved === undefined ? `console.log(${typescript});` : `await writeFile("${saved}", Buffer.from(await answer.arrayBuffer()));`}`;
}

function writeOwn({ origin, key, model }: ModelCodeRequest): string {
  return `// npm install @trunkline/sdk
import { createClient } from "@trunkline/sdk";

const client = createClient({
  baseUrl: "${origin}",
  key: ${key === undefined ? `process.env.TRUNKLINE_KEY ?? ""` : JSON.stringify(key)},
});
const answer = await client.chat({
  model: ${JSON.stringify(model)},
  messages: [{ role: "user", content: ${JSON.stringify(QUESTION)} }],
});
console.log(answer.choices[0]?.message.content, answer.usage);`;
}

/** In single quotes a shell takes everything as it is, except the quote itself. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A literal as people write it: names without quotes, and spaces. */
function scriptLiteral(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/"([A-Za-z_]\w*)":/g, "$1: ")
    .replaceAll(/,(?=\w+: )/g, ", ")
    .replaceAll("[{", "[{ ")
    .replaceAll("}]", " }]");
}
