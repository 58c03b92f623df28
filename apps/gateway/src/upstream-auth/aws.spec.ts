import { EXTERNAL_ID } from '@tollgate/simulator/clouds';
import {
  accessKey,
  AWS,
  aws,
  createProof,
  endTokens,
  issueBriefTokens,
  issued,
  setFaults,
  simulator,
  useClouds,
  write,
} from '../../testing/clouds.ts';
import { signAwsRequest } from './aws.ts';

useClouds();

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

describe('AWS takes', () => {
  test('an access key, for the service that is stated', async () => {
    const { status, json } = await aws(createProof({ ...AWS, service: 'bedrock-mantle' }, accessKey()));
    expect([status, json]).toEqual([
      200,
      { account: 'AKIASIM1', region: 'eu-central-1', service: 'bedrock-mantle' },
    ]);
  });

  test.each([
    '/model/arn%3Aaws%3Abedrock%3Aeu%3A1%3Ainference-profile%2Fx/converse',
    '/model/a%20b/invoke',
    '/model/gr%C3%BC%C3%9Fe/x?q=%2F1%20&q=0&e',
  ])('the signature of %s', async (path) => {
    expect((await aws(createProof(AWS, accessKey()), path)).status).toBe(200);
  });

  test('the keys of a container, with their token', async () => {
    Object.assign(process.env, {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws/container-credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'sim-container-token',
    });
    const proof = createProof(AWS, 'ambient');
    expect((await aws(proof)).json).toMatchObject({ account: 'pod' });
    await aws(proof);
    expect((await issued())['aws']).toBe(1);
  });

  test('the role of a pod, by the proof in its file', async () => {
    Object.assign(process.env, {
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/relay',
      AWS_WEB_IDENTITY_TOKEN_FILE: write('aws', 'sim-proof-5'),
      AWS_ENDPOINT_URL_STS: `${simulator.url}/aws/sts`,
    });
    expect((await aws(createProof(AWS, 'ambient'))).json).toMatchObject({
      account: 'arn:aws:iam::123456789012:role/relay',
    });
  });

  test('keys that have ended are replaced, and the proof in its file is read again', async () => {
    Object.assign(process.env, {
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/relay',
      AWS_WEB_IDENTITY_TOKEN_FILE: write('aws-again', 'sim-proof-7'),
      AWS_ENDPOINT_URL_STS: `${simulator.url}/aws/sts`,
    });
    await issueBriefTokens();
    const proof = createProof(AWS, 'ambient');
    expect((await aws(proof)).status).toBe(200);
    write('aws-again', 'another proof');
    endTokens();
    await expect(aws(proof)).rejects.toMatchObject({
      message: 'AWS gave no keys: InvalidIdentityTokenException.',
      isRefused: true,
    });
    write('aws-again', 'sim-proof-8');
    expect((await aws(proof)).status).toBe(200);
    expect((await issued())['aws']).toBe(2);
  });

  test('an assumed role until it ends, and then another', async () => {
    process.env['AWS_ENDPOINT_URL_STS'] = `${simulator.url}/aws/sts`;
    await issueBriefTokens();
    const role_arn = 'arn:aws:iam::999999999999:role/theirs';
    const proof = createProof({ ...AWS, role_arn, external_id: EXTERNAL_ID }, accessKey());
    expect((await aws(proof)).status).toBe(200);
    endTokens();
    expect((await aws(proof)).status).toBe(200);
    expect((await issued())['aws']).toBe(2);
  });

  test('the role of a machine', async () => {
    process.env['AWS_EC2_METADATA_DISABLED'] = 'false';
    process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = simulator.url;
    expect((await aws(createProof(AWS, 'ambient'))).json).toMatchObject({ account: 'instance' });
  });

  test('a role of another account, with what it asks for', async () => {
    process.env['AWS_ENDPOINT_URL_STS'] = `${simulator.url}/aws/sts`;
    const role_arn = 'arn:aws:iam::999999999999:role/theirs';
    const proof = createProof({ ...AWS, role_arn, external_id: EXTERNAL_ID }, accessKey());
    expect((await aws(proof)).json).toMatchObject({ account: role_arn });
    const wrong = createProof({ ...AWS, role_arn, external_id: 'other' }, accessKey());
    await expect(aws(wrong)).rejects.toMatchObject({
      message: 'AWS gave no keys: AccessDenied.',
      isRefused: true,
    });
  });

  test.each([600, -600])('a signature by its clock where ours is %i seconds off', async (skew_s) => {
    await setFaults({ skew_s });
    const proof = createProof(AWS, accessKey());
    const { status, refusal } = await aws(proof);
    expect(status).toBe(403);
    expect(await proof.renew?.(refusal)).toBe(true);
    expect((await aws(proof)).status).toBe(200);
  });

  test('lent keys that it refuses are replaced; an access key is what it is', async () => {
    Object.assign(process.env, {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${simulator.url}/aws/container-credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'sim-container-token',
    });
    await setFaults({ refuse_next: 2 });
    const [lent, own] = [createProof(AWS, 'ambient'), createProof(AWS, accessKey())];
    expect(await lent.renew?.((await aws(lent)).refusal)).toBe(true);
    expect(await own.renew?.((await aws(own)).refusal)).toBe(false);
    expect((await aws(lent)).status).toBe(200);
    expect((await issued())['aws']).toBe(2);
  });
});
