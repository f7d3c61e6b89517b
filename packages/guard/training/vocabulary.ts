import { readFile } from "node:fs/promises";
import { isObject } from "@trunkline/core/json-object.ts";
import { CUE_CATEGORIES_START, LEXICON_CATEGORIES } from "../src/classifier/dense-features.ts";
import { hashWord, hashWordPair, setBit, wordBucket } from "../src/classifier/feature-hashing.ts";
import { FEATURE_BUCKETS } from "../src/classifier/feature-scanner.ts";
import type { Vocabulary } from "../src/classifier/word-sums.ts";
import type { Row } from "./rows.ts";

/** A word is familiar if this many texts of at least two sources contain it. */
const FAMILIAR_TEXTS_MIN = 3;
const LEXICON_SIZE = 8192;

/** The categories of the word list, in feature order; each is split by severity. */
const PROFANITY_CATEGORIES = [
  "sexual anatomy / sexual acts",
  "bodily fluids / excrement",
  "racial / ethnic slurs",
  "sexual orientation / gender",
  "religious offense",
  "mental disability",
  "other / general insult",
];
/** The categories of our own words. */
const OWN_CATEGORIES = ["sexual", "violence", "self_harm", "hate", "harassment"];

export async function buildVocabulary(rows: readonly Row[], resources: string, seeds: string): Promise<Vocabulary> {
  const terms = new Map<number, number>();
  for (const [term, kind] of await readProfanity(`${resources}/profanity_en.csv`)) addTerm(terms, term, kind);
  for (const [term, kind] of await readWords(`${seeds}/harm/words.jsonl`)) addTerm(terms, term, kind);
  Object.values(CUE_WORDS).forEach((words, kind) => {
    for (const word of words.split(" ")) addTerm(terms, word, CUE_CATEGORIES_START + kind);
  });
  const lexicon = new Int32Array(LEXICON_SIZE);
  const lexiconCategories = new Uint8Array(LEXICON_SIZE);
  for (const [hash, kind] of terms) {
    let at = hash & (LEXICON_SIZE - 1);
    while (lexicon[at] !== 0) at = (at + 1) & (LEXICON_SIZE - 1);
    lexicon[at] = hash;
    lexiconCategories[at] = kind;
  }
  return { familiar: familiarWords(rows), lexicon, lexiconCategories };
}

/** Terms of one or two words; longer ones are covered by rules. */
function addTerm(terms: Map<number, number>, term: string, kind: number): void {
  const words = term.toLowerCase().match(/[\p{L}\p{M}\p{N}_']+/gu) ?? [];
  const [first, second] = words;
  if (first === undefined || words.length > 2) return;
  const hash = second === undefined ? hashWord(first) : hashWordPair(hashWord(first), hashWord(second));
  if (!terms.has(hash)) terms.set(hash, kind);
}

async function readProfanity(file: string): Promise<[string, number][]> {
  const lines = (await readFile(file, "utf8")).split("\n").slice(1);
  return lines.flatMap((line): [string, number][] => {
    const [term, , , , category, , , severity] = line.split(",");
    if (term === undefined || term === "" || category === undefined) return [];
    const known = PROFANITY_CATEGORIES.indexOf(category);
    const kind = known < 0 ? PROFANITY_CATEGORIES.length - 1 : known;
    return [[term, 2 * kind + (Number(severity) >= 2 ? 1 : 0)]];
  });
}

async function readWords(file: string): Promise<[string, number][]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line): [string, number][] => {
    const row: unknown = JSON.parse(line);
    if (!isObject(row) || typeof row.term !== "string") return [];
    const kind = OWN_CATEGORIES.indexOf(String(row.category));
    if (kind < 0) return [];
    const at = 2 * PROFANITY_CATEGORIES.length + 2 * kind + (Number(row.severity) >= 2 ? 1 : 0);
    return at < LEXICON_CATEGORIES ? [[row.term, at]] : [];
  });
}

