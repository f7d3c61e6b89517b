import { Ollama } from "ollama";

const { TRUNKLINE_URL: host, TRUNKLINE_KEY: key, MODEL: model, TASK: prompt } = process.env;
const ollama = new Ollama({ host, headers: { authorization: `Bearer ${key}` } });
const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const tools = [{ type: "function", function: { name: "bash", description: "Runs a command.", parameters } }];
const messages = [{ role: "user", content: prompt }];
const first = await ollama.chat({ model, messages, tools });
const { command } = first.message.tool_calls[0].function.arguments;
messages.push(first.message, { role: "tool", tool_name: "bash", content: "done" });
const whole = await ollama.chat({ model, messages, tools });
let text = "";
for await (const { message } of await ollama.chat({ model, messages, tools, stream: true })) text += message.content;
process.stdout.write(JSON.stringify({ ran: [command, command], texts: [whole.message.content, text] }));
