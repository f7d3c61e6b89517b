// The default model of the provider, with a loop of tool calls and a second turn that goes on with all that was said: chat
// completions before version 5, responses since, which refer to kept items.
import { createOpenAI } from "@ai-sdk/openai";
import * as ai from "ai";
import { z } from "zod";

const { TRUNKLINE_URL: url, TRUNKLINE_KEY: apiKey, MODEL: model, TASK: prompt } = process.env;
const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
const schema = z.object({ command: z.string() });
const ran = [];
const bash = ai.tool({
  description: "Runs a command.",
  parameters: schema,
  inputSchema: schema,
  execute: async ({ command }) => {
    ran.push(command);
    return "done";
  },
});
// Its name changed between versions.
const { stepCountIs, isStepCount } = { ...ai };
const stepLimit = stepCountIs ?? isStepCount;
const loop = stepLimit === undefined ? { maxSteps: 5 } : { stopWhen: stepLimit(5) };
const request = { model: openai(model), prompt, tools: { bash }, ...loop };

const goOn = async (messages) => {
  const { prompt: first, ...others } = request;
  const next = { role: "user", content: "And is that all?" };
  const { text } = await ai.generateText({
    ...others,
    messages: [{ role: "user", content: first }, ...messages, next],
  });
  return text;
};

const whole = await ai.generateText(request);
const streamed = ai.streamText(request);
for await (const _ of streamed.textStream);
const steps = await streamed.steps;
const texts = [whole.text, steps.at(-1).text];
// What was said, with all calls and their results. Its name changed between versions.
const messages = [
  whole.responseMessages ?? whole.response.messages,
  (await streamed.responseMessages) ?? (await streamed.response).messages,
];
const later = [await goOn(messages[0]), await goOn(messages[1])];
if (later.join() !== texts.join()) throw new Error(`The second turn ended in other words: ${later.join()}`);
process.stdout.write(JSON.stringify({ ran, texts }));
