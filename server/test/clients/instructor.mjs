import createInstructor from "@instructor-ai/instructor";
import OpenAI from "openai";
import { z } from "zod";

const { TRUNKLINE_URL: url, TRUNKLINE_KEY: apiKey, MODEL: model, TASK: prompt, ANSWER: answer } = process.env;
const instructor = createInstructor({ client: new OpenAI({ baseURL: `${url}/v1`, apiKey }), mode: "TOOLS" });
const schema = z.object({ command: z.string() });
const ask = () =>
  instructor.chat.completions.create({
    model,
    messages: [{ role: "user", content: prompt }],
    response_model: { schema, name: "bash" },
  });
const answers = [await ask(), await ask()];
// Its answer is the object: there are no words after it.
process.stdout.write(JSON.stringify({ ran: answers.map(({ command }) => command), texts: [answer, answer] }));
