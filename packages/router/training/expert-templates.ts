import type { Templates } from "./template-phrases.ts";

/**
 * Requests of people at work, in few words or with a greeting around them. Their numbers are doses, versions and sizes,
 * which ask for no sum.
 */
export const EXPERT_TEMPLATES: Templates = {
  health: [
    [
      1,
      "can I eat {food} when pregnant?",
      "pregnant: how much {food} may I eat?",
      "how long should I cook {food} for a pregnant woman?",
      "Is {food} bad for a baby?",
      "how much water should I drink per day?",
    ],
    [1, "when does a newborn sleep through the night?", "is it ok to take {drug} with coffee?"],
    [
      3,
      "{age} on {drug}, {lab}, now {finding}. Which {clinical}?",
      "{age}, {finding}, {lab}, {lab}: {clinical}?",
      "{lab}, {finding}, on {drug} + {drug}. {clinical}?",
      "Pt with {condition}, {lab}, {lab}. Start {drug} or {drug}?",
      "{drug} level {number}, {lab}, {finding}: hold, reduce or switch?",
    ],
    [
      4,
      "{age} with {condition} and {finding}, {lab}, {lab}, vitals {number}/{number}: {clinical}?",
      "{finding} on day {number} after {surgery}, {lab}, {lab}, {drug} running. {clinical}?",
      "{age}, pregnant, {lab}, {finding}: {clinical}?",
    ],
  ],
  "software work": [
    [
      2,
      "{infra} {infrafault}, {number} % {resource} free",
      "{infra} {infrafault} after the update from {small} to {number}",
      "{runtime} {number}: {infrafault}, any ideas?",
      "{infra} uses {number} GB with {small} replicas. Why?",
    ],
    [
      3,
      "{raretrouble} in {runtime} {number} since we have {condition2}. The {dumps} point to {suspect}; what next?",
      "{infra}: query plans changed from {small} to {number}, {number} million rows, {suspect}. How do I find the cause?",
      "why is {atomic} slower than {atomic} on {chip}?",
      "{concurrencybug} in my {poolthing}, {chip}, no {atomic}. Options?",
      "{raretrouble} under load, {number} threads in {suspect}. What is the right fix?",
    ],
    [
      3,
      "How do we bring {number} colleagues from {oldit} to {newit} by May? Make the schedule, with a fallback",
      "Plan how we replace {oldit} by {newit} for {number} users at {small} sites, with owners and a way back",
    ],
    [
      4,
      "{atomic} on {chip}: which reorderings does the formal memory model allow with {concurrencybug}s, and why?",
      "Take our {oldit} apart into services while it runs, with schemas and an order of steps",
    ],
  ],
  "computer science": [
    [
      4,
      "How are {complexity} and {complexity} related?",
      "is {complexity} in {complexity}?",
      "what follows if {complexity} = {complexity}?",
    ],
  ],
  maths: [
    [
      4,
      "{openproblem}: proof or counterexample",
      "settle {openproblem}",
      "Prove {hardtheorem} rigorously, with every construction",
      "Give a complete and rigorous proof of {hardtheorem}",
      "{politely} show {openproblem}{politeend}",
      "is every {hardobject} {hardproperty}?",
      "{politely} prove {hardtheorem}{politeend}",
      "quick question :) can you prove {hardtheorem}? thank you!",
    ],
  ],
  "competition maths": [
    [
      3,
      "{number} bidders bid for {small} lots and {small} of them collude. Find the equilibrium of the auction.",
      "{number} prisoners and {small} lamps: find the best strategy and prove that it is optimal.",
      "Rook and pawn against rook, Ke{small} Ra{small} d5 and Kg{small} Rb{small}: is it a draw, and why?",
    ],
  ],
  business: [
    [
      4,
      "How should {operator} expand by {number} % until 2040? Sequence, regulation, risks, and a model for the decision",
      "Make a plan for {operator} under uncertain demand, with {number} scenarios and real options",
    ],
  ],
  law: [
    [
      4,
      "{legaldoctrine}: does {legalcase} count? {state} vs {state}.",
      "Does {legaldoctrine} apply to {legalcase}? Majority and minority view, with cases.",
      "How is {legalcase} taxed in {state} and {country}, and how do the treaty and {legaldoctrine} interact?",
    ],
  ],
  writing: [
    [1, "paint me {nature}", "a photo of {plainthing} please", "correct my spelling: {sentence}"],
    [1, "{number} {ideas} for a {shop}", "{small} {ideas} for {topic}, please"],
    [
      3,
      "Write a {strictpoem} about my {relative}, {tone} and without stock phrases",
      "A {strictpoem} on {nature}, {tone}",
    ],
  ],
};
