/** What a browser sees on a path outside the API. */
export const CONSOLE_PAGE = `<!doctype html>
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
