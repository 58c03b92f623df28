import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type UpstreamAuth as AuthField, upstreamSchema } from '@tollgate/catalogue';
import { type RunningSimulator, startSimulator } from '@tollgate/simulator';
import { appSecret, makeLongTermSecret } from '@tollgate/simulator/clouds';
import type { UpstreamAuth } from '../src/upstream-auth/auth-scheme.ts';
import { createUpstreamAuth } from '../src/upstream-auth/registry.ts';

export let simulator: RunningSimulator;
let directory: string;
/** What was logged. */
export const warnings: unknown[] = [];
const before = { ...process.env };

/** A simulator for the tests of a file, and an environment that says nothing of the machine that they run on. */
export function useClouds(): void {
  beforeAll(async () => {
    // Large: on a busy machine the first to load it would wait for a token too long.
    await import('@aws-sdk/credential-providers');
    simulator = await startSimulator();
    directory = mkdtempSync(join(tmpdir(), 'tollgate-clouds-'));
  });
  afterAll(async () => {
    await simulator.close();
    rmSync(directory, { recursive: true });
  });
  beforeEach(() => {
    warnings.length = 0;
    // Of the machine that the tests run on.
    Object.assign(process.env, {
      AWS_CONFIG_FILE: '/nonexistent',
      AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
      AWS_EC2_METADATA_DISABLED: 'true',
    });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const name of Object.keys(process.env))
      if (!(name in before)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
    await fetch(`${simulator.url}/__sim/clouds`, { method: 'DELETE' });
  });
}

export const setFaults = (faults: object) =>
  fetch(`${simulator.url}/__sim/clouds`, { method: 'PUT', body: JSON.stringify(faults) });
/** Longer than a machine stands still, and shorter than a test may take. */
const TTL_S = 60;
export const issueBriefTokens = () => setFaults({ token_ttl_s: TTL_S });
/** For the gateway they end now, though not for the clouds. */
export function endTokens(): void {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + TTL_S * 1_000);
}
export const issued = async () =>
  ((await (await fetch(`${simulator.url}/__sim/clouds`)).json()) as { issued: Record<string, number> })
    .issued;

export function createProof(
  auth: AuthField,
  secret: string,
  {
    base_url = simulator.url,
    model_lists = undefined as string[] | undefined,
    ambientHosts = ['127.0.0.1'],
    allow_private_addresses = true,
  } = {},
): UpstreamAuth {
  const upstream = upstreamSchema.parse({
    name: 'u',
    base_url,
    model_lists,
    protocols: ['openai-chat'],
    auth,
    allow_private_addresses,
  });
  const logger = { warn: (...line: unknown[]) => void warnings.push(line) };
  return createUpstreamAuth({ upstream, secret, ambientHosts, logger: logger as never });
}

const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] });
const CONTENTS = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] });

/** Sends a request with a proof; the headers that were sent, beside the answer. */
async function send(proof: UpstreamAuth, path: string, body: string) {
  const origin = simulator.url;
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', origin, path, protocol: 'openai-chat', headers } as const;
  const sent = await proof.applyAuth({ ...request, body: Buffer.from(body) });
  const answer = await fetch(origin + path, { method: 'POST', headers: sent, body });
  const refusal = { status: answer.status, headers: Object.fromEntries(answer.headers), sent };
  return { status: answer.status, refusal, json: (await answer.json()) as Record<string, unknown> };
}

export const azure = (proof: UpstreamAuth) => send(proof, '/azure/openai/v1/chat/completions', BODY);
export const vertex = (proof: UpstreamAuth) =>
  send(
    proof,
    '/google/v1/projects/p/locations/eu/publishers/google/models/gemini-3-flash:generateContent',
    CONTENTS,
  );
export const aws = (proof: UpstreamAuth, path = '/model/us.anthropic.claude%3A0/converse?b=2&a=1') =>
  send(proof, `/__sim/clouds/signed${path}`, BODY);

export const APP = { kind: 'azure', tenant_id: 'tenant', client_id: 'app-1' } as const;
export const proveApp = () => createProof({ ...APP, authority: simulator.url }, appSecret('app-1'));
export const serviceAccount = async (name = 'relay') =>
  (await (
    await fetch(`${simulator.url}/__sim/clouds/service-accounts/${name}`, { method: 'POST' })
  ).json()) as Record<string, string>;
export const federation = (more: object = {}) =>
  JSON.stringify({
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/pools/p',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${simulator.url}/google/v1/token`,
    credential_source: { file: join(directory, 'proof') },
    ...more,
  });
/** Writes a file that a proof is read from. */
export function write(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}
export const AWS = { kind: 'aws', region: 'eu-central-1' } as const;
export const accessKey = (id = 'AKIASIM1') =>
  JSON.stringify({ access_key_id: id, secret_access_key: makeLongTermSecret(id) });
