import type { Catalogue } from '../../api/catalogue.ts';
import { findTestFailure, listTestModels } from './test-models.ts';

const catalogue = {
  models: ['large', 'small', 'other'].map((name) => ({ name })),
  upstreams: [{ name: 'east', costs: { small: {} } }],
  pools: [
    { models: ['other'], members: [{ upstream: 'east' }] },
    { models: ['*'], members: [{ upstream: 'west' }] },
  ],
} as unknown as Catalogue;

test('a test names first what is sent there, then what it has costs of', () => {
  expect(listTestModels(catalogue, 'east')).toEqual(['other', 'small', 'large']);
  expect(listTestModels(catalogue, 'west')).toEqual(['large', 'small', 'other']);
  expect(listTestModels(catalogue, 'new')).toEqual(['large', 'small', 'other']);
});

test.each([
  [401, 'Incorrect API key', 'refused'],
  [404, 'no such model', 'noModel'],
  [429, null, 'limited'],
  [503, null, 'upstreamError'],
  [422, 'temperature', 'badRequest'],
  [null, 'getaddrinfo ENOTFOUND api.example', 'noHost'],
  [null, 'No answer within 20 seconds.', 'timeout'],
  [null, 'connect ECONNREFUSED 10.0.0.1:80', 'noConnection'],
  [null, '', 'unreachable'],
] as const)('%p %p is told as %s', (status, error, failure) => {
  expect(findTestFailure({ status, error })).toBe(failure);
});
