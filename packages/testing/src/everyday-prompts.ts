/** A prompt as people write them, with what it is about and how hard it is as a person sees it. */
export interface EverydayPrompt {
  readonly prompt: string;
  /** Prompts of one kind are compared by their difficulty. */
  readonly kind: "talk" | "facts" | "writing" | "language" | "code" | "maths" | "knowledge" | "advice";
  /** 0: anybody can; 1: easy; 2: ordinary; 3: demanding; 4: for experts. */
  readonly difficulty: 0 | 1 | 2 | 3 | 4;
  /** The domains that a person would accept. */
  readonly domains: readonly string[];
}

const CODE = ["short programs", "code completion", "software work", "code reading"];
const MATHS = ["maths", "grade-school maths", "competition maths"];
const FACTS = ["facts", "trivia", "general knowledge"];

type Row = readonly [EverydayPrompt["difficulty"], string, ...string[]];

const ROWS: Readonly<Record<EverydayPrompt["kind"], readonly Row[]>> = {
  talk: [
    [0, "hi there!", "small talk"],
    [0, "thanks, that helped a lot", "small talk"],
    [0, "how's it going today?", "small talk"],
    [0, "lol ok never mind", "small talk"],
  ],
  facts: [
    [0, "What's the capital of France?", ...FACTS, "society"],
    [0, "How many days are there in a leap year?", ...FACTS, "grade-school maths"],
    [0, "Who painted the Mona Lisa?", ...FACTS, "history"],
    [0, "When did the Berlin Wall come down?", ...FACTS, "history"],
    [1, "How tall is Mount Kilimanjaro and which country is it in?", ...FACTS, "society"],
    [1, "What year did the first iPhone come out?", ...FACTS],
  ],
  writing: [
    [1, "Write a haiku about autumn rain.", "writing"],
    [1, "Write a birthday message for my sister, she turns 30", "writing"],
    [1, "Draft a polite email asking my boss for Friday off.", "writing"],
    [2, "Write a toast for my best friend's wedding, funny but not embarrassing, about two minutes long.", "writing"],
    [
      2,
      "Rewrite my LinkedIn summary so it sounds less boring: I am an accountant with ten years of experience.",
      "writing",
    ],
    [
      3,
      "Write a sonnet in strict iambic pentameter about a lighthouse keeper, where the first letters of the lines spell a hidden sentence.",
      "writing",
    ],
    [
      3,
      "Write the opening chapter of a noir novel set in Lisbon with an unreliable narrator and three intertwined plot lines.",
      "writing",
    ],
  ],
  language: [
    [0, "How do you say thank you in Japanese?", "translation"],
    [1, "Translate 'Where is the train station?' into Spanish.", "translation"],
    [
      1,
      "Summarise this in one sentence: The council voted on Tuesday to close the old bridge for repairs. Drivers will need another route until June.",
      "summarising",
    ],
    [
      1,
      "Pull out all the email addresses from this text: write to ann@shop.example or call Bob, bob@firm.example, before noon.",
      "extraction",
    ],
    [
      2,
      "Is this customer happy or angry? 'I waited three weeks and the box came empty, well done everyone.'",
      "extraction",
    ],
    [
      3,
      "Translate this clause of a German court ruling into English and keep every legal term exact: Die Berufung wird zurückgewiesen.",
      "translation",
    ],
  ],
  code: [
    [1, "Write a Python function that reverses a string.", ...CODE],
    [1, "fizzbuzz in javascript please", ...CODE],
    [1, "How do I center a div with CSS?", ...CODE],
    [1, "git: undo my last commit but keep the changes", ...CODE],
    [2, "Why does my React useEffect run twice?", ...CODE],
    [
      2,
      "Write a SQL query for the ten customers with the highest total orders last year.",
      "database queries",
      ...CODE,
    ],
    [2, "My docker container exits immediately with code 137, what does that mean?", ...CODE],
    [3, "Write a parser in Rust for arithmetic expressions with operator precedence and error recovery.", ...CODE],
    [
      3,
      "Design a database schema for a multi-tenant billing system with row-level security and usage-based pricing.",
      "database queries",
      ...CODE,
    ],
    [4, "Implement a lock-free multi-producer multi-consumer queue in C++ with hazard pointers.", ...CODE],
    [
      4,
      "Find the race condition in our distributed lock on Redis and prove that your fix is linearizable under network partitions.",
      ...CODE,
      "computer science",
    ],
  ],
  maths: [
    [1, "What is 17 times 23?", ...MATHS],
    [1, "If a shirt costs $40 and is 25% off, what do I pay?", ...MATHS],
    [1, "Solve 2x + 5 = 17", ...MATHS],
    [2, "What is the probability of rolling at least one six in four throws of a die?", ...MATHS],
    [2, "Compute the integral of x^2 e^x dx.", ...MATHS],
    [3, "Prove that the square root of 2 is irrational and extend the proof to every prime.", ...MATHS],
    [4, "Prove that there are infinitely many primes of the form 4k+3, without Dirichlet's theorem.", ...MATHS],
    [4, "Find all functions f from the reals to the reals with f(x + f(y)) = f(x) + y for all x and y.", ...MATHS],
  ],
  knowledge: [
    [1, "Why is the sky blue?", "physics", ...FACTS, "school science", "elementary science"],
    [1, "Explain photosynthesis to a ten-year-old", "biology", "school science", "elementary science", "advice"],
    [1, "What are the symptoms of a cold?", "health"],
    [2, "My landlord won't return my deposit. What can I do?", "law", "advice"],
    [2, "What caused the First World War?", "history", ...FACTS],
    [2, "Compare Kant and Mill on lying.", "philosophy", "moral judgement"],
    [
      3,
      "Can I take ibuprofen together with warfarin, and what are the risks of the interaction with chronic kidney disease?",
      "health",
    ],
    [
      3,
      "Explain Gödel's incompleteness theorems rigorously, and why the diagonal argument works.",
      "maths",
      "philosophy",
      "competition maths",
      "computer science",
      "graduate science",
    ],
    [
      4,
      "Derive the Hawking temperature of a Kerr black hole from the surface gravity and discuss the extremal limit.",
      "physics",
      "graduate science",
    ],
  ],
  advice: [
    [1, "What can I cook tonight with eggs, spinach and rice?", "advice"],
    [1, "Should I learn the piano or the guitar?", "advice"],
    [2, "Plan a week in Japan for a family with two small children.", "advice"],
    [2, "How do I ask for a raise when my company is not doing well?", "advice", "business"],
  ],
};

export const EVERYDAY_PROMPTS: readonly EverydayPrompt[] = Object.entries(ROWS).flatMap(([kind, rows]) =>
  rows.map(([difficulty, prompt, ...domains]) => ({
    prompt,
    kind: kind as EverydayPrompt["kind"],
    difficulty,
    domains,
  })),
);
