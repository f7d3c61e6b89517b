import { conversationOf } from "@trunkline/core/conversation.ts";
import { sampleInference } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { readRouterWeights } from "./bundled-weights.ts";
import { QualityPredictor } from "./quality-predictor.ts";

const predictor = new QualityPredictor(readRouterWeights());
const readingOf = (text: string) => predictor.extractFeatures(sampleInference({ conversation: conversationOf(text) }));

describe("the difficulty of a request in another language", () => {
  it.each([
    ["Beweise den Satz von Rolle ausführlich.", "Wie heißt die Hauptstadt von Dänemark?"],
    ["Démontrez le théorème de Rolle en détail.", "Quelle est la capitale du Danemark ?"],
    ["Demuestra con detalle el teorema de Rolle.", "¿Cuál es la capital de Dinamarca?"],
    ["Dimostra in dettaglio il teorema di Rolle.", "Qual è la capitale della Danimarca?"],
    ["Udowodnij szczegółowo twierdzenie Rolle'a.", "Jaka jest stolica Danii?"],
    ["Rolle teoremini ayrıntılı olarak kanıtla.", "Danimarka'nın başkenti neresi?"],
    ["Докажи теорему Ролля во всех подробностях.", "Какая столица Дании?"],
    ["أثبت مبرهنة رول بدقة", "ما هي عاصمة الدنمارك؟"],
    ["रोल प्रमेय सिद्ध कीजिए", "डेनमार्क की राजधानी क्या है?"],
    ["롤의 정리를 엄밀하게 증명하라", "덴마크의 수도는 어디야?"],
    ["严格证明罗尔定理。", "丹麦的首都是哪里?"],
    ["ロルの定理を厳密に証明してください。", "デンマークの首都はどこですか?"],
  ])("tells %j from %j", (hard, easy) => {
    expect(readingOf(hard).difficulty).toBeGreaterThan(readingOf(easy).difficulty + 0.1);
    expect(readingOf(easy).difficulty).toBeLessThan(0.1);
  });

  it("is not sure of its kind where it knows no word", () => {
    expect(readingOf("ბოდიში, რომელ საათზე იხურება ბიბლიოთეკა?").confidence).toBeLessThan(0.8);
  });

  it("does not change with the typeface of its signs", () => {
    expect(readingOf("What’s the “capital” of Chile？")).toEqual({
      ...readingOf('What\'s the "capital" of Chile?'),
    });
  });
});

describe("the difficulty of a short request by an expert", () => {
  it.each([
    ["80F, K 7.1, broad QRS, on ramipril + spironolactone: next steps?", "health"],
    ["hi! quick one, could you please prove the Riesz representation theorem? thanks :)", "maths"],
    ["is BQP in PH?", "computer science"],
  ])("is not that of a trifle: %j", (text, domain) => {
    expect(readingOf(text).difficulty).toBeGreaterThan(0.2);
    expect(readingOf(text).domain).toBe(domain);
  });

  it("does not make arithmetic of the numbers in a fault", () => {
    expect(readingOf("Redis 7 uses 80 % of its memory after the update from 6 and evicts keys").family).toBe(
      "software",
    );
  });
});

describe("the difficulty of a request about a pasted text", () => {
  const NOTICE =
    "The residents of Mill Lane are asked to keep the yard clear on 3 June. Painters will work on the front of numbers 4 to 12.\n\n" +
    "Bicycles may stand in the cellar meanwhile; the caretaker, Mr Ode, has the key. Bins are emptied on Tuesday.\n\n";

  it.each(["Summarise this in two sentences:", "Fasse das kurz zusammen:", "Who has the key?"])(
    "is that of the request, however long the text is: %j",
    (request) => {
      for (const copies of [3, 12, 30]) {
        expect(readingOf(`${request}\n\n${NOTICE.repeat(copies)}`).difficulty).toBeLessThan(0.2);
        expect(readingOf(`${NOTICE.repeat(copies)}${request}`).difficulty).toBeLessThan(0.25);
      }
    },
  );

  it("is high where the request is hard", () => {
    const proof = "Prove that the schedule below is optimal under every order of arrival, or give a counterexample:";
    expect(readingOf(`${proof}\n\n${NOTICE.repeat(8)}`).difficulty).toBeGreaterThan(0.3);
  });
});
