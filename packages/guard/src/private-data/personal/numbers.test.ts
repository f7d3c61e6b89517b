import { describe, expect, it } from "vitest";
import { findPrivateData } from "../find-private-data.ts";

const found = (text: string) =>
  findPrivateData(text)
    .filter(({ weight }) => weight >= 0.5)
    .map(({ kind, start, end }) => [kind, text.slice(start, end)]);

// Published by the issuing offices, or in documentation of their check digits.
const ALONE = [
  "536-22-8417",
  "AB 12 34 56 C",
  "15070649C103",
  "2 55 08 14 168 025 38",
  "12345678Z",
  "X1234567L",
  "RSSMRA85T10A562S",
  "85.07.30-033.28",
  "811228-9874",
  "131052-308T",
  "15108695088",
  "756.9217.0769.85",
  "710319/2745",
  "112-233-445 95",
  "111.444.777-35",
  "11.222.333/0001-81",
  "BOXW310820HNERXN09",
  "20-05536168-2",
  "12.531.909-2",
  "ACUPA7085R",
  "11010519491231002X",
  "A123456(3)",
  "S1234567D",
  "8001015009087",
];

const CALLED: readonly (readonly [cue: string, id: string])[] = [
  ["my social security number is", "536228417"],
  ["ITIN", "912-70-1234"],
  ["our EIN:", "12-3456789"],
  ["NHS number", "9434765919"],
  ["Steuer-ID:", "86095742719"],
  ["BSN", "111222333"],
  ["PESEL", "44051401359"],
  ["o meu NIF é", "501964843"],
  ["SVNR", "1237 010180"],
  ["PPS number", "6433435F"],
  ["CPR-nummer", "211062-5629"],
  ["TC kimlik no:", "10000000146"],
  ["SIN", "193 456 787"],
  ["CPF", "11144477735"],
  ["RFC:", "GODE561231GR8"],
  ["Aadhaar", "2341 2341 2346"],
  ["身分證字號", "A123456789"],
  ["マイナンバーは", "1234 5678 9018"],
  ["TFN", "123 456 782"],
  ["Medicare", "2123 45670 1"],
  ["ABN", "51 824 753 556"],
];

describe("a national identifier", () => {
  it.each(ALONE)("is recognised by its format: %s", (id) => {
    expect(found(`It is ${id}, as you know.`)).toEqual([["national_id", id]]);
  });

  it.each(CALLED)("is recognised by its label: %s %s", (cue, id) => {
    expect(found(`${cue} ${id}.`)).toEqual([["national_id", id]]);
    expect(found(`There were ${id} of them.`)).toEqual([]);
  });

  it.each([...ALONE, ...CALLED.map(([cue, id]) => `${cue} ${id}`)])("is ignored inside a longer word: %s", (id) => {
    expect(found(`x${id.replaceAll(" ", "")}7`)).toEqual([]);
  });

  it.each([
    "12345678A",
    "X1234567M",
    "RSSMRA85T10A562T",
    "85.07.30-033.29",
    "811228-9875",
    "131052-308U",
    "756.9217.0769.86",
    "111.444.777-36",
    "11010519491231002Y",
    "110105194912310021",
    "A123456(4)",
    "S1234567E",
    "8001015009088",
    "000-12-3456",
    "666-12-3456",
    "912-12-3456",
    "078-05-1120",
    "BOXW310820HNERXN08",
  ])("is ignored without a valid check digit: %s", (id) => {
    expect(found(`It is ${id}, as you know.`)).toEqual([]);
  });

  it.each(["order 536-22-8417", "part no. 12345678Z", "Serial: S1234567D", "ticket #811228-9874"])(
    "is ignored if labelled as a thing: %s",
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );
});
