/** Money as a person reads it. */

const NANO = 1_000_000_000;

/** Such as `$0.42`; of less than a cent, its first digit that counts. Nothing where the price is not known. */
export function costText(nanoUsd: number | undefined): string {
  if (nanoUsd === undefined || nanoUsd <= 0) return "";
  const usd = nanoUsd / NANO;
  if (usd >= 0.01) return `$${usd.toFixed(2)}`;
  const digits = Math.min(9, Math.ceil(-Math.log10(usd)));
  return `$${Number(usd.toFixed(digits)).toFixed(digits).replace(/0$/, "")}`;
}
