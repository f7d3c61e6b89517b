import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where an agent finds the service, and who it is there. */
export interface AgentSetting {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly prompt: string;
  /** An empty folder for its settings. */
  readonly home: string;
  /** The folder that it works in. */
  readonly folder: string;
  /** More words of its command line. */
  readonly options?: readonly string[];
}

/** Packages of fixed versions. */
export interface Installable {
  readonly packages: readonly string[];
  /** A file below `node_modules`, which is there once they are: the program, where there is one. */
  readonly program: string;
}

export interface Agent extends Installable {
  readonly name: string;
  /** Writes its settings, and returns how it is started. Nothing but the address, the key and the model is set. */
  prepare(setting: AgentSetting): Promise<{ args: readonly string[]; environment?: Readonly<Record<string, string>> }>;
}

const claudeCode: Agent = {
  name: "Claude Code",
  packages: ["@anthropic-ai/claude-code@2.1.197"],
  program: ".bin/claude",
  prepare: async ({ url, key, model, prompt, options = [] }) => ({
    args: ["-p", prompt, ...options, "--allowedTools", "Bash"],
    environment: {
      ANTHROPIC_BASE_URL: `${url}/anthropic`,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_SMALL_FAST_MODEL: model,
    },
  }),
};

const codex: Agent = {
  name: "Codex",
  packages: ["@openai/codex@0.169.0"],
  program: ".bin/codex",
  async prepare({ url, key, model, prompt, home }) {
    const settings = [
      `model = "${model}"`,
      'model_provider = "trunkline"',
      "[model_providers.trunkline]",
      'name = "trunkline"',
      `base_url = "${url}/openai/v1"`,
      'env_key = "TRUNKLINE_KEY"',
      'wire_api = "responses"',
    ];
    await writeFile(join(home, "config.toml"), settings.join("\n"));
    return {
      args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
      environment: { CODEX_HOME: home, TRUNKLINE_KEY: key },
    };
  },
};

const geminiCli: Agent = {
  name: "Gemini CLI",
  packages: ["@google/gemini-cli@0.61.0"],
  program: ".bin/gemini",
  async prepare({ url, key, model, prompt, home }) {
    await mkdir(join(home, ".gemini"));
    const settings = { security: { auth: { selectedType: "gemini-api-key" } } };
    await writeFile(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    return {
      args: ["--skip-trust", "--yolo", "-m", model, "-p", prompt],
      environment: { GOOGLE_GEMINI_BASE_URL: `${url}/gemini`, GEMINI_API_KEY: key },
    };
  },
};

const opencode: Agent = {
  name: "opencode",
  // The package that chooses among these fails to install where one of them is missing from a registry.
  packages: [`opencode-${process.platform}-${process.arch}@1.18.18`],
  program: `opencode-${process.platform}-${process.arch}/bin/opencode`,
  async prepare({ url, key, model, prompt, folder }) {
    const options = { baseURL: `${url}/openai/v1`, apiKey: key };
    const provider = { npm: "@ai-sdk/openai-compatible", name: "Trunkline", options, models: { [model]: {} } };
    const name = `trunkline/${model}`;
    const settings = { provider: { trunkline: provider }, model: name, small_model: name, autoupdate: false };
    await writeFile(join(folder, "opencode.json"), JSON.stringify(settings));
    return { args: ["run", prompt] };
  },
};

const qwenCode: Agent = {
  name: "Qwen Code",
  packages: ["@qwen-code/qwen-code@0.24.4"],
  program: ".bin/qwen",
  prepare: async ({ url, key, model, prompt }) => ({
    args: ["--auth-type", "openai", "--yolo", "-p", prompt],
    environment: { OPENAI_BASE_URL: `${url}/openai/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model },
  }),
};

const continueCli: Agent = {
  name: "Continue",
  packages: ["@continuedev/cli@1.5.47"],
  program: ".bin/cn",
  async prepare({ url, key, model, prompt, home }) {
    const file = join(home, "config.yaml");
    const lines = [
      "name: trunkline",
      "version: 1.0.0",
      "schema: v1",
      "models:",
      "  - name: trunkline",
      "    provider: openai",
      `    model: ${model}`,
      `    apiBase: ${url}/openai/v1`,
      `    apiKey: ${key}`,
      "    roles: [chat]",
    ];
    await writeFile(file, lines.join("\n"));
    return { args: ["--config", file, "--auto", "-p", prompt] };
  },
};

export const AGENTS: readonly Agent[] = [claudeCode, codex, geminiCli, opencode, qwenCode, continueCli];

/** The version that is tried. */
export function versionOf({ packages: [name = ""] }: Pick<Installable, "packages">): string {
  return name.slice(name.lastIndexOf("@") + 1);
}

const CACHE = join(homedir(), ".cache", "trunkline-agents");
const INSTALL_MS_MAX = 400_000;
const RUN_MS_MAX = 300_000;

/** The folder that packages are fetched into. */
export function folderOf({ packages }: Pick<Installable, "packages">): string {
  return join(CACHE, packages.join("+").replaceAll(/[^\w.+-]/g, "_"));
}

/** Fetches packages into a folder of their own, unless they are there. Returns the path of the program. */
export async function install({ packages, program }: Installable): Promise<string> {
  const folder = folderOf({ packages });
  const path = join(folder, "node_modules", program);
  if (existsSync(path)) return path;
  const making = `${folder}.${process.pid}`;
  await mkdir(making, { recursive: true });
  await writeFile(join(making, "package.json"), "{}");
  const words = ["install", ...packages, "--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
  await run("npm", words, { cwd: making, timeout: INSTALL_MS_MAX });
  await rm(folder, { recursive: true, force: true });
  await rename(making, folder);
  return path;
}

/** Runs an agent with its task, without a terminal. Returns what it printed. */
export async function runAgent(agent: Agent, program: string, setting: AgentSetting): Promise<string> {
  const { args, environment = {} } = await agent.prepare(setting);
  const env = { PATH: process.env.PATH, HOME: setting.home, NO_COLOR: "1", CI: "1", ...environment };
  const child = run(program, args, { cwd: setting.folder, env, timeout: RUN_MS_MAX, maxBuffer: 32 * 1024 * 1024 });
  child.child.stdin?.end();
  try {
    const { stdout, stderr } = await child;
    return `${stdout}\n${stderr}`;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${agent.name} ended with an error: ${String(error)}\n${stdout}\n${stderr}`.slice(0, 8_000));
  }
}
