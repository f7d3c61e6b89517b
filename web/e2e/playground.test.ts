import {
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../../server/test/support/customer.ts";
import { openMember, type TestMember } from "../../server/test/support/member.ts";
import { answerChat } from "../../server/test/support/openai-chat-upstream.ts";
import {
  registerUpstream,
  startUpstream,
  type Upstream,
  type UpstreamRequest,
} from "../../server/test/support/scripted-upstream.ts";
import { type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { expectNoBarriers } from "./find-barriers.ts";
import { HOSTILE } from "./hostile-texts.ts";
import { goTo, settle, Visitors } from "./visit.ts";

let browser: Browser;
let service: StartedService;
let upstream: Upstream;
let painter: ScriptedProvider;
let owner: TestMember;

const RICH = `${HOSTILE}

| a | b |
|---|---|
| 1 | 2 |

- outer
  - inner

\`\`\`js
const x = "<b>";
\`\`\`

Euler: $e^{i\\pi} + 1 = 0$`;

/** Calls the tool where it has one and no result yet; else says what it was told last. */
function reply(request: UpstreamRequest) {
  const { messages, tools } = request.json;
  const last = messages.at(-1);
  if (tools !== undefined && last.role === "user") {
    const call = { id: "call_1", name: tools[0].function.name, arguments: '{"city":"Bern"}' };
    return answerChat({ calls: [call], finish: "tool_calls" })(request);
  }
  if (last.content === "Rich") return answerChat({ text: [RICH.slice(0, 60), RICH.slice(60)] })(request);
  return answerChat({ text: ["You said: ", last.content] })(request);
}

const paint: Script = (response) => {
  response.setHeader("content-type", "application/json");
  const output = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
  response.end(JSON.stringify({ output, usage: { input_tokens: 1, output_tokens: 1 }, latency_ms: 5 }));
};

beforeAll(async () => {
  [browser, service, upstream, painter] = await Promise.all([
    openChromium(),
    startService(),
    startUpstream(reply),
    startProvider(paint),
  ]);
  for (const name of ["talker", "thinker"])
    await registerUpstream(service, { wire: "openai", name, endpoint: `${upstream.url}/v1` });
  const pricing = { per_image: 0.01 };
  await service.call("POST", "/v1/provider/models", registrationOf(painter, "painter", { type: "image", pricing }));
  const customer = await openCustomer(service, 5, { name: "Web shop" });
  owner = await openMember(service, "owner", customer.id);
});

afterAll(async () => {
  await browser.close();
  await service.stop();
  await upstream.close();
  await painter.stop();
});

const visitors = new Visitors(() => ({ browser, url: service.url }));

const told = () => upstream.requests.at(-1)?.json.messages;
const replies = (page: Page, model: string) => page.getByRole("article", { name: `Reply from operator/${model}` });

/** Enter sends nothing while a reply is still coming, and its text is there before its end. */
async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.locator("button:enabled", { hasText: /^Send$/ }).waitFor();
  await page.keyboard.press("Enter");
}

describe("the playground", () => {
  it("has a conversation, edits it, answers a tool, compares two models and finds it again", async () => {
    const { page, troubles } = await visitors.at(owner, "/playground?model=operator/talker");
    expect(new URL(page.url()).search).toBe("");
    await page.getByLabel("System prompt").fill("Be brief.");
    await say(page, "Hello");
    await page.getByText("You said: Hello", { exact: true }).waitFor();
    await say(page, "And now?");
    await page.getByText("You said: And now?").waitFor();
    expect(told()).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "You said: Hello" },
      { role: "user", content: "And now?" },
    ]);

    await page.getByRole("button", { name: "Edit message" }).first().click();
    await page.getByRole("textbox", { name: "Edit message" }).fill("Hello again");
    await page.keyboard.press("Enter");
    await page.getByText("You said: Hello again").waitFor();
    expect(told()).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello again" },
    ]);
    expect(await page.getByText("And now?").count()).toBe(0);

    const settings = page.getByRole("complementary", { name: "Settings" });
    await settings.getByText("Tools", { exact: true }).click();
    await settings.getByRole("button", { name: "Add tool" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save tool" }).click();
    await say(page, "How is the weather?");
    await page.getByRole("article", { name: "Tool call: get_weather" }).getByLabel("Result").fill("Sunny");
    await page.getByRole("button", { name: "Submit result" }).click();
    await page.getByText("You said: Sunny").waitFor();
    expect(told().slice(-2)).toMatchObject([
      { role: "assistant", tool_calls: [{ id: "call_1" }] },
      { role: "tool", tool_call_id: "call_1", content: "Sunny" },
    ]);
    await settings.getByRole("button", { name: "Remove get_weather" }).click();

    await page.getByRole("button", { name: "Compare models" }).click();
    await page.getByLabel("Model 2", { exact: true }).click();
    await page.getByRole("option", { name: /thinker/ }).click();
    await say(page, "Compare");
    await replies(page, "talker").getByText("You said: Compare").waitFor();
    await replies(page, "thinker").getByText("You said: Compare").waitFor();
    await replies(page, "thinker").getByText("Latency").waitFor();
    expect(told()).toHaveLength(8);
    await expectNoBarriers(page);

    await page.reload();
    await settle(page);
    await replies(page, "thinker").getByText("You said: Compare").waitFor();
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("Send a message to start the conversation.").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Hello again/ })
      .click();
    await replies(page, "thinker").getByText("You said: Compare").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("button", { name: /^Delete Hello again/ }).click();
    await page.getByText("No chats yet").waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await settle(page);
    await page.getByText("Send a message to start the conversation.").waitFor();
    expect(troubles).toEqual([]);
  });

  it("draws tables, lists, code and formulas, and takes no markup from a reply", async () => {
    const { page, troubles } = await visitors.at(owner, "/playground?model=operator/talker");
    await say(page, "Rich");
    const shown = replies(page, "talker");
    await shown.getByRole("cell", { name: "2" }).waitFor();
    await shown.locator("li li", { hasText: "inner" }).waitFor();
    await shown.getByRole("figure", { name: "Code (js)" }).locator("span", { hasText: '"<b>"' }).waitFor();
    await shown.locator("math msup").waitFor();
    expect(await shown.getByText("window.harmed=1", { exact: false }).count()).toBeGreaterThan(0);
    expect(await page.evaluate(() => "harmed" in window)).toBe(false);
    expect(await shown.locator('script, img, a[href^="javascript"]').count()).toBe(0);
    await expectNoBarriers(page);

    await page.getByRole("button", { name: "Share" }).click();
    const link = await page.getByRole("dialog").getByLabel("Link").inputValue();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New chat" }).click();
    await goTo(page, "/");
    await goTo(page, link);
    await replies(page, "talker").getByRole("cell", { name: "2" }).waitFor();
    expect(new URL(page.url()).hash).toBe("");
    await page.getByRole("button", { name: "View code" }).click();
    const code = page.getByRole("dialog");
    for (const form of ["curl", "Python", "TypeScript", "Trunkline SDK"])
      await code.getByRole("button", { name: form, exact: true }).click();
    await code.getByText("client.chat(").waitFor();
    expect(troubles).toEqual([]);
  });

  it("makes images with models that can, and says so where no image came", async () => {
    const { page, troubles } = await visitors.at(owner, "/playground?model=operator/talker");
    await page.getByRole("radio", { name: "Image" }).click();
    await page.getByLabel("Model", { exact: true }).click();
    expect(await page.getByRole("option", { name: /talker/ }).count()).toBe(0);
    await page.getByRole("option", { name: /painter/ }).click();
    const wordy = { json: { image_url: "A cat, in words.", model: "operator/painter", cost: 0.01 } };
    await page.route("**/v1/image", (route) => route.fulfill(wordy), { times: 1 });
    await say(page, "A cat");
    await page.getByText("No image returned").waitFor();

    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.getByRole("img", { name: "Generated image: A cat" }).waitFor();
    expect(troubles).toEqual([]);
  });

  it("sends images, PDFs and audio along with a message", async () => {
    const { page } = await visitors.at(owner, "/playground?model=operator/talker");
    const buffer = Buffer.from("R0lGODlhAQABAAAAACw=", "base64");
    await page.getByLabel("Files to attach").setInputFiles([
      { name: "cat.gif", mimeType: "image/gif", buffer },
      { name: "song.ogg", mimeType: "audio/ogg", buffer },
    ]);
    await page.getByText("Use a WAV or MP3 file for audio.").waitFor();
    await page.getByLabel("Files to attach").setInputFiles([
      { name: "cat.gif", mimeType: "image/gif", buffer },
      { name: "paper.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n%%EOF") },
    ]);
    await page.getByRole("button", { name: "Remove paper.pdf" }).waitFor();
    const sent = page.waitForRequest("**/v1/chat/completions");
    await say(page, "What is this?");
    expect((await sent).postDataJSON().messages.at(-1).content).toMatchObject([
      { type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/gif;base64,/) } },
      { type: "file", file: { filename: "paper.pdf" } },
      { type: "text", text: "What is this?" },
    ]);
    await page.getByRole("article", { name: "Your message" }).getByRole("img", { name: "cat.gif" }).waitFor();
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
  });

  it("stops a reply by Escape and keeps what came", async () => {
    const { page } = await visitors.at(owner, "/playground?model=operator/talker");
    // The answer never comes.
    await page.route("**/v1/chat/completions", () => undefined, { times: 1 });
    await say(page, "Endless");
    await page.getByText("Generating").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Stopped").waitFor();
  });

  it("opens a past request whose content is stored", async () => {
    await owner.call("PATCH", "/v1/settings", { store_content: true });
    await owner.call("POST", "/v1/generate", { model: "operator/talker", input: "From before" });
    const { json } = await owner.call("GET", "/v1/requests");
    const { page } = await visitors.at(owner, `/requests/${json.data[0].id}`);
    await page.getByRole("link", { name: "Open in playground" }).click();
    await replies(page, "talker").getByText("You said: From before").waitFor();
    await page.getByRole("article", { name: "Your message" }).getByText("From before").waitFor();
  });
});
