import { buildPattern, type Rule } from "./rule-matcher.ts";

const raw = String.raw;

/** "Ignore the instructions above" in other languages. Normalised text has no accents. */
function dismissalRule(language: string, anchors: readonly string[], weight: number, source: string): Rule {
  return {
    name: `dismiss-earlier-orders-${language}`,
    categories: ["injection"],
    weight,
    anchors,
    pattern: buildPattern(source),
    quotable: true,
  };
}

/**
 * For each language a pattern that names instructions, which is clear evidence, and one that only names earlier text,
 * which is not.
 */
export const MULTILINGUAL_INJECTION_RULES: readonly Rule[] = [
  dismissalRule(
    "de",
    ["ignorier", "vergiss", "vergesst", "vergessen sie", "missacht", "beachte nicht"],
    0.88,
    raw`\b(?:ignorier(?:e|en|t)?|vergiss|vergesst|vergessen sie|missachte[nt]?|beachte nicht)\b[^.!?]{0,20}\b(?:alle|deine|ihre|vorherige|obige|oben|bisherige|vorige|fruhere|ursprungliche|vorangegangene)[nrs]?\b[^.!?]{0,24}\b(?:anweisung(?:en)?|instruktion(?:en)?|befehle|vorgaben|systemprompt)\b`,
  ),
  dismissalRule(
    "de-said",
    ["ignorier", "vergiss", "vergesst", "vergessen sie"],
    0.65,
    raw`\b(?:ignorier(?:e|en|t)?|vergiss|vergesst|vergessen sie)\b[^.!?]{0,24}\b(?:obige[nrs]?|oben genannte[nrs]?|oben|vorherige[nrs]?|vorige[nrs]?|bisherige[nrs]?|vorangegangene[nrs]?)\b`,
  ),
  dismissalRule(
    "fr",
    ["ignor", "oubli", "pas compte", "neglige"],
    0.88,
    raw`\b(?:ignor(?:e|ez|er|ons)|oubli(?:e|ez|er)|ne (?:tiens|tenez|tiens plus) (?:pas )?compte|neglige[rz]?)\b[^.!?]{0,24}\b(?:instructions|consignes|directives)\b[^.!?]{0,24}\b(?:precedentes?|ci-dessus|anterieures?|initiales?|donnees|systeme|recues)|\b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er))\s(?:toutes (?:les|tes|vos)|tes|vos)\s(?:\w{1,14} )?(?:instructions|consignes|directives)\b`,
  ),
  dismissalRule(
    "fr-said",
    ["ignor", "oubli", "pas compte"],
    0.65,
    raw`\b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|ne (?:tiens|tenez) pas compte)\b[^.!?]{0,32}\b(?:ci-dessus|precedente?s?|qui precede)\b`,
  ),
  dismissalRule(
    "es",
    ["ignor", "olvid", "no sigas", "caso omiso"],
    0.88,
    raw`\b(?:ignor(?:a|e|ar|en)|olvid(?:a|e|ar|en|ate de)|no sigas|haz caso omiso)\b[^.!?]{0,24}\b(?:instrucciones|indicaciones|ordenes|directrices)\b[^.!?]{0,16}\b(?:anteriores|previas|de arriba|iniciales|dadas|del sistema)|\b(?:ignor(?:a|e|ar|en)|olvid(?:a|e|ar))\s(?:todas (?:las|tus|sus)|tus)\s(?:\w{1,14} )?(?:instrucciones|indicaciones|directrices)\b`,
  ),
  dismissalRule(
    "es-said",
    ["ignor", "olvid", "caso omiso"],
    0.65,
    raw`\b(?:ignor(?:a|e|ar|en)|olvid(?:a|e|ar|en)|haz caso omiso)\b[^.!?]{0,32}\b(?:anterior(?:es)?|de arriba|previ[ao]s?)\b`,
  ),
  dismissalRule(
    "pt",
    ["ignor", "esquec", "desconsider"],
    0.88,
    raw`\b(?:ignor(?:e|a|ar|em)|esquec(?:a|e|er|am)|desconsider(?:e|a|ar|em))\b[^.!?]{0,24}\b(?:instrucoes|ordens|diretrizes|comandos)\b[^.!?]{0,16}\b(?:anteriores|previas|acima|iniciais|dadas|do sistema)|\b(?:ignor(?:e|a|ar)|esquec(?:a|e|er))\s(?:todas as|suas|tuas)\s(?:\w{1,14} )?(?:instrucoes|ordens|diretrizes)\b`,
  ),
  dismissalRule(
    "it",
    ["ignor", "dimentic", "trascur", "non seguire"],
    0.88,
    raw`\b(?:ignor(?:a|i|are|ate)|dimentic(?:a|hi|are|ate)|trascur(?:a|i|are|ate)|non seguire)\b[^.!?]{0,24}\b(?:istruzioni|indicazioni|ordini|direttive)\b[^.!?]{0,16}\b(?:precedenti|sopra|iniziali|date|di sistema)|\b(?:ignor(?:a|i|are)|dimentic(?:a|hi|are))\s(?:tutte le|le tue)\s(?:\w{1,14} )?(?:istruzioni|indicazioni|direttive)\b`,
  ),
  dismissalRule(
    "zh",
    ["忽略", "无视", "無視", "忘记", "忘記", "忽视", "不要理会"],
    0.88,
    raw`(?:忽略|无视|無視|忘记|忘記|忽视|不要理会)[^。!?]{0,10}(?:以上|上述|上面|之前|前面|先前|所有|以前|此前)[^。!?]{0,8}(?:指令|指示|命令|提示词|提示詞|规则|規則|要求|设定|設定)`,
  ),
  dismissalRule(
    "zh-said",
    ["忽略", "无视", "無視", "忘记", "忘記", "忽视"],
    0.65,
    raw`(?:忽略|无视|無視|忘记|忘記|忽视)[^。!?]{0,6}(?:以上|上述|上面|之前|前面|先前)`,
  ),
  dismissalRule(
    "ru",
    ["игнориру", "забудь", "не обращай", "не следуй"],
    0.88,
    raw`(?:игнориру[йи](?:те)?|забудь(?:те)?|не обращай(?:те)? внимания|не следуй(?:те)?)[^.!?]{0,16}(?:вс[её]|предыдущ|прежн|выше|сво[ийю]|ранее|изначальн)[^.!?]{0,24}(?:инструкци|указани|команд[ыу]|директив|распоряжени)`,
  ),
  dismissalRule(
    "ru-said",
    ["игнориру", "забудь", "не обращай"],
    0.65,
    raw`(?:игнориру[йи](?:те)?|забудь(?:те)?|не обращай(?:те)? внимания)[^.!?]{0,24}(?:выше|предыдущ|ранее|вс[её] сказанное)`,
  ),
  dismissalRule(
    "ja",
    ["無視", "忘れ"],
    0.88,
    raw`(?:以前|以上|上記|上の|前の|これまで|先ほど|今まで|すべて)[^。!?]{0,8}(?:指示|命令|プロンプト|ルール|指令)[^。!?]{0,6}(?:無視|忘れ)`,
  ),
  dismissalRule(
    "ja-said",
    ["無視", "忘れ"],
    0.65,
    raw`(?:以上|上記|上の|前の|これまで|先ほど)[^。!?]{0,12}(?:無視して|忘れて|無視し)`,
  ),
  {
    // Too common to count alone; after a dismissal it is the other half of the attack.
    name: "dictate-the-answer",
    categories: ["injection"],
    weight: 0.45,
    anchors: ["direct", "direkt", "einfach", "simple", "solo", "直接", "прямо", "напрямую", "просто", "direttamente"],
    pattern: buildPattern(
      raw`\b(?:escrib|gener|imprim|respond|dig|muestr|ingres|introdu|affich|repond|ecriv|sort|saisi|dites|scriv|stamp|rispond)\w{0,8} (?:directamente|simplemente|solo|directement|simplement|direttamente|diretamente)\b`,
      raw`|\b(?:geben sie|gib|schreib\w{0,5}|antwort\w{0,4}|sagen sie|sag)\b[^.!?]{0,12}\b(?:direkt|einfach|nur)\b`,
      raw`|直接(?:输出|輸出|回答|复述|打印|出力|入力|言|書)`,
      raw`|(?:выве|напиш|введи|скажи|ответь)[а-я]{0,6} [^.!?]{0,8}(?:прямо|напрямую|просто|сразу)`,
    ),
  },
];
