// @ts-check
// Prints the figures of the code's structure: npm run structure [-- folder of another checkout]
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = resolve(process.argv[2] ?? fileURLToPath(new URL("../", import.meta.url)));

/** The service's own sources: no tests, no test support, no training. @returns {Promise<string[]>} */
async function sourceFiles() {
  const entries = await Promise.all(
    ["packages", "server/src"].map((folder) =>
      readdir(join(ROOT, folder), { recursive: true, withFileTypes: true }).catch(() => []),
    ),
  );
  return entries
    .flat()
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => /^server\/src\/|^packages\/(?!testing\/)[^/]+\/src\//.test(file))
    .sort();
}

/** @param {readonly number[]} values @param {number} share */
const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

const files = await sourceFiles();
/** @type {Map<string, ts.SourceFile>} */
const parsed = new Map();
for (const file of files) {
  const text = await readFile(join(ROOT, file), "utf8");
  parsed.set(file, ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true));
}

/** @type {number[]} */
const lineCounts = [];
/** @type {number[]} */
const functionLengths = [];
/** All imports, and those that load a module when the service runs. @type {Map<string, Set<string>>} */
const imports = new Map();
/** @type {Map<string, Set<string>>} */
const loads = new Map();
let anys = 0;
let asyncGenerators = 0;
let syncGenerators = 0;
/** @type {string[]} */
const usageForms = [];

