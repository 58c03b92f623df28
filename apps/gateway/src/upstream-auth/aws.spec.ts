import { signAwsRequest } from './aws.ts';

// AWS's own public example of an access key.
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

const signatureOf = async (path: string, keys: { sessionToken?: string } = {}) => {
  const headers = await signAwsRequest(
    {
      method: 'POST',
      origin: 'https://bedrock-runtime.us-east-1.amazonaws.com',
      path,
      protocol: 'openai-chat',
      headers: { 'content-type': 'application/json', 'x-own': 'not signed' },
      body: Buffer.from('{"messages":[{"role":"user","content":[{"text":"hi"}]}]}'),
    },
    { ...KEYS, ...keys },
    { kind: 'aws', region: 'us-east-1' },
    new Date('2026-11-22T05:00:00Z'),
  );
  expect(headers).toMatchObject({ 'x-own': 'not signed', 'x-amz-date': '20261122T050000Z' });
  return headers['authorization'];
};

const PATH = '/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/converse';
const said = (signed: string, signature: string) =>
  `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261122/us-east-1/bedrock/aws4_request, SignedHeaders=${signed}, Signature=${signature}`;

test.each([
  [
    PATH,
    {},
    'content-type;host;x-amz-date',
    'c3f1a0d808bf5f7a1afde7be400532575e3bd80fe17717c3ed43013010a1e2d0',
  ],
  [
    PATH.replace('%3A', ':'),
    {},
    'content-type;host;x-amz-date',
    '121b3093947cc5918189035607632fa34315fa9d9cc207ecd361ac119a630868',
  ],
  [
    PATH,
    { sessionToken: 'SESSIONTOKEN' },
    'content-type;host;x-amz-date;x-amz-security-token',
    'ed9947a1e7b971a09e49ef0900fe0a65e6d98a96da01dc84fbd2edaf12509a2c',
  ],
])('%s %j is signed as others compute it', async (path, keys, signed, signature) => {
  expect(await signatureOf(path, keys)).toBe(said(signed, signature));
});
