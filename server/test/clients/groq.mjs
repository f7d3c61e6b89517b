import Groq from "groq-sdk";

const { TRUNKLINE_URL: baseURL, TRUNKLINE_KEY: apiKey, MODEL: model, TASK: prompt } = process.env;
const groq = new Groq({ baseURL, apiKey, maxRetries: 0 });
const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const tools = [{ type: "function", function: { name: "bash", description: "Runs a command.", parameters } }];
const messages = [{ role: "user", content: prompt }];
const first = await groq.chat.completions.create({ model, messages, tools });
const { message } = first.choices[0];
const [call] = message.tool_calls;
const { command } = JSON.parse(call.function.arguments);
messages.push(message, { role: "tool", tool_call_id: call.id, content: "done" });
const whole = await groq.chat.completions.create({ model, messages, tools });
let text = "";
for await (const piece of await groq.chat.completions.create({ model, messages, tools, stream: true }))
  text += piece.choices[0]?.delta.content ?? "";
process.stdout.write(JSON.stringify({ ran: [command, command], texts: [whole.choices[0].message.content, text] }));
