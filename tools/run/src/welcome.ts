import type { State } from './state.ts';

/** What is printed once everything runs. */
export const welcome = (baseUrl: string, state: State, home: string, tookMs: number): string => `
Tollgate runs (started in ${(tookMs / 1_000).toFixed(1)} s)

  Base URL   ${baseUrl}
  API key    ${state.api_key}
  Console    ${baseUrl}/   ${state.admin.email} / ${state.admin.password}
  Details    ${home}/dev.json   logs: ${home}/logs

Try it:

curl ${baseUrl}/v1/chat/completions \\
  -H 'Authorization: Bearer ${state.api_key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"sim-chat","messages":[{"role":"user","content":"Hello"}]}'

Ctrl-C stops it; the data is kept.
`;
