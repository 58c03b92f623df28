import { ApiError, read, toApiError } from './result.ts';

test('a success is its body', async () => {
  const answer = { data: { total: 3 }, response: new Response('{}', { status: 200 }) };
  await expect(read(Promise.resolve(answer))).resolves.toEqual({ total: 3 });
});

test('a refusal says what the service said, and which field is wrong', async () => {
  const refusal = {
    error: { error: { message: 'name: too long.', param: 'name', type: 'invalid_request_error' } },
    response: new Response('', { status: 400 }),
  };
  const thrown = await read(Promise.resolve(refusal)).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ApiError);
  expect(thrown).toMatchObject({ status: 400, message: 'name: too long.', param: 'name' });
});

test('an answer that never came has status 0', async () => {
  await expect(read(Promise.resolve({ error: new TypeError('Failed to fetch') }))).rejects.toMatchObject({
    status: 0,
    param: null,
  });
});

test('what a refusal says in figures comes with its code', () => {
  const values = { max: 20 };
  const body = { error: { message: 'This account may have 20 keys.', code: 'too_many_keys', values } };
  expect(toApiError(409, body)).toMatchObject({ code: 'too_many_keys', values });
});

test.each([undefined, null, 'Bad gateway', {}, { error: 'no' }, { error: null }, { error: { message: 7 } }])(
  'a body of another form, %j, leaves the status to speak',
  (body) => {
    expect(toApiError(502, body)).toMatchObject({ status: 502, message: '', param: null });
  },
);
