import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { ANY_QUESTIONS, DOMAIN_WORDS } from "./domain-words.ts";
import { EVERYDAY_TEMPLATES } from "./everyday-templates.ts";
import { EXPERT_TEMPLATES } from "./expert-templates.ts";
import { fillBrackets, LANGUAGE_TEMPLATES } from "./language-templates.ts";
import { longPrompt } from "./long-templates.ts";
import { SHORT_TEMPLATES } from "./short-templates.ts";
import { fillTemplate, type Level } from "./template-phrases.ts";

/**
 * Composed requests, so that everyday work and domains without outcomes are recognised, and outcomes of other domains do
 * not count for them.
 */

const TOPICS =
  "our new office|the spring sale|a delayed delivery|solar panels|a lost suitcase|my landlord|the budget meeting|remote work|a wedding|a bakery|the city marathon|a refund|school uniforms|electric cars|my grandmother|a mobile app|coffee beans|a garden party|the quarterly results|a job interview|bike lanes|a charity run|the museum|customer support|home insurance|a podcast".split(
    "|",
  );
const NAMES = "Anna|Mr Lopez|the team|Priya|Dr Chen|our customers|Tom|the manager|Fatima|my neighbour".split("|");
const TONES = "friendly|formal|short|funny|polite|persuasive|warm|professional|apologetic|enthusiastic".split("|");
const CITIES = "Paris|Boston|Tokyo|Nairobi|San Francisco|Berlin|Lima|Mumbai|Sydney|Toronto".split("|");
const LANGUAGES = "French|German|Spanish|Japanese|Italian|Portuguese|Chinese|Arabic|Hindi|Dutch|English".split("|");
const FIELDS = "name|email|date|city|total|quantity|price|status|country|phone|order_id|amount|start_time|unit".split(
  "|",
);
const VERBS = "get|find|book|calculate|search|create|update|send|list|convert|track|cancel".split("|");
const THINGS =
  "weather|flight|restaurant|invoice|calendar_event|stock_price|user|distance|order|currency|playlist|ticket".split(
    "|",
  );
const TECH = "React|PostgreSQL|Docker|TypeScript|Python|Kubernetes|Rust|Django|Spring Boot|Go|Node.js|Terraform".split(
  "|",
);
const SENTENCES = [
  "The meeting was moved to Thursday because two of the speakers could not travel.",
  "Sales rose by 4% in the second quarter, mostly thanks to the new stores in the north.",
  "She has lived in the house for thirty years and knows every neighbour by name.",
  "The company announced on Monday that it will close its oldest factory next spring.",
  "Please find attached the contract, which we ask you to sign and return by Friday.",
  "Researchers say the method halves the time that patients need to recover.",
  "The hotel was clean and quiet, but breakfast ended far too early for us.",
  "Order 48213 was shipped to Maria Keller, 12 Park Street, on 3 May 2024 for 59.90 EUR.",
  "John Smith (john.smith@example.com) called about invoice 2231 and wants a refund of $120.",
  "Our flight was cancelled at the last minute and nobody at the desk could help us.",
];
const FOREIGN = [
  "Können Sie mir bitte erklären, wie ich meinen Vertrag kündigen kann und welche Fristen dabei gelten?",
  "Schreibe bitte eine kurze Zusammenfassung des folgenden Textes und nenne die wichtigsten Punkte.",
  "Quelle est la meilleure façon d'apprendre une langue étrangère quand on travaille à plein temps ?",
  "Pouvez-vous rédiger une lettre de motivation pour un poste de comptable dans une petite entreprise ?",
  "¿Cuáles son los pasos para abrir una cuenta bancaria y qué documentos necesito llevar conmigo?",
  "Escribe un correo para mi jefe en el que le explico por qué no puedo ir mañana a la oficina.",
  "Quali sono i monumenti più importanti di Roma e quanto tempo serve per visitarli tutti?",
  "Você pode me ajudar a planejar uma viagem de duas semanas pelo nordeste do país?",
  "Kun je mij uitleggen hoe ik mijn belastingaangifte moet invullen en wat ik daarvoor nodig heb?",
  "Jak mogę zmienić hasło do swojego konta i co zrobić, jeśli nie pamiętam adresu e-mail?",
  "Как мне поменять пароль и что делать, если я забыл адрес почты?",
  "明日の天気と電車の時間を教えてください。雨は降りますか。",
  "请告诉我怎样办理银行卡,需要带什么材料?",
  "은행 계좌를 열려면 무엇을 준비해야 하나요?",
  "كيف أغير كلمة المرور وماذا أفعل إذا نسيت بريدي؟",
  "कृपया बताइए कि बैंक खाता कैसे खोलें और कौन से कागज़ चाहिए।",
  "กรุณาบอกวิธีเปิดบัญชีธนาคารและเอกสารที่ต้องใช้",
  "Πώς αλλάζω τον κωδικό μου και τι κάνω αν ξέχασα το email;",
];

