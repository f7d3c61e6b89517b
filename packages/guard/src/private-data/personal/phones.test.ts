import { describe, expect, it } from "vitest";
import { findPrivateData } from "../find-private-data.ts";

const found = (text: string) =>
  findPrivateData(text)
    .filter(({ weight }) => weight >= 0.5)
    .map(({ kind, start, end }) => [kind, text.slice(start, end)]);

describe("a phone number", () => {
  it.each([
    "+1 415 555 0132",
    "+14155550132",
    "+44 20 7946 0958",
    "+44 (0)20 7946 0958",
    "+49 (0)30 / 901820",
    "+49 151 23456789",
    "+33 6 12 34 56 78",
    "+34 612 345 678",
    "+39 347 123 4567",
    "+91 98450-12345",
    "+55 (11) 98765-4321",
    "+81 90-1234-5678",
    "+86 138 0013 8000",
    "+7 (912) 345-67-89",
    "0044 20 7946 0958",
    "(415) 555-0132",
    "415-555-0132",
    "415.555.2671",
    "1-800-555-0199",
    "020 7946 0958",
    "07700 900461",
    "030 / 23125 417",
    "0171-3920045",
    "06 12 34 56 78",
    "06.12.34.56.78",
    "(11) 98765-4321",
    "090-1234-5678",
    "138-0013-8000",
    "98450 12345",
    "+44\u00a020\u00a07946\u00a00958",
    "415 555 2671",
    "1 415 555 2671",
    "8 912 345 67 89",
    "8(912)345-67-89",
    "00 49 170 1234567",
    "(0151) 123 456 78",
    "07700900461",
    "0612345678",
    "415\u2011555\u20110132",
  ])("is recognised by its format: %s", (phone) => {
    expect(found(`So it is ${phone}, is it?`)).toEqual([["phone", phone]]);
  });

  it.each([
    ["Call me at", "4155550132"],
    ["phone:", "5550199"],
    ["mi móvil es", "612 345 678"],
    ["numer telefonu:", "601 234 567"],
    ["cellulare", "347 1234567"],
    ["手机号码是", "13800138000"],
    ["Tel.", "91 123 45 67"],
    ["Llámame al", "612 345 678"],
    ["chiamami al", "333 1234567"],
    ["appelez-moi au", "612345678"],
    ["bel me op", "612345678"],
  ])("is recognised by its label: %s %s", (cue, phone) => {
    expect(found(`${cue} ${phone} ok`)).toEqual([["phone", phone]]);
    expect(found(`there are ${phone} ok`)).toEqual([]);
  });

  it.each([
    "on 2024-03-12 at noon",
    "from 12.03.2024 to 14.03.2024",
    "01-02-2024 13",
    "between 1914-1922 and later",
    "version 10.15.7.1234",
    "at 192.168.100.200",
    "the sum of 1 234 567 890 euros",
    "1,234,567,890",
    "order number 415-555-0132",
    "ISBN 978-3-16-148410-0",
    "Invoice 020 7946 0958",
    "epoch 1731693600",
    "01000001 01100011 text",
    "3.14159265358979",
    "call function 20240312",
    "call 1010101010",
    "a+12345678901",
    "+999 users joined",
    "+1 555 12",
    "id 6f1e2050574",
    "Kundennummer 100 238 554",
    "0123 4567 8901 2345",
    "031252-3081",
  ])("is ignored: %s", (text) => {
    expect(found(text)).toEqual([]);
  });
});
