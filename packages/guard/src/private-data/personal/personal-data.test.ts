import { describe, expect, it } from "vitest";
import { findPrivateData } from "../find-private-data.ts";

const found = (text: string, from = 0.5) =>
  findPrivateData(text)
    .filter(({ weight }) => weight >= from)
    .map(({ kind, start, end }) => [kind, text.slice(start, end)]);

describe("a payment card", () => {
  it.each([
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "4012888888881881",
    "5555 5555 5555 4444",
    "2223 0031 2200 3222",
    "3782 822463 10005",
    "378282246310005",
    "6011111111111117",
    "3530111333300000",
    "3056 930902 5904",
    "4111_1111_1111_1111",
    "3782_822463_10005",
  ])("is recognised by issuer, length and check digit: %s", (card) => {
    expect(found(`I paid with ${card} today`)).toEqual([["card", card]]);
  });

  it.each([
    ["4111111111111111", "4111111111111111 12/27"],
    ["4111111111111111", "4111111111111111 123"],
    ["4111-1111-1111-1111", "4111-1111-1111-1111 123"],
    ["4111 1111 1111 1111", "2 4111 1111 1111 1111"],
    ["4111 1111 1111 1111", "4111 1111 1111 1111, 123"],
  ])("is recognised beside other numbers: %s in %s", (card, numbers) => {
    expect(found(`My card: ${numbers}`)).toContainEqual(["card", card]);
  });

  it.each([
    "4111 - 1111 - 1111 - 1111",
    "4111  1111  1111  1111",
    "4111 1111 11111111",
    "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    "41 11 11 11 11 11 11 11",
    "4111/1111/1111/1111",
    "4111\n1111\n1111\n1111",
    "4111\r\n1111\r\n1111\r\n1111",
    "3782\n822463\n10005",
    "4111 1111\n1111 1111",
  ])("is recognised by its label in any groups: %j", (card) => {
    expect(found(`My card number is ${card}, please charge it.`)).toEqual([["card", card]]);
  });

  it.each([
    "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    "41 11 11 11 11 11 11 11",
    "4111/1111/1111/1111",
    "4111\n1111\n1111\n1111",
  ])("is not assumed in unusual groups without a label: %j", (numbers) => {
    expect(found(`The rows are ${numbers} here.`)).toEqual([]);
  });

  it("ends before the lines that follow it", () => {
    expect(found("My card:\n4111\n1111\n1111\n1111\n2027\n1234")).toEqual([["card", "4111\n1111\n1111\n1111"]]);
    expect(found("My cards:\n4111 1111 1111 1111\n5555 5555 5555 4444")).toEqual([
      ["card", "4111 1111 1111 1111"],
      ["card", "5555 5555 5555 4444"],
    ]);
  });

  it.each([
    "４１１１１１１１１１１１１１１１",
    "４１１１　１１１１　１１１１　１１１１",
    "４１１１－１１１１－１１１１－１１１１",
  ])("is recognised in full-width digits: %s", (card) => {
    expect(found(`I paid with ${card} today`)).toEqual([["card", card]]);
  });

  it("of an unusual length needs a label", () => {
    expect(found("my card is 6212345678900000003")).toEqual([["card", "6212345678900000003"]]);
    expect(found("it is 6212345678900000003")).toEqual([]);
  });

  it.each([
    "I paid with 4111 1111 1111 1112 today",
    "order 1234567890123456",
    "order number 4111111111111111",
    "0.4111111111111111",
    "tracking 9400 1000 0000 0000 0000 00",
    "0000 0000 0000 0000",
    "a4111111111111111",
    "report_4111_1111_1111_1112.pdf",
    "４１１１１１１１１１１１１１１２",
  ])("is ignored: %s", (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe("a bank account", () => {
  it.each([
    "GB82 WEST 1234 5698 7654 32",
    "DE89370400440532013000",
    "FR14 2004 1010 0505 0001 3M02 606",
    "NO93 8601 1117 947",
    "CH93 0076 2011 6238 5295 7",
    "MT84MALT011000012345MTLCAST001S",
  ])("is recognised by the length for its country and its check digits: %s", (iban) => {
    expect(found(`IBAN ${iban}`)).toEqual([["iban", iban]]);
    expect(found(`to ${iban} BIC NWBKGB2L today`)).toEqual([["iban", iban]]);
  });

  it.each([
    "nl91abna0417164300",
    "nl91 abna 0417 1643 00",
    "de89370400440532013000",
    "de89 3704 0044 0532 0130 00",
    "gb82 west 1234 5698 7654 32",
  ])("may be typed in small letters: %s", (iban) => {
    expect(found(`my iban: ${iban}`)).toEqual([["iban", iban]]);
    expect(found(`Send it to ${iban} today, please.`)).toEqual([["iban", iban]]);
  });

  it.each([
    "GB83 WEST 1234 5698 7654 32",
    "GB82 WEST 1234 5698 7654 3",
    "ZZ82 WEST 1234 5698 7654 32",
    "nl92abna0417164300",
    "commit de89370400440532013000ab of xde89370400440532013000",
  ])("is ignored: %s", (text) => {
    expect(found(text)).toEqual([]);
  });

  it("in America and Britain needs a label", () => {
    expect(found("routing number 021000021")).toEqual([["bank_account", "021000021"]]);
    expect(found("routing number 021000022")).toEqual([]);
    expect(found("sort code 12-34-56")).toEqual([["bank_account", "12-34-56"]]);
    expect(found("it was 12-34-56")).toEqual([]);
  });
});

describe("an email address", () => {
  it.each([
    "jo.doe+x@mail.firma.de",
    "sean.o'brien@ballymore.ie",
    "jürgen@müller.de",
    "k-e@tiny-domain.io",
    "UPPER_case99@HOST.CO.UK",
    "maria.silva@example.com",
  ])("is found completely: %s", (email) => {
    for (const text of [`mail ${email}!`, `<${email}>`, `"${email}",`, `mailto:${email}.`])
      expect(found(text)).toEqual([["email", email]]);
  });

  it.each([
    "maria (at) firma (dot) de",
    "maria [at] firma.de",
    "maria{AT}firma{DOT}co{DOT}uk",
    "maria at firma dot de",
  ])("is found in a masked form: %s", (email) => {
    expect(found(`write to ${email} please`)).toEqual([["email", email]]);
  });

  it.each([
    "user@example.com, you@api.example.org or test@host.test",
    "npm i left-pad@1.3.0 @scope/name",
    "git@github.com:trunkline/trunkline.git",
    "@somebody@mastodon.social",
    "icon@2x.png",
    "look at the dot com boom",
    "me @ home",
    "@@@@",
  ])("is ignored: %s", (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe("other personal data", () => {
  it("finds a date of birth with a label", () => {
    expect(found("born on 12 March 1985.")).toEqual([["date_of_birth", "12 March 1985"]]);
    expect(found("DOB: 03/12/1985")).toEqual([["date_of_birth", "03/12/1985"]]);
    expect(found("Geburtsdatum 12.03.1985")).toEqual([["date_of_birth", "12.03.1985"]]);
    expect(found('"birthdate": "1985-03-12"')).toEqual([["date_of_birth", "1985-03-12"]]);
    expect(found("D.O.B. 01/05/90")).toEqual([["date_of_birth", "01/05/90"]]);
    expect(found("the meeting on 12 March 1985")).toEqual([]);
    expect(found("born in 1985")).toEqual([]);
  });

  it("finds a passport or a driving licence with a label", () => {
    expect(found("passport number C01X00T47")).toEqual([["passport", "C01X00T47"]]);
    expect(found("driver's license: D1234567")).toEqual([["driver_license", "D1234567"]]);
    expect(found("MORGA657054SM9IJ")).toEqual([["driver_license", "MORGA657054SM9IJ"]]);
    expect(found("it is C01X00T47")).toEqual([]);
  });

  it("finds a wallet with a valid checksum", () => {
    const wallets = [
      "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
      "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
      "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    ];
    for (const wallet of wallets) expect(found(`send it to ${wallet}.`)).toEqual([["crypto_wallet", wallet]]);
    expect(found("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb")).toEqual([]);
    expect(found("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5")).toEqual([]);
    expect(found("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")).toEqual([]);
  });

  it("finds a network address, below the threshold for reports", () => {
    expect(found("from 8.8.4.4 and 2a00:1450:4001:81b:0:0:0:200e", 0.2)).toEqual([
      ["ip_address", "8.8.4.4"],
      ["ip_address", "2a00:1450:4001:81b:0:0:0:200e"],
    ]);
    expect(found("mac 3c:22:fb:aa:01:9f", 0.2)).toEqual([["mac_address", "3c:22:fb:aa:01:9f"]]);
    expect(found("10.0.0.1, 192.168.1.1, 127.0.0.1, version 1.2.3.4.5, at 12:30:45", 0.2)).toEqual([]);
    expect(found("from 8.8.4.4")).toEqual([]);
  });
});
