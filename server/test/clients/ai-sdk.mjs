// The default model of the provider, with a loop of tool calls: chat completions before version 5, responses since.
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

const whole = await ai.generateText(request);
const streamed = ai.streamText(request);
let text = "";
for await (const piece of streamed.textStream) text += piece;
process.stdout.write(JSON.stringify({ ran, texts: [whole.text, text] }));