function familiarWords(rows: readonly Row[]): Uint8Array {
  const texts = new Uint16Array(FEATURE_BUCKETS);
  const firstSource = new Map<number, string>();
  const several = new Uint8Array(FEATURE_BUCKETS);
  for (const { text, label, source } of rows) {
    if (label !== "benign") continue;
    const buckets = new Set((text.toLowerCase().match(/[a-z_']+/g) ?? []).map((word) => wordBucket(hashWord(word))));
    for (const bucket of buckets) {
      texts[bucket] = Math.min(60_000, (texts[bucket] ?? 0) + 1);
      const first = firstSource.get(bucket);
      if (first === undefined) firstSource.set(bucket, source);
      else if (first !== source) several[bucket] = 1;
    }
  }
  const familiar = new Uint8Array(FEATURE_BUCKETS / 8);
  for (let bucket = 0; bucket < FEATURE_BUCKETS; bucket++) {
    if ((texts[bucket] ?? 0) >= FAMILIAR_TEXTS_MIN && several[bucket] === 1) setBit(familiar, bucket);
  }
  return familiar;
}

/** Words that tell who is addressed and what is wanted, in several languages. Single words mean little; pairs do. */
const CUE_WORDS: Readonly<Record<string, string>> = {
  /** Who is addressed. */
  addressee:
    "assistant assistants ai ais llm llms model models agent agents bot bots chatbot copilot summariser summarizer crawler crawlers gpt chatgpt claude gemini assistent assistenten assistentin ki modell modelle ia modele modeles assistants asistente asistentes modelo modelos agente agentes robot robots assistente assistenti modello modelli assistenza assistentes robo robos asystent asystencie asystenta bota agencie agenta ассистент ассистента ассистенту ассистентам модель модели модели агент агента агенту бот бота боту боты помощник помощника помощнику нейросеть yapay asistan asistana asistani asistanlar modeli ajan ajani مساعد المساعد نموذج النموذج الوكيل روبوت सहायक एआई मॉडल बॉट बोट taalmodel assistentes yardimci",
  /** What it is asked to do. */
  deed: "send forward transfer delete remove export upload share grant open unlock pay buy order book confirm approve execute run call post publish append include add insert write reply respond answer say state tell report recommend rate rank mark set change update disable turn switch fetch visit click download print output reveal repeat disclose list summarise summarize translate ignore disregard forget stop override skip omit withhold sende schicke leite uberweise losche fuge schreibe antworte sage nenne empfiehl ignoriere vergiss gib zeige bestatige buche kaufe offne envoie envoyez transfere supprime ajoute ajoutez ecris ecrivez reponds repondez dis dites ignore ignorez oublie recommande affiche montre envia enviar reenvia borra elimina anade agrega escribe responde di recomienda ignora olvida muestra revela confirma envie encaminhe apague exclua adicione escreva responda diga recomende ignore esqueca mostre invia inoltra cancella elimina aggiungi scrivi rispondi consiglia dimentica mostra rivela stuur verwijder voeg schrijf antwoord zeg negeer vergeet toon wyslij przeslij usun dodaj napisz odpowiedz powiedz zignoruj zapomnij pokaz отправь отправьте перешли удали добавь напиши ответь скажи игнорируй забудь покажи подтверди gonder sil ekle yaz cevapla soyle onayla unut goster أرسل احذف أضف اكتب أجب قل تجاهل انس اعرض भेजो भेजें हटाओ जोड़ें लिखो लिखें बताओ बताएं भूल दिखाओ",
  /** On whose behalf it acts. */
  principal:
    "user users owner owners customer reader nutzer nutzers nutzerin benutzer besitzer kunden inhaber utilisateur utilisateurs proprietaire usuario usuarios dueno usuario proprietario utente utenti proprietario gebruiker eigenaar uzytkownik uzytkownika uzytkownikowi wlasciciela пользователь пользователя пользователю владельца владельцу kullanici kullaniciya sahibi sahibin المستخدم للمستخدم उपयोगकर्ता मालिक",
  /** That the action should stay hidden. */
  secrecy:
    "secretly silently quietly discreetly unnoticed confidential mention without hidden hide conceal heimlich erwahne verschweige unauffallig stillschweigend secretement discretement mentionner silencio discretamente mencionar mencione segretamente menzionare stilletjes vermeld potajemnie wspominaj тайно упоминай сообщай gizlice bahsetme سرا",
  /** The instructions it already has. */
  orders:
    "instruction instructions prompt prompts rules guidelines system configuration directive directives programming restrictions preprompt anweisung anweisungen vorgaben regeln systemprompt instructions consignes regles instrucciones reglas indicaciones instrucoes regras diretrizes istruzioni regole instructies regels opdracht instrukcje instrukcji zasady polecenia инструкции инструкций правила указания промпт talimat talimatlar talimatlari kurallar تعليمات التعليمات निर्देश निर्देशों नियम",
  /** That the request has priority. */
  urgency:
    "important urgent attention notice priority immediately now must instead override admin administrator developer authorized authorised wichtig achtung sofort stattdessen muss administrator urgent important attention immediatement maintenant importante urgente atencion inmediatamente ahora atencao imediatamente agora importante subito adesso belangrijk meteen nu wazne natychmiast teraz важно срочно немедленно теперь onemli hemen simdi مهم فورا महत्वपूर्ण तुरंत अब",
};
