import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";

const { TRUNKLINE_URL: url, TRUNKLINE_KEY: apiKey, MODEL: model, TASK: prompt } = process.env;
setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }));
const ran = [];
const bash = tool({
  name: "bash",
  description: "Runs a command.",
  parameters: z.object({ command: z.string() }),
  execute: async ({ command }) => {
    ran.push(command);
    return "done";
  },
});
const agent = new Agent({ name: "Helper", instructions: "Use your tools.", model, tools: [bash] });
const whole = await run(agent, prompt);
const streamed = await run(agent, prompt, { stream: true });
for await (const _ of streamed);
await streamed.completed;
process.stdout.write(JSON.stringify({ ran, texts: [whole.finalOutput, streamed.finalOutput] }));
