import { Mistral } from "@mistralai/mistralai";

const { TRUNKLINE_URL: url, TRUNKLINE_KEY: apiKey, MODEL: model, TASK: prompt } = process.env;
const mistral = new Mistral({ apiKey, serverURL: url });
const parameters = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const tools = [{ type: "function", function: { name: "bash", description: "Runs a command.", parameters } }];
const messages = [{ role: "user", content: prompt }];
const first = await mistral.chat.complete({ model, messages, tools });
const { message } = first.choices[0];
const [call] = message.toolCalls;
const given = call.function.arguments;
const { command } = typeof given === "string" ? JSON.parse(given) : given;
messages.push(message, { role: "tool", toolCallId: call.id, name: "bash", content: "done" });
const whole = await mistral.chat.complete({ model, messages, tools });
let text = "";
for await (const { data } of await mistral.chat.stream({ model, messages, tools }))
  text += data.choices[0]?.delta.content ?? "";
process.stdout.write(JSON.stringify({ ran: [command, command], texts: [whole.choices[0].message.content, text] }));
