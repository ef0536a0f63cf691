/**
 * The texts that people see, in the language of VS Code.
 *
 * The table is set once, before anything is drawn: in the extension host from VS Code's own bundle, in the page from what the host wrote
 * into it. A constant of a module holds no result of `t`, for it would be made before that.
 */

export interface Words {
  /** Such as `de`, for numbers. */
  language: string;
  /** Translations, each under the English text. */
  texts: Record<string, string>;
}

export const ENGLISH: Words = { language: "en", texts: {} };

let words = ENGLISH;

export function setWords(next: Words): void {
  words = next;
}

/** The language and the translations that were set. */
export function currentWords(): Words {
  return words;
}

/** Translates a whole sentence or name, and puts values for `{0}`, `{1}`. A place without a value stays: it is filled by whoever draws it. */
export function t(text: string, ...values: (string | number)[]): string {
  return (words.texts[text] ?? text).replaceAll(/\{(\d+)\}/g, (place, at: string) =>
    String(values[Number(at)] ?? place),
  );
}

/** Translates one of two texts by a number, which is `{0}` in both; more values follow. */
export function plural(count: number, one: string, many: string, ...more: (string | number)[]): string {
  return t(count === 1 ? one : many, count, ...more);
}

/** A number as it is written in the language that was set. */
export function numberText(value: number, digits = 0): string {
  return value.toLocaleString(words.language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** The text for a word of the engine's; a word that the table lacks, as a newer engine may have, stands for itself. */
export function wordOf(table: Record<string, () => string>, word: string): string {
  return Object.hasOwn(table, word) ? (table[word]?.() ?? word) : word;
}

/** The engine's messages are lower case and without a full stop; a person reads sentences. */
export function sentence(text: string): string {
  if (text === "") return "";
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** A message and what to do about it. */
export function sentences(message: string, hint: string | undefined): string {
  return [sentence(message), sentence(hint ?? "")].filter((each) => each !== "").join(" ");
}
