import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cosineSimilarity, embedText } from "./embed-text.ts";

const likeness = (one: string, other: string, dimensions = 256) =>
  cosineSimilarity(embedText(one, dimensions), embedText(other, dimensions));

describe("embedText", () => {
  it.each([
    ["How do I reset my password?", "How can I reset my password?"],
    ["How do I reset my password?", "how do i reset my passwords"],
    ["The invoice from March is missing in my account.", "In my account the invoice from March is missing."],
    ["Wie kündige ich meinen Vertrag?", "Wie kann ich meinen Vertrag kündigen?"],
    ["Comment puis-je réinitialiser mon mot de passe ?", "Comment reinitialiser mon mot de passe ?"],
    ["¿Cuánto cuesta el envío a Canadá?", "¿Cuanto cuesta un envío a Canadá?"],
    ["Как мне сбросить пароль?", "Как сбросить мой пароль?"],
    ["如何重置我的密码？", "怎么重置我的密码？"],
    ["パスワードをリセットする方法は？", "パスワードのリセット方法を教えて"],
    ["비밀번호를 어떻게 재설정하나요?", "비밀번호 재설정은 어떻게 하나요?"],
    ["كيف يمكنني إعادة تعيين كلمة المرور؟", "كيف أعيد تعيين كلمة المرور؟"],
    ["मैं अपना पासवर्ड कैसे बदलूँ?", "अपना पासवर्ड कैसे बदलें?"],
  ])("puts %j close to %j", (one, other) => {
    expect(likeness(one, other)).toBeGreaterThan(0.5);
  });

  it.each([
    ["How do I reset my password?", "The weather in Lisbon will be sunny tomorrow."],
    ["The invoice from March is missing in my account.", "Whales sleep with one half of their brain."],
    ["Wie kündige ich meinen Vertrag?", "Das Fahrrad steht hinter der Scheune."],
    ["Comment puis-je réinitialiser mon mot de passe ?", "Le chat dort sur le canapé du salon."],
    ["Как мне сбросить пароль?", "Завтра в горах выпадет первый снег."],
    ["如何重置我的密码？", "明天北京会下雪吗"],
    ["パスワードをリセットする方法は？", "明日の東京の天気"],
    ["비밀번호를 어떻게 재설정하나요?", "내일 서울에 눈이 옵니다"],
    ["How do I reset my password?", "如何重置我的密码？"],
  ])("puts %j far from %j", (one, other) => {
    expect(likeness(one, other)).toBeLessThan(0.25);
  });

  it("ignores case, accents and character width", () => {
    expect(embedText("Crème Brûlée", 256)).toEqual(embedText("creme brulee", 256));
    expect(embedText("ＡＢＣ", 64)).toEqual(embedText("abc", 64));
    expect(likeness("Straße", "Straße")).toBeCloseTo(1, 5);
  });

  it("considers the order of words a little", () => {
    const turned = likeness("the dog bites the postman", "the postman bites the dog");
    expect(turned).toBeGreaterThan(0.7);
    expect(turned).toBeLessThan(0.99);
  });

  it("gives the same vector in every release", () => {
    const point = embedText("The quick brown fox", 8);
    expect(Array.from(point, (value) => Math.round(value * 1000))).toEqual([48, -358, 773, -210, -87, -294, -363, 48]);
  });

  it("returns a vector of the given dimensions and of length 1", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 1024 }),
        (text, dimensions) => {
          const point = embedText(text, dimensions);
          expect(point).toHaveLength(dimensions);
          expect(cosineSimilarity(point, point)).toBeCloseTo(1, 4);
        },
      ),
    );
  });

  it("represents a text of symbols by its characters, and an empty text by zero", () => {
    expect(likeness("🙂🙂", "🙂🙂")).toBeCloseTo(1, 5);
    expect(likeness("!?", "🙂")).toBeLessThan(0.5);
    expect(embedText("", 4)).toEqual(new Float32Array(4));
  });
});
