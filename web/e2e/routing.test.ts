import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../../server/test/support/customer.ts";
import { openMember, type TestMember } from "../../server/test/support/member.ts";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { expectNoBarriers } from "./find-barriers.ts";
import { goTo, settle, Visitors } from "./visit.ts";

let browser: Browser;
let service: StartedService;
let provider: ScriptedProvider;
let owner: TestMember;
let viewer: TestMember;
let operator: TestMember;
let requestId: string;

beforeAll(async () => {
  [browser, service, provider] = await Promise.all([openChromium(), startService(), startProvider()]);
  for (const [name, price, quality] of [
    ["lark", 0.001, 0.8],
    ["swift", 0.004, 0.9],
  ] as const) {
    const terms = {
      pricing: { input_per_1k_tokens: price, output_per_1k_tokens: price },
      performance: { accuracy_score: quality, avg_latency_ms: 300 },
    };
    await service.call("POST", "/v1/provider/models", registrationOf(provider, name, terms));
  }
  const customer = await openCustomer(service, 5, { name: "Web shop" });
  owner = await openMember(service, "owner", customer.id);
  viewer = await openMember(service, "viewer", customer.id);
  operator = await openMember(service, "owner", (await service.services.identity.accounts.findOperator())?.id);
  const body = {
    task: "chat",
    input: "What is 17 times 23? Show the steps.",
    model: "lark",
    fallbacks: ["swift"],
  };
  await owner.call("POST", "/v1/generate", body);
  const { json } = await owner.call("GET", "/v1/requests");
  requestId = json.data[0].id;
});

afterAll(async () => {
  await browser.close();
  await service.stop();
  await provider.stop();
});

const visitors = new Visitors(() => ({ browser, url: service.url }));

const feedbackKept = async () => (await owner.call("GET", `/v1/requests/${requestId}`)).json.feedback;

describe("the page of a request", () => {
  it("tells what it was taken for and what each candidate stood on", async () => {
    const { page, troubles } = await visitors.at(owner, `/requests/${requestId}`);
    const why = page.getByRole("region", { name: "Why this model" });
    await why.getByText("Detected").waitFor();
    expect(await why.getByRole("meter", { name: "Difficulty" }).getAttribute("aria-valuetext")).toMatch(
      /easy|medium|hard/i,
    );
    const row = why.getByRole("row", { name: /operator\/lark/ });
    await row.getByText("Chosen · Answered").waitFor();
    await row.getByText(/^at least 0\.\d\d$/).waitFor();
    await row.getByText("provider's claim").waitFor();
    await row.getByText(/^Time to first token/).waitFor();
    expect(troubles).toEqual([]);
  });

  it("takes feedback on the answer, and another opinion later", async () => {
    const { page, troubles } = await visitors.at(owner, `/requests/${requestId}`);
    const asked = page.getByRole("group", { name: "Was this answer good?" });
    await asked.getByRole("button", { name: "Good answer" }).click();
    await asked.getByRole("status").getByText("Good", { exact: true }).waitFor();
    expect(await feedbackKept()).toMatchObject({ score: 1 });

    await asked.getByRole("button", { name: "Add comment" }).click();
    await asked.getByLabel("Comment").fill("Every step is there.");
    await asked.getByRole("button", { name: "Save comment" }).click();
    await asked.getByText("Every step is there.").waitFor();
    await asked.getByRole("button", { name: "Bad answer" }).click();
    await asked.getByRole("status").getByText("Bad", { exact: true }).waitFor();
    expect(await feedbackKept()).toMatchObject({ score: -1, comment: "Every step is there." });

    await page.reload();
    await settle(page);
    const bad = page.getByRole("button", { name: "Bad answer" });
    await bad.waitFor();
    expect(await bad.getAttribute("aria-pressed")).toBe("true");
    await page.getByText("Every step is there.").waitFor();
    await expectNoBarriers(page);
    expect(troubles).toEqual([]);
  });

  it("goes back to what holds where feedback is not taken, and says so", async () => {
    const { page } = await visitors.at(owner, `/requests/${requestId}`);
    const tooOld = { status: 409, json: { error: { type: "conflict", message: "It is too old." } } };
    await page.route("**/feedback", (route) => route.fulfill(tooOld), { times: 1 });
    await page.getByRole("button", { name: "Good answer" }).click();
    await page.getByText("Couldn't save your feedback").waitFor();
    expect(await page.getByRole("button", { name: "Bad answer" }).getAttribute("aria-pressed")).toBe("true");
  });

  it("shows what was said to those who may only look, and is found by it", async () => {
    const { page } = await visitors.at(viewer, "/requests?feedback=bad");
    await page.getByText("operator/lark").first().click();
    await page.getByRole("group", { name: "Feedback" }).getByText("Bad").waitFor();
    expect(await page.getByRole("button", { name: "Good answer" }).count()).toBe(0);
    await goTo(page, "/requests?feedback=good");
    await page.getByText("No requests match these filters").waitFor();
  });
});