type Pick = <Thing>(things: readonly Thing[]) => Thing;
type Maker = (pick: Pick, amount: (most: number) => number) => string;

const schema: Maker = (pick, amount) => {
  const fields = Array.from(
    { length: 2 + amount(3) },
    () =>
      `"${pick(FIELDS)}": {"type": "${pick(["string", "integer", "number", "boolean"])}", "description": "The ${pick(FIELDS)} of the ${pick(THINGS)}"}`,
  );
  return `{"name": "${pick(VERBS)}_${pick(THINGS)}", "description": "${pick(VERBS)} a ${pick(THINGS)}", "parameters": {"type": "object", "properties": {${fields.join(", ")}}, "required": ["${pick(FIELDS)}"]}}`;
};

const expression: Maker = (pick, amount) =>
  pick([
    `x + ${amount(9)}`,
    `len(x) - ${amount(5)}`,
    `x.replace('${pick(["a", "e", "o"])}', '${pick(["b", "", "z"])}')`,
    `sorted(x, reverse=True)[${amount(3)}:]`,
    `[i * ${amount(5)} for i in x if i % 2 == 0]`,
    `x.upper().split('${pick([",", " ", "-"])}')`,
    `{k: v for k, v in x.items() if v}`,
    `''.join(reversed(x))`,
    `x.count('${pick(["a", "l", "s"])}')`,
  ]);
const value: Maker = (pick, amount) =>
  pick([
    `'${pick(["hello", "abc,def", "mississippi", "xyz-1"])}'`,
    `[${amount(9)}, ${amount(9)}, ${amount(9)}]`,
    `{'a': ${amount(5)}, 'b': None}`,
    `${amount(99)}`,
    `[]`,
  ]);
const program: Maker = (pick, amount) =>
  `def f(${pick(["x", "text", "nums", "d", "s", "lst", "array", "string"])}${pick(["", ", n", ", value", ", key"])}):\n    ${pick(["ans", "result", "out", "count", "new"])} = ${expression(pick, amount)}\n    ${pick(["for i in range(len(x)):\n        if x[i] == 1:\n            x.pop(i)\n    ", "while len(x) > 2:\n        x = x[1:]\n    ", "if not x:\n        return None\n    ", ""])}return ${expression(pick, amount)}`;

