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
