const HIDDEN = '***';

/** What vendors and we ourselves call keys, tokens and signatures, as far as their form tells. */
const SECRETS: readonly RegExp[] = [
  /\b(?:sk|pk|rk|ak|gsk|xai|pplx|hf|ghp|gho|glpat|xox[abp])[-_][A-Za-z0-9_-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\bey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
  /(?<=\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<=\b(?:api[-_ ]?key|authorization|password|secret|token|signature)["']?\s*[:=]\s*["']?)[^\s"',;&]{6,}/gi,
  // Nothing that people write is as long without a space.
  /\b(?=[A-Za-z0-9+/_-]*\d)[A-Za-z0-9+/_-]{40,}={0,2}/g,
];

/**
 * Words for the log of requests: of one line, cut, and without what looks like a secret. Upstreams' credentials were taken out
 * before, by their value; here goes what callers sent and an error quotes.
 */
export function toLogWords(words: string, maxLength: number): string {
  // More than is kept is not looked through: a secret that is cut at the end is still one.
  const line = words
    .slice(0, 4 * maxLength)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const safe = SECRETS.reduce((text, secret) => text.replace(secret, HIDDEN), line).trim();
  return safe.length <= maxLength ? safe : `${safe.slice(0, maxLength - 1).toWellFormed()}…`;
}
