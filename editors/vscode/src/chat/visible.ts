/** Signs for characters that nobody sees, so that consent is given to what really stands there. Pure. */

/** Controls except tab and line feed, marks of direction, and whatever is drawn without width; the engine draws signs for the same ones. */
const UNSEEN = /[^\P{Cc}\t\n]|[\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]/gu;

/** Draws signs for characters that nobody sees, so that a person reads what really is there. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "␡";
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
