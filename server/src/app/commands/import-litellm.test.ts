import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfigFile } from "../config/config-file.ts";
import { importLiteLlmCommand } from "./import-litellm.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "litellm-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function convert(yaml: string) {
  const source = join(folder, "config.yaml");
  await writeFile(source, yaml);
  const printed: string[] = [];
  const warnings: string[] = [];
  const code = importLiteLlmCommand(
    [source],
    (line) => printed.push(line),
    (line) => warnings.push(line),
  );
  if (printed.length === 0) return { code, warnings, config: undefined };
  const target = join(folder, "trunkline.yaml");
  await writeFile(target, printed.join("\n"));
  return { code, warnings, config: readConfigFile(target) };
}

describe("a configuration of LiteLLM", () => {
  it("becomes one that the service starts with: providers, prices, keys, deployments and fallbacks", async () => {
    const { code, warnings, config } = await convert(`
model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/MY_KEY }
  - model_name: gpt-4o
    litellm_params: { model: azure/my-deployment, api_base: "https://x.openai.azure.com/", api_key: os.environ/AZURE_KEY, input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 }
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o-mini }
  - model_name: smart
    litellm_params: { model: anthropic/claude-sonnet-4-5 }
  - model_name: flash
    litellm_params: { model: gemini/gemini-2.5-flash }
  - model_name: my local/llama
    litellm_params: { model: ollama/llama3, api_base: "http://127.0.0.1:11434/v1", input_cost_per_token: 0, output_cost_per_token: 0 }
    model_info: { max_input_tokens: 8192, max_output_tokens: 2048 }
  - model_name: embed
    litellm_params: { model: text-embedding-3-small }
    model_info: { mode: embedding }
router_settings:
  fallbacks: [{ "gpt-4o": [smart, flash] }]
litellm_settings:
  drop_params: true
  fallbacks: [{ smart: ["gpt-4o"] }]
`);
    expect(warnings).toEqual([]);
    expect(code).toBe(0);
    const models = config?.models;
    expect(models).toMatchObject([
      { name: "gpt-4o", provider: "openai", wire: "openai", credential_env: "MY_KEY" },
      {
        name: "gpt-4o",
        provider: "azure",
        upstream_model: "my-deployment",
        endpoint: "https://x.openai.azure.com/openai/v1",
        credential_env: "AZURE_KEY",
      },
      { name: "gpt-4o-2", provider: "openai", upstream_model: "gpt-4o-mini", credential_env: "OPENAI_API_KEY" },
      { name: "smart", provider: "anthropic", wire: "anthropic", upstream_model: "claude-sonnet-4-5" },
      { name: "flash", provider: "google", wire: "gemini", credential_env: "GEMINI_API_KEY" },
      { name: "my-local-llama", provider: "ollama", context_window: 8192, max_output_tokens: 2048 },
      { name: "embed", type: "embedding", upstream_model: "text-embedding-3-small" },
    ]);
    expect(config?.models[1]?.pricing).toEqual({ input_per_1k_tokens: 0.0025, output_per_1k_tokens: 0.01 });
    expect(config?.models[0]?.pricing.input_per_1k_tokens).toBeGreaterThan(0);
    expect(config?.backups).toEqual({
      "openai/gpt-4o": ["openai/gpt-4o-2"],
      "gpt-4o": ["smart", "flash"],
      smart: ["gpt-4o"],
    });
  });

  it("is named what it holds that has no place, and no key is copied", async () => {
    const { code, warnings, config } = await convert(`
model_list:
  - model_name: a
    litellm_params: { model: openai/gpt-4o, api_key: sk-plain-secret, rpm: 5 }
  - model_name: odd
    litellm_params: { model: sagemaker/thing }
  - model_name: unpriced
    litellm_params: { model: openai/never-heard-of }
  - model_name: "*"
    litellm_params: { model: "openai/*" }
litellm_settings: { fallbacks: [{ "*": [a] }] }
`);
    expect(code).toBe(1);
    expect(config?.models.map(({ name }) => name)).toEqual(["a"]);
    expect(JSON.stringify(config)).not.toContain("sk-plain-secret");
    expect(warnings.join("\n")).toMatch(
      /key stands in the file.*[\s\S]*rpm left out[\s\S]*sagemaker[\s\S]*price[\s\S]*star/,
    );
    expect(warnings.join("\n")).not.toContain("sk-plain-secret");
  });

  it("takes models of Vertex AI over, also Claude, and fallbacks for prompts that are too long", async () => {
    const { warnings, config } = await convert(`
model_list:
  - model_name: gemini
    litellm_params: { model: vertex_ai/gemini-2.5-flash, vertex_project: p1, vertex_location: europe-west4 }
  - model_name: claude
    litellm_params: { model: vertex_ai/claude-sonnet-4-5 }
litellm_settings: { context_window_fallbacks: [{ claude: [gemini] }] }
`);
    expect(warnings).toEqual([]);
    const host = "https://europe-west4-aiplatform.googleapis.com";
    expect(config?.models).toMatchObject([
      { wire: "gemini", endpoint: `${host}/v1/projects/p1/locations/europe-west4/publishers/google` },
      {
        wire: "anthropic",
        endpoint: expect.stringMatching(/publishers\/anthropic$/),
        credential_env: "VERTEX_CREDENTIALS",
      },
    ]);
    expect(config?.backups).toEqual({ claude: ["gemini"] });
  });

  it("is named each setting beside the models that is left out", async () => {
    const { code, warnings } = await convert(`
model_list: [{ model_name: a, litellm_params: { model: openai/gpt-4o } }]
router_settings: { routing_strategy: least-busy, model_group_alias: { x: a } }
litellm_settings: { cache: true, drop_params: true }
general_settings: { master_key: sk-plain-secret }
`);
    expect(code).toBe(1);
    const said = warnings.join("\n");
    expect(said).toMatch(/router_settings: routing_strategy, model_group_alias left out/);
    expect(said).toMatch(/litellm_settings: cache left out/);
    expect(said).toMatch(/general_settings \(master_key\) left out/);
    expect(said).toContain("preset");
    expect(said).not.toContain("sk-plain-secret");
  });

  it.each([
    ["no list of models", "general_settings: {}"],
    ["no YAML", "model_list: ["],
    ["nothing that can be taken over", "model_list: [{ model_name: x, litellm_params: { model: nobody/x } }]"],
  ])("is refused where it has %s", async (_what, yaml) => {
    const { code, warnings, config } = await convert(yaml);
    expect([code, config]).toEqual([2, undefined]);
    expect(warnings.join("")).not.toBe("");
  });

  it("needs the name of a file", () => {
    expect(
      importLiteLlmCommand(
        [],
        () => undefined,
        () => undefined,
      ),
    ).toBe(2);
    expect(
      importLiteLlmCommand(
        ["/nowhere.yaml"],
        () => undefined,
        () => undefined,
      ),
    ).toBe(2);
    expect(
      importLiteLlmCommand(
        ["--help"],
        () => undefined,
        () => undefined,
      ),
    ).toBe(0);
  });
});