const KINDS: Readonly<Record<string, readonly Maker[]>> = {
  "tool use": [
    (pick, amount) =>
      `You are an expert in composing functions. You are given a question and a set of possible functions.\n[${schema(pick, amount)}, ${schema(pick, amount)}]\n${pick(VERBS)} the ${pick(THINGS)} in ${pick(CITIES)}.`,
    (pick, amount) =>
      `Use the tools below to answer. Tools:\n${schema(pick, amount)}\nUser: Can you ${pick(VERBS)} a ${pick(THINGS)} for ${pick(NAMES)} on ${1 + amount(27)} May?`,
    (pick, amount) =>
      `${pick(["Can you", "Please", "I need you to", "I'd like to"])} ${pick(["book", "find", "get", "check", "reserve"])} ${pick(["a flight to", "the current weather in", "a table for two in", "the price of a hotel in", "the next train to"])} ${pick(CITIES)} ${pick(["tomorrow", "on Friday", "for next week", "right now", `at ${1 + amount(11)} pm`])}.`,
    (pick, amount) =>
      `${pick(VERBS)} the ${pick(THINGS)} with ${pick(FIELDS)} ${amount(900)} and ${pick(FIELDS)} "${pick(CITIES)}" using the ${pick(VERBS)}_${pick(THINGS)} function.`,
  ],
  "code reading": [
    (pick, amount) => `${program(pick, amount)}\n\nWhat is the output of f(${value(pick, amount)})?`,
    (pick, amount) =>
      `You are given a Python function and an assertion containing an input. Complete the assertion with the output.\n\n${program(pick, amount)}\nassert f(${value(pick, amount)}) == ??`,
    (pick, amount) => `${program(pick, amount)}\nassert f(${value(pick, amount)}) ==`,
    (pick, amount) =>
      `Given the following code, what does it return for the input ${value(pick, amount)}? Answer with the value only.\n\`\`\`python\n${program(pick, amount)}\n\`\`\``,
    (pick, amount) => `What will this print?\n\nx = ${value(pick, amount)}\nprint(${expression(pick, amount)})`,
  ],
  "software work": [
    (pick) =>
      `I get an error in my ${pick(TECH)} project: "${pick(["TypeError: cannot read properties of undefined", "connection refused", "module not found", "segmentation fault", "timeout exceeded", "permission denied"])}". How do I fix it?`,
    (pick) =>
      `Refactor this ${pick(TECH)} code so that it is easier to test:\n\`\`\`\nclass Service {\n  constructor(db) { this.db = db; }\n  async load(id) { return await this.db.query("..." + id); }\n}\n\`\`\``,
    (pick) => `How do I set up ${pick(TECH)} with ${pick(TECH)} in a CI pipeline? Show me the configuration file.`,
    (pick) =>
      `Review this pull request for bugs and style: it changes the ${pick(THINGS)} endpoint of our ${pick(TECH)} service to use caching.`,
    (pick) =>
      `Build a ${pick(TECH)} component that shows a list of ${pick(THINGS)}s with a search box, paging and tests.`,
  ],
  "database queries": [
    (pick) =>
      `Write a SQL query that returns the ${pick(FIELDS)} and the sum of ${pick(FIELDS)} by month from the table ${pick(THINGS)}s.`,
    (pick, amount) =>
      `CREATE TABLE ${pick(THINGS)}s (id INT, ${pick(FIELDS)} VARCHAR(50), ${pick(FIELDS)} INT);\nQuestion: Which ${pick(FIELDS)} has more than ${amount(100)} rows? Answer with SQL.`,
  ],
  translation: [
    (pick) => `Translate the following into ${pick(LANGUAGES)}: ${pick(SENTENCES)}`,
    (pick) => `How do you say "${pick(SENTENCES)}" in ${pick(LANGUAGES)}?`,
    (pick) => `Translate to ${pick(LANGUAGES)}:\n\n${pick(FOREIGN)}`,
  ],
  summarising: [
    (pick) =>
      `Summarise the following text in ${pick(["one sentence", "three bullet points", "50 words", "plain language"])}:\n\n${pick(SENTENCES)} ${pick(SENTENCES)} ${pick(SENTENCES)}`,
    (pick) => `${pick(SENTENCES)} ${pick(SENTENCES)} ${pick(SENTENCES)} ${pick(SENTENCES)}\n\nTL;DR`,
    (pick) => `What are the key points of this email? ${pick(SENTENCES)} ${pick(SENTENCES)}`,
  ],
  extraction: [
    (pick) =>
      `Extract the ${pick(FIELDS)}, ${pick(FIELDS)} and ${pick(FIELDS)} from this text as JSON: ${pick(SENTENCES)}`,
    (pick) => `Classify the sentiment of this review as positive, negative or neutral: "${pick(SENTENCES)}"`,
    (pick) => `List all names and dates in the text below in a table.\n${pick(SENTENCES)} ${pick(SENTENCES)}`,
  ],
  writing: [
    (pick) => `Write a ${pick(TONES)} email to ${pick(NAMES)} about ${pick(TOPICS)}.`,
    (pick) =>
      `Write a ${pick(["poem", "short story", "blog post", "speech", "product description", "song", "tweet", "cover letter"])} about ${pick(TOPICS)} in a ${pick(TONES)} tone.`,
    (pick) => `Rewrite this so that it sounds more ${pick(TONES)}: ${pick(SENTENCES)}`,
    (pick) => `Give me ten ${pick(["names", "slogans", "headlines", "ideas"])} for ${pick(TOPICS)}.`,
  ],
  "other languages": [(pick) => pick(FOREIGN), (pick) => `${pick(FOREIGN)} ${pick(FOREIGN)}`],
  "small talk": [
    (pick) =>
      `${pick(["hi", "hello", "hey there", "good morning", "thanks!", "ok great", "hello, how are you", "yes please", "no, that is wrong", "tell me a joke", "who are you?", "are you there", "cool", "continue"])}${pick(["", "", "!", " :)", "."])}`,
    (pick) =>
      `${pick(["hey", "hi", "hello"])} ${pick(NAMES)}, ${pick(["how was your day?", "what's up?", "can we talk?", "nice to meet you"])}`,
  ],
  advice: [
    (pick) =>
      `What should I do about ${pick(TOPICS)}? ${pick(["I feel stuck.", "I don't have much money.", "My friends disagree.", "I have two weeks."])}`,
    (pick, amount) => `Plan a ${2 + amount(6)}-day trip to ${pick(CITIES)} for ${pick(NAMES)}, with a budget.`,
    (pick) => `Explain ${pick(TOPICS)} to a beginner, step by step, and recommend where to start.`,
    (pick) => `What are the pros and cons of ${pick(TOPICS)} compared with ${pick(TOPICS)}?`,
  ],
};

