import { texts } from "../texts/texts.ts";
import {
  type CodedRequest,
  indent,
  pythonLiteral,
  quoteForShell,
  type RequestCode,
  scriptLiteral,
} from "./request-code.ts";

type Body = CodedRequest["body"];

/** What OpenAI's own libraries have no parameter for. */
const OUR_FIELDS: ReadonlySet<string> = new Set([
  "route",
  "check",
  "preferences",
  "fallbacks",
  "session",
  "continue",
  "hedge",
]);

/** A call of OpenAI's library that does the same, and how its answer is shown. */
interface LibraryCall {
  /** As both libraries call it. */
  readonly method: string;
  readonly body: Body;
  readonly python: string;
  readonly typescript: string;
}

/** A chat, an image or speech as code: for a shell, with OpenAI's libraries, and with our own. */
export function sdkCode(request: CodedRequest): readonly RequestCode[] {
  const call = libraryCall(request);
  const { codeForms: labels } = texts.common;
  return [
    { label: labels.curl, language: "bash", code: curlCode(request) },
    { label: labels.python, language: "python", code: pythonCode(request, call) },
    { label: labels.typescript, language: "typescript", code: typescriptCode(request, call) },
    { label: labels.trunkline, language: "typescript", code: ownCode(request) },
  ];
}

function libraryCall({ path, body }: CodedRequest): LibraryCall {
  const { input, model = "auto", format, ...rest } = body;
  if (path === "/v1/image")
    return {
      method: "images.generate",
      body: { model, prompt: input, ...rest },
      python: "image = response.data[0]\nprint(image.url or image.b64_json)",
      typescript: "const [image] = response.data;\nconsole.log(image.url ?? image.b64_json);",
    };
  if (path === "/v1/audio")
    return {
      method: "audio.speech.create",
      // OpenAI's libraries ask for a voice.
      body: { model, input, voice: "default", ...rest, ...(format === undefined ? {} : { response_format: format }) },
      python: 'response.write_to_file("speech.audio")',
      typescript:
        'const { writeFile } = await import("node:fs/promises");\nawait writeFile("speech.audio", Buffer.from(await response.arrayBuffer()));',
    };
  return {
    method: "chat.completions.create",
    body,
    python: 'print(response.choices[0].message)\nprint(f"Cost in credits: {response.usage.cost:.9f}")',
    typescript:
      'console.log(response.choices[0].message);\nconsole.log("Cost in credits:", response.usage.cost.toFixed(9));',
  };
}

function curlCode({ origin, path, body }: CodedRequest): string {
  return [
    `curl ${quoteForShell(origin + path)} \\`,
    `  -H "Authorization: Bearer $TRUNKLINE_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${quoteForShell(JSON.stringify(body, null, 2))}`,
  ].join("\n");
}

function pythonCode({ origin }: CodedRequest, { method, body, python }: LibraryCall): string {
  const fields = Object.entries(body).filter(([name]) => !OUR_FIELDS.has(name));
  const ours = Object.entries(body).filter(([name]) => OUR_FIELDS.has(name));
  const lines = [...fields, ...(ours.length === 0 ? [] : [["extra_body", Object.fromEntries(ours)] as const])].map(
    ([name, value]) => `    ${name}=${indent(pythonLiteral(value), "    ")},`,
  );
  return `# pip install openai
import os

from openai import OpenAI

client = OpenAI(
    base_url=${JSON.stringify(`${origin}/openai/v1`)},
    api_key=os.environ["TRUNKLINE_KEY"],
)
response = client.${method}(
${lines.join("\n")}
)
${python}`;
}

function typescriptCode({ origin }: CodedRequest, { method, body, typescript }: LibraryCall): string {
  return `// npm install openai
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${JSON.stringify(`${origin}/openai/v1`)},
  apiKey: process.env.TRUNKLINE_KEY,
});
const response = await client.${method}(${scriptLiteral(body)});
${typescript}`;
}

function ownCode({ origin, path, body }: CodedRequest): string {
  const head = `import { createClient } from "@trunkline/sdk";

const client = createClient({
  baseUrl: ${JSON.stringify(origin)},
  key: process.env.TRUNKLINE_KEY,
});`;
  if (path === "/v1/chat/completions")
    return `${head}
const { choices, usage } = await client.chat(${scriptLiteral(body)});
console.log(choices[0].message, usage.cost);`;
  return `${head}
const answer = await client.call("POST ${path}", {
  body: ${indent(scriptLiteral(body), "  ")},
});
console.log(answer);`;
}
