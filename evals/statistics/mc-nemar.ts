import { fairBinomial, fairBinomialUpTo } from "./distributions.ts";

/**
 * McNemar's test on discordant pairs, exact and with the mid-p correction, two-sided. Source: McNemar (1947); Fagerland, Lydersen and Laake,
 * "The McNemar test for binary matched-pairs data: mid-p and asymptotic are better than exact conditional", BMC Med. Res. Methodol. 13 (2013).
 */
export function mcNemar(gained: number, lost: number): { readonly exact: number; readonly midP: number } {
  const n = gained + lost;
  if (n === 0) return { exact: 1, midP: 1 };
  const fewer = Math.min(gained, lost);
  const upTo = fairBinomialUpTo(fewer, n); // fewer < n, as n > 0
  return { exact: Math.min(1, 2 * upTo), midP: Math.min(1, 2 * upTo - fairBinomial(fewer, n)) };
}
