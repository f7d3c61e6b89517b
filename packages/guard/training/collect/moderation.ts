import { inflateRawSync } from "node:zlib";
import { isObject } from "@trunkline/core/json-object.ts";
import { type CollectedRow, type Repositories, recordsOf, sample } from "./collected-row.ts";

// Posts in thirty languages. Quoted hate and counter speech are harmless rows of their own.

/** The most rows of a source and language, half of them harmless where there are enough. */
const ROWS_MAX = 2_000;
/** The most rows of a template: its rows differ only in the group that they name. */
const ROWS_PER_TEMPLATE = 2;
const HATECHECK_LANGUAGES = "arabic dutch french german hindi italian mandarin polish portuguese spanish".split(" ");

export async function collectModeration(repositories: Repositories): Promise<CollectedRow[]> {
  const rows: CollectedRow[] = [];
  const hatecheck = "paul-rottger/hatecheck-data";
  rows.push(...hatecheckRows(await repositories.records(hatecheck, "test_suite_cases.csv"), hatecheck, "english", 1));
  const multilingual = "rewire-online/multilingual-hatecheck";
  for (const [at, language] of HATECHECK_LANGUAGES.entries()) {
    const records = await repositories.records(multilingual, `MHC Final Cases/hatecheck_cases_final_${language}.csv`);
    rows.push(...hatecheckRows(records, multilingual, language, 2 + at));
  }
  rows.push(
    ...(await cold(repositories)),
    ...(await germEval(repositories)),
    ...(await toldBr(repositories)),
    ...(await korean(repositories)),
    ...(await mlma(repositories)),
    ...(await rtpLx(repositories)),
  );
  return rows;
}

/** Insults of one person are harassment. Insults of a group such as "artists" are neither hate nor harmless. */
function hatecheckRows(
  records: readonly Readonly<Record<string, string>>[],
  source: string,
  language: string,
  seed: number,
): CollectedRow[] {
  const byTemplate = new Map<string, number>();
  return sample(records, records.length, seed).flatMap((record): CollectedRow[] => {
    const { functionality = "", test_case: text = "", label_gold: label, templ_id: template = "" } = record;
    const count = byTemplate.get(template) ?? 0;
    if (text.trim() === "" || functionality === "target_group_nh" || count >= ROWS_PER_TEMPLATE) return [];
    byTemplate.set(template, count + 1);
    if (label === "hateful") {
      const kind = functionality.startsWith("threat") ? "violence/threat" : "hate";
      return [{ text, label: "unsafe", category: `${kind}/${language}`, source }];
    }
    if (functionality === "target_indiv_nh")
      return [{ text, label: "unsafe", category: `harassment/${language}`, source }];
    const kind = functionality.startsWith("counter") ? "counter_speech" : "none";
    return [{ text, label: "benign", category: `${kind}/${language}`, source }];
  });
}

/** The part that people labelled: 0 harmless, 1 against a person, 2 against a group, 3 against prejudice. */
async function cold(repositories: Repositories): Promise<CollectedRow[]> {
  const source = "thu-coai/COLDataset";
  const categories = ["none/chinese", "harassment/chinese", "hate/chinese", "counter_speech/chinese"];
  const records = await repositories.records(source, "COLDataset/test.csv");
  const rows = records.flatMap((record): CollectedRow[] => {
    const category = categories[Number(record["fine-grained-label"])];
    const text = record.TEXT ?? "";
    if (category === undefined || text === "") return [];
    return [{ text, label: record.label === "1" ? "unsafe" : "benign", category, source }];
  });
  return balanced(rows, 21);
}

async function germEval(repositories: Repositories): Promise<CollectedRow[]> {
  const source = "uds-lsv/GermEval-2018-Data";
  const lines = await repositories.lines(source, "germeval2018.training.txt");
  const rows = lines.flatMap((line): CollectedRow[] => {
    const [text = "", coarse, fine] = line.split("\t");
    if (coarse !== "OFFENSE" && coarse !== "OTHER") return [];
    const category = coarse === "OTHER" ? "none" : fine === "ABUSE" ? "hate" : "harassment";
    const label = coarse === "OTHER" ? "benign" : "unsafe";
    return [{ text: text.replaceAll("|LBR|", "\n"), label, category: `${category}/german`, source }];
  });
  return balanced(rows, 22);
}

/** How many of three people saw each kind. One alone is no agreement. */
async function toldBr(repositories: Repositories): Promise<CollectedRow[]> {
  const source = "JAugusto97/ToLD-Br";
  const rows = (await repositories.records(source, "ToLD-BR.csv")).flatMap((record): CollectedRow[] => {
    const { text = "", ...kinds } = record;
    const votes = (name: string) => Number(kinds[name] ?? 0);
    const isHate = ["homophobia", "racism", "misogyny", "xenophobia"].some((name) => votes(name) >= 2);
    if (isHate) return [{ text, label: "unsafe", category: "hate/portuguese", source }];
    if (votes("insult") >= 2) return [{ text, label: "unsafe", category: "harassment/portuguese", source }];
    if (Object.values(kinds).some((count) => Number(count) > 0)) return [];
    return [{ text, label: "benign", category: "none/portuguese", source }];
  });
  return balanced(rows, 23);
}

