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
 * Returns whether the end is still followed after a scroll event. `lastTop` is the previous position. Resizing moves the end, but only a user
 * scrolls up, so a position above the previous one stops following.
 */
export function followsAfter(didFollow: boolean, lastTop: number, now: Place, isEnd: boolean): boolean {
  if (!isEnd) return false;
  return heightBelow(now) < NEAR || (didFollow && now.scrollTop >= lastTop);
}
