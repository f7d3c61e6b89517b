import { describe, expect, it } from "vitest";
import { detectLanguage } from "./detect-language.ts";

describe("detectLanguage", () => {
  it.each([
    ["English", "The committee will meet again on Monday to discuss what should be done about the bridge."],
    ["German", "Der Ausschuss trifft sich am Montag wieder, um zu besprechen, was mit der Brücke geschehen soll."],
    ["French", "Le comité se réunira de nouveau lundi pour discuter de ce qui doit être fait avec le pont."],
    ["Spanish", "El comité se reunirá de nuevo el lunes para discutir lo que se debe hacer con el puente."],
    ["Italian", "Il comitato si riunirà di nuovo lunedì per discutere di che cosa fare con il ponte della città."],
    ["Portuguese", "O comitê vai se reunir novamente na segunda-feira para discutir o que deve ser feito com a ponte."],
    ["Dutch", "De commissie komt maandag weer bijeen om te bespreken wat er met de brug moet gebeuren."],
    ["Swedish", "Kommittén träffas igen på måndag för att diskutera vad som ska göras med bron över ån."],
    ["Danish", "Udvalget mødes igen på mandag for at drøfte, hvad der skal ske med broen, og hvad det vil koste."],
    ["Norwegian", "Komiteen møtes igjen på mandag for å diskutere hva som bør gjøres med broen, og hva det vil koste."],
    ["Polish", "Komisja spotka się ponownie w poniedziałek, aby omówić, co należy zrobić z mostem na rzece."],
    ["Turkish", "Komite, köprü ile ilgili ne yapılması gerektiğini görüşmek için pazartesi günü bir daha toplanacak."],
    ["Russian", "Комитет снова соберётся в понедельник, чтобы обсудить, что делать с мостом."],
    ["Ukrainian", "Комітет знову збереться в понеділок, щоб обговорити, що робити з мостом."],
    ["Greek", "Η επιτροπή θα συνεδριάσει ξανά τη Δευτέρα."],
    ["Hebrew", "הוועדה תיפגש שוב ביום שני."],
    ["Arabic", "ستجتمع اللجنة مرة أخرى يوم الاثنين."],
    ["Hindi", "समिति सोमवार को फिर मिलेगी।"],
    ["Thai", "คณะกรรมการจะประชุมอีกครั้งในวันจันทร์"],
    ["Chinese", "委员会将于星期一再次开会讨论这座桥。"],
    ["Japanese", "委員会は月曜日に再び会議を開き、橋について話し合います。"],
    ["Korean", "위원회는 월요일에 다시 회의를 열 것입니다."],
  ])("%s", (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  it.each(["", "12345 !!!", "Bonjour", "Xyzzy plugh frobnicate quux", "Ottawa Nairobi Lima Oslo Quito"])(
    "is not certain about %j",
    (text) => {
      expect(detectLanguage(text)).toBeUndefined();
    },
  );
});
