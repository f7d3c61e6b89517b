/** A request as code: where it goes and what is sent. */
export interface CodedRequest {
  /** Of the service, without a slash at its end. */
  readonly origin: string;
  /** Such as `/v1/stream`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One request in one language, ready to run with the key in the variable TRUNKLINE_KEY. */
export interface RequestCode {
  readonly label: string;
  readonly language: "bash" | "typescript" | "python";
  readonly code: string;
}

/** The same request in every language. */
export function requestCode(request: CodedRequest): readonly RequestCode[] {
  return [
    { label: "curl", language: "bash", code: curlCode(request) },
    { label: "TypeScript", language: "typescript", code: typescriptCode(request) },
    { label: "Python", language: "python", code: pythonCode(request) },
  ];
}

function curlCode({ origin, path, body }: CodedRequest): string {
  const streams = path === "/v1/stream";
  return [
    `curl ${streams ? "-N " : ""}${quoteForShell(origin + path)} \\`,
    `  -H "Authorization: Bearer $TRUNKLINE_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${quoteForShell(JSON.stringify(body, null, 2))}`,
  ].join("\n");
}

function typescriptCode({ origin, path, body }: CodedRequest): string {
  const head = `const response = await fetch(${JSON.stringify(origin + path)}, {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.TRUNKLINE_KEY}\`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify(${indent(scriptLiteral(body), "  ")}),
});`;
  if (path !== "/v1/stream") return `${head}\nconsole.log(await response.json());`;
  return `${head}
if (!response.ok || response.body === null) throw new Error(await response.text());

let rest = "";
for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + piece).split("\\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const part = JSON.parse(line);
    if (part.error) throw new Error(part.error.message);
    process.stdout.write(part.delta ?? \`\\n\${part.model}: \${part.cost.toFixed(9)} credits\\n\`);
  }
}`;
}

function pythonCode({ origin, path, body }: CodedRequest): string {
  const head = `import json
import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(origin + path)},
    data=json.dumps(${indent(pythonLiteral(body), "    ")}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['TRUNKLINE_KEY']}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:`;
  if (path !== "/v1/stream") return `${head}\n    print(json.load(response))`;
  return `${head}
    for line in response:
        part = json.loads(line)
        if "error" in part:
            raise RuntimeError(part["error"]["message"])
        if "delta" in part:
            print(part["delta"], end="", flush=True)
        else:
            print(f"\\n{part['model']}: {part['cost']:.9f} credits")`;
}

/** In single quotes a shell takes everything as it is, except the quote itself. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** JSON is a literal of JavaScript too; a name that needs no quotes goes without. */
export function scriptLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"((?!__proto__)[A-Za-z_]\w*)":/gm, "$1$2:");
}

/** Python's words for what JSON writes otherwise. Its strings read the same escapes, but no pairs of surrogates. */
export function pythonLiteral(value: unknown, margin = ""): string {
  const inner = `${margin}    `;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item: unknown) => `${inner}${pythonLiteral(item, inner)},`)
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(item, inner)},`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return items.length === 0 ? open + close : `${open}\n${items.join("\n")}\n${margin}${close}`;
}

/** Moves all lines but the first to the right. Line breaks inside strings are written as escapes, so none is touched. */
export function indent(text: string, margin: string): string {
  return text.replaceAll("\n", `\n${margin}`);
}
