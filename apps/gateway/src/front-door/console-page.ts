import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers with the page that a browser gets on every path outside the API. */
export type ConsolePage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** What the build may have beside each file, best first. */
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
];

/** What a browser sees where the console was not built. */
const PLAIN = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tollgate</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; }
  code { font: 0.9em ui-monospace, monospace; }
</style>
</head>
<body>
<h1>Tollgate</h1>
<p>This is an AI model relay that bills by the token. Point an AI client at this address:</p>
<ul>
  <li>OpenAI clients: base URL <code>/v1</code></li>
  <li>Anthropic and Gemini clients: base URL without a path</li>
</ul>
<p>Prices: <a href="/api/pricing"><code>/api/pricing</code></a>.
   Status: <a href="/api/status"><code>/api/status</code></a>.</p>
<p>If a program received this page instead of JSON, its base URL lacks <code>/v1</code>.</p>
</body>
</html>
`;

export const plainPage: ConsolePage = createPage(PLAIN, () => undefined);

/** @param compressed the page in a content coding, by the extension of its file. */
export function createPage(html: string, compressed: (extension: string) => Buffer | undefined): ConsolePage {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
    ...securityHeaders(html),
  };
  const variants = ENCODINGS.flatMap(({ name, extension }) => {
    const body = compressed(extension);
    return body ? [{ name, body }] : [];
  });
  return (request, reply) => {
    const accepted = acceptedEncodings(request.headers['accept-encoding']);
    const variant = variants.find(({ name }) => accepted.has(name));
    void reply.code(200).headers(headers);
    return variant ? reply.header('content-encoding', variant.name).send(variant.body) : reply.send(html);
  };
}

/** The content codings of an Accept-Encoding header but those of weight zero. */
function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const parts = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.replaceAll(/\s/g, ''));
  return new Set(
    parts.filter((part) => !/;q=0(?:\.0*)?$/.test(part)).map((part) => part.split(';')[0] ?? ''),
  );
}

/** Scripts come from this address only; the few lines that stand in the page itself are allowed by their hash. */
function securityHeaders(html: string): Record<string, string> {
  const inline = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${["'self'", ...inline].join(' ')}`,
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      'media-src data:',
      "font-src 'self'",
      "connect-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  };
}
