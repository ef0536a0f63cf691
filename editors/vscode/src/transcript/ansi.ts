/**
 * What a terminal would show of a program's output: colours, and lines that are written over. Pure.
 *
 * It knows no screen: whatever moves the cursor to another line is left out.
 */

/** How characters look. Colours are 0 to 15 of the theme, or a colour of their own. */
export interface Look {
  front?: number | string;
  back?: number | string;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  struck?: true;
  inverse?: true;
}

export interface Piece {
  text: string;
  look: Look;
}

/** Lines, and how what follows them looks. */
export interface Lines {
  lines: Piece[][];
  look: Look;
}

/** A sequence that sets the look, any other sequence, a sequence that is not whole yet, or a control character. */
const SPECIAL =
  /\u001b\[([\d;:]*)m|\u001b\[([\d;?]*)([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b\[[\d;:?]*$|\u001b[()][A-Z0-9]|\u001b[=>78cDEHM]|\u001b$|[\r\b]|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;

/** Reads output line by line. What comes later goes on with the look that it ends with. */
export function readAnsi(text: string, look: Look = {}): Lines {
  const lines: Piece[][] = [];
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const read = readLine(line, look);
    lines.push(read.pieces);
    look = read.look;
  }
  return { lines, look };
}

/** The text alone. */
export function plain(text: string): string {
  return readAnsi(text)
    .lines.map((pieces) => pieces.map((piece) => piece.text).join(""))
    .join("\n");
}

interface Cell {
  character: string;
  look: Look;
}

function readLine(line: string, look: Look): { pieces: Piece[]; look: Look } {
  if (!/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line)) {
    return { pieces: line === "" ? [] : [{ text: line, look }], look };
  }
  const cells: Cell[] = [];
  let at = 0;
  let from = 0;
  const write = (text: string): void => {
    for (const character of text) cells[at++] = { character, look };
  };
  for (const match of line.matchAll(SPECIAL)) {
    write(line.slice(from, match.index));
    from = match.index + match[0].length;
    const [whole, codes, argument, final] = match;
    if (codes !== undefined) look = changed(look, codes);
    else if (whole === "\r") at = 0;
    else if (whole === "\b") at = Math.max(0, at - 1);
    else if (final === "K") erase(cells, at, argument ?? "");
    else if (final === "C") at += Math.min(500, Number(argument) || 1);
    else if (final === "D") at = Math.max(0, at - (Number(argument) || 1));
    else if (final === "G") at = Math.min(500, Math.max(0, (Number(argument) || 1) - 1));
  }
  write(line.slice(from));
  return { pieces: joined(cells), look };
}

function erase(cells: Cell[], at: number, what: string): void {
  if (what === "2") cells.length = 0;
  else if (what === "1") for (let each = 0; each <= at; each++) cells[each] = { character: " ", look: {} };
  else cells.length = Math.min(cells.length, at);
}

function joined(cells: Cell[]): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < cells.length; at++) {
    const { character, look } = cells[at] ?? { character: " ", look: {} };
    const last = pieces.at(-1);
    if (last !== undefined && last.look === look) last.text += character;
    else pieces.push({ text: character, look });
  }
  return pieces;
}

const FLAGS: Record<number, keyof Look> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "struck",
};
const ENDS: Record<number, (keyof Look)[]> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["struck"],
  39: ["front"],
  49: ["back"],
};

function changed(before: Look, codes: string): Look {
  let look: Look = { ...before };
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    const flag = FLAGS[code];
    if (code === 0) look = {};
    else if (flag !== undefined) Object.assign(look, { [flag]: true });
    else if (ENDS[code] !== undefined) for (const each of ENDS[code]) delete look[each];
    else if (code >= 30 && code <= 37) look.front = code - 30;
    else if (code >= 40 && code <= 47) look.back = code - 40;
    else if (code >= 90 && code <= 97) look.front = code - 82;
    else if (code >= 100 && code <= 107) look.back = code - 92;
    else if (code === 38 || code === 48) {
      const { color, count } = extended(numbers.slice(at + 1));
      at += count;
      if (color !== undefined) look[code === 38 ? "front" : "back"] = color;
    }
  }
  return look;
}

/** A colour of 256, or one of its own. */
function extended([kind, ...rest]: number[]): { color: number | string | undefined; count: number } {
  if (kind === 5) {
    const index = rest[0] ?? 0;
    return { color: index < 16 ? index : paletteColor(index), count: 2 };
  }
  if (kind !== 2) return { color: undefined, count: 0 };
  const [red = 0, green = 0, blue = 0] = rest.map((each) => Math.min(255, Math.max(0, each)));
  return { color: `rgb(${red}, ${green}, ${blue})`, count: 4 };
}

/** Of the 256 colours those that no theme names: a cube, and greys. */
function paletteColor(index: number): string {
  if (index >= 232) {
    const grey = 8 + (Math.min(index, 255) - 232) * 10;
    return `rgb(${grey}, ${grey}, ${grey})`;
  }
  const level = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  const [red, green, blue] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level);
  return `rgb(${red}, ${green}, ${blue})`;
}