for (const [file, source] of parsed) {
  lineCounts.push(source.text.trimEnd().split("\n").length);
  const targets = new Set();
  const loaded = new Set();
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) anys++;
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const target = resolveImport(file, node.moduleSpecifier.text);
      if (target !== undefined && parsed.has(target)) {
        targets.add(target);
        if (!isTypeOnly(node)) loaded.add(target);
      }
    }
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      functionLengths.push(last - first + 1);
      if (node.asteriskToken !== undefined) {
        if (node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)) asyncGenerators++;
        else syncGenerators++;
      }
    }
    if (ts.isInterfaceDeclaration(node)) {
      const names = node.members.map((member) => member.name?.getText(source));
      if (names.includes("inputTokens") && names.includes("outputTokens"))
        usageForms.push(`${node.name.text} (${file})`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  imports.set(file, targets);
  loads.set(file, loaded);
}

/** @param {ts.ImportDeclaration} node */
function isTypeOnly({ importClause }) {
  if (importClause === undefined) return false;
  const { namedBindings } = importClause;
  if (importClause.isTypeOnly) return true;
  if (importClause.name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.every((element) => element.isTypeOnly);
}

/** @param {string} file @param {string} specifier */
function resolveImport(file, specifier) {
  if (specifier.startsWith(".")) return posix.normalize(posix.join(posix.dirname(file), specifier));
  const own = /^@trunkline\/([^/]+)\/(.+)$/.exec(specifier);
  return own === null ? undefined : `packages/${own[1]}/src/${own[2]}`;
}

/** Groups of nodes that reach each other (Tarjan). @param {Map<string, Set<string>>} graph */
function components(graph) {
  let next = 0;
  /** @type {string[]} */
  const stack = [];
  /** @type {Map<string, { index: number, low: number, open: boolean }>} */
  const seen = new Map();
  /** @type {string[][]} */
  const found = [];
  /** @param {string} node */
  const walk = (node) => {
    const state = { index: next, low: next++, open: true };
    seen.set(node, state);
    stack.push(node);
    for (const target of graph.get(node) ?? []) {
      const known = seen.get(target);
      if (known === undefined) state.low = Math.min(state.low, walk(target).low);
      else if (known.open) state.low = Math.min(state.low, known.index);
    }
    if (state.low === state.index) {
      /** @type {string[]} */
      const group = [];
      let last;
      do {
        last = /** @type {string} */ (stack.pop());
        /** @type {{ open: boolean }} */ (seen.get(last)).open = false;
        group.push(last);
      } while (last !== node);
      found.push(group);
    }
    return state;
  };
  for (const node of graph.keys()) if (!seen.has(node)) walk(node);
  return found;
}

/**
 * Folders and the imports between them; `depth` counts folders below `packages/x/src` or `server/src`.
 * @param {number} depth @param {Map<string, Set<string>>} from @param {RegExp} [only]
 */
function folderGraph(depth, from, only = /./) {
  /** @param {string} file */
  const folderOf = (file) => {
    const [, base, rest] = /^(packages\/[^/]+\/src|server\/src)\/(.*)$/.exec(file) ?? [];
    const parts = dirname(`${rest}`)
      .split("/")
      .filter((part) => part !== ".");
    return [base, ...parts.slice(0, depth)].join("/");
  };
  /** @type {Map<string, Set<string>>} */
  const graph = new Map();
  for (const [file, targets] of from) {
    if (!only.test(file)) continue;
    const folder = folderOf(file);
    const edges = graph.get(folder) ?? new Set();
    graph.set(folder, edges);
    for (const target of targets) if (only.test(target) && folderOf(target) !== folder) edges.add(folderOf(target));
  }
  return graph;
}

/** The longest way down, counted in groups of folders that don't need each other. @param {Map<string, Set<string>>} graph */
function floors(graph) {
  const groups = components(graph);
  const groupOf = new Map(groups.flatMap((group, index) => group.map((node) => [node, index])));
  /** @type {number[]} */
  const heights = [];
  for (const [index, group] of groups.entries()) {
    const below = group.flatMap((node) => [...(graph.get(node) ?? [])].map((target) => groupOf.get(target) ?? index));
    heights[index] = 1 + Math.max(0, ...below.filter((other) => other !== index).map((other) => heights[other] ?? 0));
  }
  return { floors: Math.max(...heights), tangled: groups.filter((group) => group.length > 1) };
}

/** @param {string} folder */
const looseIn = (folder) => files.filter((file) => dirname(file) === folder).length;
/** Number, floors and arrows. @param {Map<string, Set<string>>} graph */
const figuresOf = (graph) => `${graph.size}, ${floors(graph).floors}, ${arrows(graph)}`;
const arrows = (/** @type {Map<string, Set<string>>} */ graph) =>
  [...graph.values()].reduce((sum, targets) => sum + targets.size, 0);
const fileCycles = components(imports).filter((group) => group.length > 1);

const lines = [
  ["source files", files.length],
  ["source lines", lineCounts.reduce((sum, count) => sum + count, 0)],
  ["file length median / p90 / max", [0.5, 0.9, 1].map((share) => quantile(lineCounts, share)).join(" / ")],
  ["function length median / p90", [0.5, 0.9].map((share) => quantile(functionLengths, share)).join(" / ")],
  [
    "loose files in server/src, providers, http, router",
    ["server/src", "packages/providers/src", "server/src/http", "packages/router/src"].map(looseIn).join(", "),
  ],
  ["folders of server/src: number, floors, arrows", figuresOf(folderGraph(1, imports, /^server\/src\//))],
  ["… without imports of types", figuresOf(folderGraph(1, loads, /^server\/src\//))],
  ["all folders: number, floors, arrows", figuresOf(folderGraph(9, imports))],
  ["… without imports of types", figuresOf(folderGraph(9, loads))],
  [
    "folders that load each other",
    floors(folderGraph(9, loads))
      .tangled.map((group) => group.join(" ⇄ "))
      .join("; ") || "none",
  ],
  ["import cycles of files", fileCycles.length],
  ["any", anys],
  ["async / sync generator functions", `${asyncGenerators} / ${syncGenerators}`],
  ["interfaces with inputTokens and outputTokens", usageForms.length],
];
for (const [what, figure] of lines) process.stdout.write(`${`${what}`.padEnd(54)} ${figure}\n`);