/** How hard the composed requests of each domain are. */
const LEVELS: Readonly<Record<string, Level>> = {
  translation: 1,
  summarising: 1,
  extraction: 1,
  writing: 1,
  "small talk": 0,
};
const USUAL_LEVEL: Level = 2;

/** How many questions of each level are asked about a word. */
const QUESTIONS_PER_WORD = 2;
const LONG_PROMPTS = 1_500;
const MAX_LONG_SENTENCES = 60;
/** How many requests are drawn of each template in another language. */
const PROMPTS_PER_LANGUAGE_TEMPLATE = 32;

export interface SyntheticPrompt {
  readonly domain: string;
  readonly prompt: string;
  /** How hard it is. */
  readonly level: Level;
}

/** The same prompts every time: `each` of each domain's makers, and `eachLevel` of each level of its templates. */
export function syntheticPrompts(each: number, eachLevel: number): SyntheticPrompt[] {
  const random = randomFromSeed(7);
  const amount = (most: number) => Math.floor(random() * (most + 1));
  const pick: Pick = (things) => {
    const thing = things[Math.floor(random() * things.length)];
    if (thing === undefined) throw new Error("There is nothing to pick from.");
    return thing;
  };
  const made = Object.entries(KINDS).flatMap(([domain, makers]) =>
    Array.from({ length: each }, () => ({
      domain,
      prompt: pick(makers)(pick, amount),
      level: LEVELS[domain] ?? USUAL_LEVEL,
    })),
  );
  const templates = [EVERYDAY_TEMPLATES, SHORT_TEMPLATES, EXPERT_TEMPLATES].flatMap((set) => Object.entries(set));
  const filled = templates.flatMap(([domain, levels]) =>
    levels.flatMap(([level, ...templates]) =>
      Array.from({ length: eachLevel }, () => ({ domain, prompt: fillTemplate(pick(templates), pick), level })),
    ),
  );
  const asked = Object.entries(DOMAIN_WORDS).flatMap(([domain, words]) =>
    words.flatMap((word) =>
      ANY_QUESTIONS.flatMap(([level, ...questions]) =>
        Array.from({ length: QUESTIONS_PER_WORD }, () => ({
          domain,
          prompt: pick(questions).replace("{x}", word).replace("{y}", pick(words)),
          level,
        })),
      ),
    ),
  );
  const inOtherLanguages = LANGUAGE_TEMPLATES.flatMap(({ domain, level, text }) =>
    Array.from({ length: PROMPTS_PER_LANGUAGE_TEMPLATE }, () => ({ domain, prompt: fillBrackets(text, pick), level })),
  );
  const long = Array.from({ length: LONG_PROMPTS }, () =>
    longPrompt(pick, 4 + amount(MAX_LONG_SENTENCES), (template) => fillTemplate(template, pick)),
  );
  return [...made, ...filled, ...asked, ...long, ...inOtherLanguages];
}