describe("the playground", () => {
  it("asks for a cascade with its check, and how good the answer was", async () => {
    const { page, troubles } = await visitors.at(owner, "/playground");
    await page.getByRole("combobox", { name: "Strategy" }).click();
    await page.getByRole("option", { name: /^Cascade/ }).click();
    await page.getByLabel("Min length").fill("5");
    await page.getByLabel("Message", { exact: true }).fill("Say something.");
    const sent = page.waitForRequest("**/v1/chat/completions");
    await page.getByRole("button", { name: "Send" }).click();
    expect((await sent).postDataJSON()).toMatchObject({ route: "cascade", check: { min_length: 5 } });
    await page.getByRole("button", { name: "Good answer" }).click();
    await page.getByRole("group", { name: "Was this answer good?" }).getByText("Good", { exact: true }).waitFor();
    await page.getByRole("button", { name: "View code" }).click();
    await page.getByRole("dialog").getByText("min_length").first().waitFor();
    await page.keyboard.press("Escape");
    await expectNoBarriers(page);
    expect(troubles).toEqual([]);
  });
});

describe("the page Routing", () => {
  it("saves the minimum quality, and gives it back to the service", async () => {
    const { page } = await visitors.at(owner, "/routing");
    const floor = page.getByRole("region", { name: "Minimum quality" });
    await floor.getByRole("radio", { name: "Custom" }).click();
    await floor.getByLabel("Quality from 0 to 1").fill("2");
    await floor.getByRole("button", { name: "Save minimum quality" }).click();
    await floor.getByText("Enter a number from 0 to 1", { exact: false }).waitFor();
    await floor.getByLabel("Quality from 0 to 1").fill("0.65");
    await floor.getByRole("button", { name: "Save minimum quality" }).click();
    await page.getByText("Minimum quality saved").first().waitFor();
    expect((await owner.call("GET", "/v1/routing/floor")).json).toEqual({ min_quality: 0.65 });
    await floor.getByRole("radio", { name: "Service default" }).click();
    await floor.getByRole("button", { name: "Save minimum quality" }).click();
    await page.getByText("The service default applies.").waitFor();
    expect((await owner.call("GET", "/v1/routing/floor")).json).toEqual({ min_quality: null });
  });

  it("freezes learning, looks back by days, and tells a preview's reading", async () => {
    const { page, troubles } = await visitors.at(owner, "/routing");
    await page.getByRole("switch", { name: "Learn from our results" }).click();
    await page.getByText("Learning is off").waitFor();
    expect((await owner.call("GET", "/v1/routing/learning")).json).toMatchObject({ learning: "frozen" });
    const report = page.waitForRequest(/routing\/report\?.*days=30/);
    await page.getByRole("combobox", { name: "Period" }).click();
    await page.getByRole("option", { name: "Last 30 days" }).click();
    await report;
    await page.getByLabel("Prompt", { exact: true }).fill("Prove that the square root of 2 is irrational.");
    await page.getByRole("button", { name: "Preview route" }).click();
    await page.getByRole("meter", { name: "Difficulty" }).waitFor();
    await page
      .getByText(/ than operator\//)
      .first()
      .waitFor();
    await expectNoBarriers(page);
    expect(troubles).toEqual([]);
  });
});

describe("the operator", () => {
  it("freezes learning for everyone, which the organisation is told", async () => {
    const { page } = await visitors.at(operator, "/operator/settings");
    await page.getByRole("radio", { name: /^Frozen/ }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Settings saved", { exact: true }).waitFor();
    const theirs = await visitors.at(owner, "/routing");
    await theirs.page.getByText("The operator has turned off learning for everyone").waitFor();
  });

  it("gives a model another weight and a part of the automatic requests", async () => {
    const { page, troubles } = await visitors.at(operator, "/operator/models");
    await page.getByRole("button", { name: "Actions for operator/swift" }).click();
    await page.getByRole("menuitem", { name: "Set traffic share…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Weight").fill("1.5");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Enter a whole number", { exact: false }).waitFor();
    await dialog.getByLabel("Weight").fill("3");
    await dialog.getByLabel("Share of automatic requests").fill("25");
    await expectNoBarriers(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("3× share, in 25% of automatic requests").waitFor();
    const { json } = await service.call("GET", "/v1/admin/models?q=swift");
    expect(json.data[0]).toMatchObject({ weight: 3, canary_share: 0.25 });
    expect(troubles).toEqual([]);
  });
});

describe("the page of one's own model", () => {
  it("says that the endpoint refuses the credential, and what to do", async () => {
    provider.script = (response) => {
      response.statusCode = 401;
      response.end(JSON.stringify({ error: { message: "No such key.", code: 401 } }));
    };
    await owner.call("POST", "/v1/generate", { input: "Hello", model: "lark" });
    const { page } = await visitors.at(operator, "/providers/lark");
    const banner = page.getByRole("alert").filter({ hasText: "Out of service since" });
    await banner.getByText("Enter a working API key", { exact: false }).waitFor();
    await expectNoBarriers(page);
    await goTo(page, "/models/operator/lark");
    await page.getByText("Out of service since", { exact: false }).waitFor();
  });
});

describe("the page of presets", () => {
  it("makes one, tries it, changes it and deletes it", async () => {
    const { page, troubles } = await visitors.at(owner, "/presets");
    await page.getByText("No presets yet").waitFor();
    await page.getByRole("button", { name: "Create preset" }).click();
    const form = page.getByRole("dialog", { name: "Create preset" });
    await form.getByLabel("Name").fill("not a name");
    await form.getByText("Use 1 to 64 letters").waitFor();
    await form.getByLabel("Name").fill("support");
    for (const model of ["swift", "lark"]) {
      await form.getByLabel("Models", { exact: true }).click();
      await page.getByRole("combobox", { name: "Search models" }).fill(model);
      await page.getByRole("option", { name: model }).first().click();
    }
    await form.getByRole("button", { name: /^Move .*lark up$/ }).click();
    await form.getByLabel("System prompt").fill("Be brief.");
    await form.getByLabel("Temperature").fill("0.2");
    await expectNoBarriers(page);
    await form.getByRole("button", { name: "Create preset" }).click();
    const row = page.getByRole("row", { name: /support/ });
    await row.getByText("lark").waitFor();
    const { json } = await owner.call("GET", "/v1/presets/support");
    expect(json).toMatchObject({ system: "Be brief.", parameters: { temperature: 0.2 } });
    expect(json.models.map((name: string) => name.split("/").at(-1))).toEqual(["lark", "swift"]);

    await row.getByRole("button", { name: "support", exact: true }).click();
    const edit = page.getByRole("dialog", { name: "Edit “support”" });
    await edit.getByLabel("Description").fill("Answers customers");
    await edit.getByRole("button", { name: "Save preset" }).click();
    await row.getByText("Answers customers").waitFor();
    await expectNoBarriers(page);

    await row.getByRole("link", { name: "Try support in the playground" }).click();
    await page.getByText("support", { exact: true }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/playground");
    await goTo(page, "/presets");
    await row.getByRole("button", { name: "Delete support" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No presets yet").waitFor();
    expect((await owner.call("GET", "/v1/presets")).json.data).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("is read by those who may not change it", async () => {
    await owner.call("PUT", "/v1/presets/seen", { models: ["lark"] });
    const { page } = await visitors.at(viewer, "/presets");
    await page.getByText("seen", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: /Create preset|Delete/ }).count()).toBe(0);
  });
});

describe("the page of usage", () => {
  it("shows the requests of a tag, and groups them by its texts", async () => {
    for (const team of ["red", "red", "blue"])
      await owner.call("POST", "/v1/generate", { input: "Hi", model: "lark", tags: { team } });
    const { page } = await visitors.at(owner, "/usage");
    const tag = page.getByLabel("Tag");
    await tag.fill("team");
    await tag.press("Enter");
    await page.getByRole("button", { name: "Remove filter Tag: team" }).waitFor();
    await page.getByRole("combobox", { name: "Group by" }).click();
    await page.getByRole("option", { name: "By tag" }).click();
    const groups = page.getByRole("group", { name: "Usage by tag" });
    await groups.getByRole("row", { name: /red/ }).waitFor();
    await groups.getByRole("button", { name: "Show only blue" }).click();
    await page.getByRole("button", { name: "Remove filter Tag: team=blue" }).waitFor();
  });
});