async function korean(repositories: Repositories): Promise<CollectedRow[]> {
  const source = "kocohub/korean-hate-speech";
  const [, ...lines] = await repositories.lines(source, "labeled/train.tsv");
  const rows = lines.flatMap((line): CollectedRow[] => {
    const [text = "", , bias, hate] = line.split("\t");
    if (hate === "none") return bias === "none" ? [{ text, label: "benign", category: "none/korean", source }] : [];
    const category = hate === "hate" && bias !== "none" ? "hate" : "harassment";
    return [{ text, label: "unsafe", category: `${category}/korean`, source }];
  });
  return balanced(rows, 24);
}

async function mlma(repositories: Repositories): Promise<CollectedRow[]> {
  const source = "HKUST-KnowComp/MLMA_hate_speech";
  const archive = await repositories.bytes(source, "hate_speech_mlma.zip");
  const files = { english: "en_dataset_with_stop_words", french: "fr_dataset", arabic: "ar_dataset" };
  return Object.entries(files).flatMap(([language, name], at) => {
    const records = recordsOf(unzip(archive, `hate_speech_mlma/${name}.csv`));
    const rows = records.flatMap((record): CollectedRow[] => {
      const { tweet: text = "", sentiment = "" } = record;
      if (sentiment === "normal") return [{ text, label: "benign", category: `none/${language}`, source }];
      if (!/hateful|abusive|disrespectful/.test(sentiment)) return [];
      const category = sentiment.includes("hateful") ? "hate" : "harassment";
      return [{ text, label: "unsafe", category: `${category}/${language}`, source }];
    });
    return balanced(rows, 25 + at);
  });
}

/** Languages by their names in RTP-LX. Its English prompts are left out there. */
const RTP_LANGUAGES = {
  AR: "arabic",
  BCMS: "serbo-croatian",
  CS: "czech",
  DA: "danish",
  DE: "german",
  ES: "spanish",
  FI: "finnish",
  FR: "french",
  HE: "hebrew",
  HI: "hindi",
  HU: "hungarian",
  ID: "indonesian",
  IT: "italian",
  JA: "japanese",
  KO: "korean",
  NL: "dutch",
  "NO-NB": "norwegian",
  PL: "polish",
  PT: "portuguese",
  RU: "russian",
  SV: "swedish",
  SW: "swahili",
  TH: "thai",
  TR: "turkish",
  UK: "ukrainian",
  "ZH-Hans": "chinese",
  "ZH-Hant": "chinese",
};
/** What its annotators marked from 1 to 3, and the class of each. */
const RTP_KINDS = {
  IdentityAttack: "hate",
  Insult: "harassment",
  Violence: "violence",
  SexualContent: "sexual",
  SelfHarm: "self_harm",
};
/** The most rows of a language and label: the languages have the same texts in translation. */
const RTP_ROWS_MAX = 400;

/** Beginnings of posts that native speakers translated and marked. What they did not agree on is left out. */
async function rtpLx(repositories: Repositories): Promise<CollectedRow[]> {
  const source = "microsoft/RTP-LX";
  const rows: CollectedRow[] = [];
  for (const [at, [locale, language]] of Object.entries(RTP_LANGUAGES).entries()) {
    const lines = await repositories.lines(source, `scoring/acs_results/acs_results_${locale}.json`);
    const marked = lines.flatMap((line): CollectedRow[] => {
      const { Prompt: text, OriginalEntry: entry } = JSON.parse(line) as Record<string, unknown>;
      const marks = isObject(entry) && isObject(entry.Annotations) ? entry.Annotations : {};
      if (typeof text !== "string" || text.length < 8) return [];
      const kinds = Object.entries(RTP_KINDS).map(([name, kind]) => ({ kind, mark: Number(marks[name] ?? 0) }));
      const worst = kinds.reduce((most, one) => (one.mark > most.mark ? one : most));
      const toxicity = Number(marks.Toxicity ?? Number.NaN);
      if (toxicity >= 3 && worst.mark >= 2.3)
        return [{ text, label: "unsafe", category: `${worst.kind}/${language}`, source }];
      if (toxicity < 1.7 && worst.mark < 1.7) return [{ text, label: "benign", category: `none/${language}`, source }];
      return [];
    });
    for (const label of ["unsafe", "benign"])
      rows.push(
        ...sample(
          marked.filter((row) => row.label === label),
          RTP_ROWS_MAX,
          50 + at,
        ),
      );
  }
  return rows;
}

/** At most half of the rows are harmless ones, and the others the rest. */
function balanced(rows: readonly CollectedRow[], seed: number): CollectedRow[] {
  const of = (isBenign: boolean) => rows.filter(({ label }) => (label === "benign") === isBenign);
  return [...sample(of(true), ROWS_MAX / 2, seed), ...sample(of(false), ROWS_MAX / 2, seed + 100)];
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;

/** A deflated file of a ZIP archive whose local headers state sizes. */
function unzip(archive: Buffer, wanted: string): string {
  for (let at = 0; archive.readUInt32LE(at) === LOCAL_HEADER; ) {
    const size = archive.readUInt32LE(at + 18);
    const nameLength = archive.readUInt16LE(at + 26);
    const start = at + LOCAL_HEADER_BYTES + nameLength + archive.readUInt16LE(at + 28);
    const name = archive.toString("utf8", at + LOCAL_HEADER_BYTES, at + LOCAL_HEADER_BYTES + nameLength);
    if (name === wanted) return inflateRawSync(archive.subarray(start, start + size)).toString("utf8");
    at = start + size;
  }
  throw new Error(`The archive has no ${wanted}.`);
}
