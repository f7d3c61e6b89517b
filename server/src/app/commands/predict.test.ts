import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { predictCommand } from "./predict.ts";

const SUM = "Tom has 12 apples and gives half of them to his sister. How many apples are left?";
const KNOWN = ["llama-3.1-8b-instruct", "codegemma-7b"];

describe("trunkline predict", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "predict-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  let files = 0;
  async function file(content: unknown): Promise<string> {
    const path = join(folder, `${files++}.json`);
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }
  const lines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n");

  async function run(...args: string[]) {
    const printed: string[] = [];
    const code = await predictCommand(args, (line) => printed.push(line));
    return { code, text: printed.join("\n"), printed };
  }

  async function predict(models: unknown, prompts: readonly unknown[], evidence?: readonly unknown[]) {
    const args = ["--models", await file(models), "--prompts", await file(lines(prompts))];
    if (evidence !== undefined) args.push("--evidence", await file(lines(evidence)));
    const { code, printed } = await run(...args);
    expect(code).toBe(0);
    return printed.map(
      (line): { id: string; scores: Record<string, number>; costs: Record<string, number>; route_score: number } =>
        JSON.parse(line),
    );
  }

  it.each([
    ["a list of names", KNOWN],
    ["names with their providers", KNOWN.map((name) => `acme/${name}`)],
    [
      "registrations",
      KNOWN.map((name) => ({
        name,
        type: "text",
        performance: { accuracy_score: 0.7 },
        pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 },
      })),
    ],
    ["a list inside", { models: KNOWN }],
    ["a list of another name inside", { data: KNOWN.map((id) => ({ id })) }],
    ["models by name", Object.fromEntries(KNOWN.map((name) => [name, { accuracy_score: 0.7 }]))],
  ])("takes a catalogue that is %s", async (_form, models) => {
    const [line] = await predict(models, [{ id: "p1", prompt: SUM }]);
    expect(line?.id).toBe("p1");
    const [better = 0, worse = 1] = Object.values(line?.scores ?? {});
    expect(better).toBeGreaterThan(worse + 0.05);
    for (const cost of Object.values(line?.costs ?? {})) expect(cost).toBeGreaterThan(0);
    expect(line?.route_score).toBeGreaterThan(0);
  });

  it("never looks at the outcomes of the prompts", async () => {
    const bare = { id: "1", prompt: SUM };
    const labelled = { ...bare, outcomes: { [KNOWN[0] ?? ""]: { score: 0 }, [KNOWN[1] ?? ""]: { score: 1 } } };
    expect(await predict(KNOWN, [labelled])).toEqual(await predict(KNOWN, [bare]));
  });

  it("says the same of a prompt whatever it is called", async () => {
    const [prompt, input, text] = await predict(KNOWN, [
      { id: "1", prompt: SUM },
      { id: "1", input: SUM },
      { id: "1", text: SUM },
    ]);
    expect(input).toEqual(prompt);
    expect(text).toEqual(prompt);
  });

  it("learns a kind of work that it did not know, finds it again, and lets it speak for nothing else", async () => {
    const pool = [
      { name: "red", accuracy_score: 0.8 },
      { name: "blue", accuracy_score: 0.7 },
    ];
    const stitches = ["moss", "rib", "cable", "lace", "garter", "seed", "brioche"];
    const yarns = ["merino", "mohair", "alpaca", "cotton", "linen", "tweed", "cashmere", "silk"];
    const knitting = (at: number) =>
      `Knit ${stitches[at % 7]} in ${yarns[at % 8]}: slip a stitch, yarn over, purl to the selvedge, cast off row ${at}`;
    const rows = Array.from({ length: 60 }, (_, at) => ({
      prompt: knitting(at),
      task: "knitting/rows",
      outcomes: { red: { score: 0, cost: 0.01 }, blue: { score: 1, cost: 0.002 } },
    }));
    const asked = [
      { id: "row", prompt: knitting(99) },
      { id: "sum", prompt: SUM },
      { id: "river", prompt: "Which English river flows through the city of Oxford?" },
    ];
    const before = await predict(pool, asked);
    const after = await predict(pool, asked, rows);
    expect(after[0]?.scores.blue).toBeGreaterThan((after[0]?.scores.red ?? 1) + 0.3);
    expect(before[0]?.scores.red).toBeGreaterThan(before[0]?.scores.blue ?? 1);
    for (const at of [1, 2]) {
      for (const name of ["red", "blue"]) {
        expect(after[at]?.scores[name]).toBeCloseTo(before[at]?.scores[name] ?? 0, 1);
      }
    }
    expect(after[0]?.costs.red).toBeCloseTo(0.01, 4);
  });

  it("explains itself, and ends with 2 where something is wrong", async () => {
    expect(await run("--help")).toMatchObject({
      code: 0,
      text: expect.stringContaining("trunkline predict"),
    });
    const models = await file(KNOWN);
    const prompts = await file(lines([{ id: "1", prompt: SUM }]));
    for (const [args, message] of [
      [[], "Both --models and --prompts are needed"],
      [["--fast"], "--fast"],
      [["--models", "/nowhere.json", "--prompts", prompts], "/nowhere.json could not be read"],
      [["--models", await file("{"), "--prompts", prompts], "is not JSON"],
      [["--models", await file("7"), "--prompts", prompts], "neither a list of models nor an object"],
      [["--models", await file([]), "--prompts", prompts], "has no models"],
      [["--models", await file([{}]), "--prompts", prompts], "has no name"],
      [["--models", await file(["a", "a"]), "--prompts", prompts], "two models of one name"],
      [["--models", models, "--prompts", await file("no")], "line 1 is not JSON"],
      [["--models", models, "--prompts", await file("{}")], "line 1 has no prompt"],
      [["--models", models, "--prompts", prompts, "--evidence", await file("[]")], "line 1 is no object"],
    ] as const) {
      const { code, text } = await run(...args);
      expect(text).toContain(message);
      expect(code).toBe(2);
    }
  });
});
