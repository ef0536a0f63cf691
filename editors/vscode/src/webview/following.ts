/** Whether the transcript follows its newest entry. Pure. */

/** Where a box that scrolls stands, in pixels. */
export interface Place {
  scrollTop: number;
  scrollHeight: number;
  clientHeight: number;
}

/** So close to the end counts as the end, in pixels. */
const NEAR = 40;

/** The height of what is below the part in sight. */
export function heightBelow({ scrollTop, scrollHeight, clientHeight }: Place): number {
  return scrollHeight - scrollTop - clientHeight;
}

/**
 * After the box was scrolled, from `lastTop`, by a person or by a change of its size. Only a person goes up and away from the end: another
 * width, another height or a card that opens leave the way up as long as it was.
 */
export function followsAfter(didFollow: boolean, lastTop: number, now: Place, isEnd: boolean): boolean {
  if (!isEnd) return false;
  return heightBelow(now) < NEAR || (didFollow && now.scrollTop >= lastTop);
}
