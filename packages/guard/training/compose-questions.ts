import { randomFromSeed } from "@trunkline/core/sampling.ts";
import { pick } from "./compose-rows.ts";
import type { Row } from "./rows.ts";

// Harmless questions in many languages, introduced as people introduce them: most attacks in these languages begin with
// an order to the assistant, and few harmless public texts do.

/** By language: how a question is introduced, and what may follow it. */
const FRAMES: Readonly<Record<string, { readonly before: string; readonly after: string }>> = {
  en: {
    before:
      "Please answer the following question:|Answer this question:|I have a question:|Please tell me:|Please explain briefly:|Next question:",
    after: "|| Answer in one sentence.| Please give only the answer.| Name your source.",
  },
  de: {
    before:
      "Bitte beantworte die folgende Frage:|Beantworte diese Frage:|Ich habe eine Frage:|Sagen Sie mir bitte:|Erkläre mir kurz:|Nächste Frage:",
    after: "|| Antworte in einem Satz.| Bitte nur die Antwort.| Nenne deine Quelle.",
  },
  es: {
    before:
      "Por favor, contesta a esta pregunta:|Responde a la pregunta siguiente:|Tengo una pregunta:|Dime, por favor:|Explícame brevemente:|Otra pregunta:",
    after: "|| Contesta en una frase.| Solo la respuesta, por favor.| Indica la fuente.",
  },
  ro: {
    before:
      "Te rog să răspunzi la întrebarea următoare:|Răspunde la această întrebare:|Am o întrebare:|Spune-mi, te rog:|Explică-mi pe scurt:",
    after: "|| Răspunde într-o propoziție.| Doar răspunsul, te rog.",
  },
  el: {
    before:
      "Παρακαλώ απάντησε στην παρακάτω ερώτηση:|Απάντησε σε αυτή την ερώτηση:|Έχω μια ερώτηση:|Πες μου, παρακαλώ:|Εξήγησέ μου σύντομα:",
    after: "|| Απάντησε με μία πρόταση.| Μόνο την απάντηση, παρακαλώ.",
  },
  ru: {
    before:
      "Пожалуйста, ответь на следующий вопрос:|Ответьте на этот вопрос:|У меня вопрос:|Скажите, пожалуйста:|Объясни коротко:|Следующий вопрос:",
    after: "|| Ответь одним предложением.| Только ответ, пожалуйста.",
  },
  tr: {
    before:
      "Lütfen aşağıdaki soruyu cevapla:|Bu soruyu cevaplayın:|Bir sorum var:|Lütfen söyle:|Kısaca açıkla:|Sıradaki soru:",
    after: "|| Tek cümleyle cevap ver.| Sadece cevabı yaz, lütfen.",
  },
  ar: {
    before: "من فضلك أجب عن السؤال الآتي:|أجب عن هذا السؤال:|لدي سؤال:|أخبرني من فضلك:|اشرح لي باختصار:|السؤال التالي:",
    after: "|| أجب في جملة واحدة.| الجواب فقط من فضلك.",
  },
  hi: {
    before: "कृपया नीचे दिए गए प्रश्न का उत्तर दें:|इस सवाल का जवाब दीजिए:|मेरा एक सवाल है:|कृपया बताइए:|संक्षेप में समझाइए:",
    after: "|| एक वाक्य में उत्तर दें।| केवल उत्तर दें।",
  },
  vi: {
    before:
      "Vui lòng trả lời câu hỏi sau:|Hãy trả lời câu hỏi này:|Tôi có một câu hỏi:|Cho tôi biết:|Giải thích ngắn gọn:",
    after: "|| Trả lời trong một câu.| Chỉ cần câu trả lời thôi.",
  },
  th: {
    before: "กรุณาตอบคำถามต่อไปนี้:|ช่วยตอบคำถามนี้:|ฉันมีคำถาม:|ช่วยบอกหน่อย:|อธิบายสั้น ๆ:",
    after: "|| ตอบในหนึ่งประโยค| ขอแค่คำตอบ",
  },
  zh: {
    before: "请回答下面的问题：|回答这个问题：|我有一个问题：|请告诉我：|请简要说明：|下一个问题：",
    after: "||请用一句话回答。|只要答案就好。",
  },
};
const QUESTIONS_PER_LANGUAGE = 60;

/** Questions of the public rows, each with an introduction in its language. */
export function composeIntroducedQuestions(rows: readonly Row[], seed: number): Row[] {
  const random = randomFromSeed(seed);
  return Object.entries(FRAMES).flatMap(([language, { before, after }]) => {
    const questions = rows.filter(({ category }) => category === `xquad_question/${language}`);
    if (questions.length === 0) return [];
    const gap = language === "zh" ? "" : " ";
    return Array.from({ length: QUESTIONS_PER_LANGUAGE }, (): Row => {
      const { text } = pick(questions, random);
      return {
        text: `${pick(before.split("|"), random)}${gap}${text}${pick(after.split("|"), random)}`,
        label: "benign",
        category: "structured",
        source: "ours: requests",
        channel: "user",
      };
    });
  });
}
