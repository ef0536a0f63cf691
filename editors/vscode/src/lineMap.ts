/**
 * Which line of another text each line is, where it was not changed. Pure.
 *
 * Invariant: lines that are mapped to each other are equal, and their order is the same in both texts.
 */

/** More edits than this between two texts, and what lies between their equal ends is not looked into. */
const MOST_EDITS = 400;

/** From the first text to the second; both count from 0. */
export function mapLines(from: string[], to: string[]): Map<number, number> {
  const mapped = new Map<number, number>();
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) {
    mapped.set(head, head);
    head += 1;
  }
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > head && toEnd > head && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd -= 1;
    toEnd -= 1;
    mapped.set(fromEnd, toEnd);
  }
  for (const [a, b] of middle(from.slice(head, fromEnd), to.slice(head, toEnd)))
    mapped.set(head + a, head + b);
  return mapped;
}

/** The equal lines of a shortest edit script (Myers, "An O(ND) Difference Algorithm", 1986). */
function middle(from: string[], to: string[]): [number, number][] {
  if (from.length === 0 || to.length === 0) return [];
  const most = Math.min(from.length + to.length, MOST_EDITS);
  /** How far each diagonal got, by number of edits. */
  const trace: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let edits = 0; edits <= most; edits++) {
    trace.push(new Map(reached));
    const next = new Map(reached);
    for (let k = -edits; k <= edits; k += 2) {
      let x = start(reached, k, edits);
      let y = x - k;
      while (x < from.length && y < to.length && from[x] === to[y]) {
        x += 1;
        y += 1;
      }
      next.set(k, x);
      if (x >= from.length && y >= to.length) return back(trace, from.length, to.length);
    }
    reached = next;
  }
  return [];
}

function start(reached: Map<number, number>, k: number, edits: number): number {
  const [below, above] = [reached.get(k - 1) ?? -1, reached.get(k + 1) ?? -1];
  return k === -edits || (k !== edits && below < above) ? above : below + 1;
}

function back(trace: Map<number, number>[], fromEnd: number, toEnd: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [fromEnd, toEnd];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reached = trace[edits] ?? new Map<number, number>();
    const k = x - y;
    const first = start(reached, k, edits);
    while (x > first && y > first - k) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    if (edits === 0) break;
    const isDown = k === -edits || (k !== edits && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
    if (isDown) y -= 1;
    else x -= 1;
  }
  return pairs;
}
