/** Money as a person reads it. */

const NANO = 1_000_000_000;

/** Such as `$0.42`; of less than a cent, its first digit that counts. Nothing where the price is not known. */
export function costText(nanoUsd: number | undefined): string {
  if (nanoUsd === undefined || nanoUsd <= 0) return "";
  const usd = nanoUsd / NANO;
  return usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(1)).toFixed(decimals(usd))}`;
}

function decimals(usd: number): number {
  return Math.min(9, Math.ceil(-Math.log10(usd)));
}
