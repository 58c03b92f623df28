import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { readInvoice } from './read-invoice.ts';

const read = (text: string, headers: Parameters<typeof readInvoice>[1] = {}) =>
  readInvoice(Readable.from([Buffer.from(text)]), headers);

test('lines of one day and model are one row, summed exactly', async () => {
  const text = [
    '\uFEFFday,model,requests,input_tokens,amount_usd',
    '2026-11-01,m,1,10,0.1',
    '2026-11-01,"m, large",1,1,-3',
    '2026-11-01,m,2,5,0.2',
    '',
  ].join('\r\n');
  expect(await read(text)).toEqual({
    lines: 3,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
    rows: [
      {
        day: '2026-11-01',
        model: 'm',
        requests: 3n,
        input_tokens: 15n,
        cached_tokens: null,
        output_tokens: null,
        amount_pico: 300_000_000_000n,
      },
      expect.objectContaining({ model: 'm, large', amount_pico: -3_000_000_000_000n }),
    ],
  });
});

test('amounts beyond a pico-USD are rounded once, when they are summed', async () => {
  const line = '2026-11-01,m,0.0000000000004';
  const { rows } = await read(['day,model,amount_usd', line, line, line].join('\n'));
  expect(rows).toMatchObject([{ amount_pico: 1n }]);
});

test('the names of columns can be given', async () => {
  const { rows } = await read('Date,Product,Spend\n2026-11-01,m,1.50\n', {
    day: 'Date',
    model: 'Product',
    amount_usd: 'Spend',
  });
  expect(rows).toMatchObject([{ day: '2026-11-01', model: 'm', amount_pico: 1_500_000_000_000n }]);
});

const HEAD = 'day,model,requests,amount_usd\n2026-11-01,m,1,1\n';
test.each([
  ['', 'no lines'],
  ['day,model,requests,amount_usd\n', 'no lines'],
  ['day,model\n2026-11-01,m\n', 'Line 1: there is no column "amount_usd"'],
  ['day,model,amount_usd,day\n', 'Line 1: the column "day" is there twice'],
  [`${HEAD}01/02/2026,m,1,1\n`, 'Line 3: day is "01/02/2026"'],
  [`${HEAD}2026-02-30,m,1,1\n`, 'Line 3: day is "2026-02-30"'],
  [`${HEAD}2026-11-01,,1,1\n`, 'Line 3: model is ""'],
  [`${HEAD}2026-11-01,m,1.5,1\n`, 'Line 3: requests is "1.5"'],
  [`${HEAD}2026-11-01,m,-1,1\n`, 'Line 3: requests is "-1"'],
  [`${HEAD}2026-11-01,m,1,$1\n`, 'Line 3: amount_usd is "$1"'],
  [`${HEAD}2026-11-01,m,1,1e-5\n`, 'Line 3: amount_usd is "1e-5"'],
  [`${HEAD}2026-11-01,m,1,"1,000"\n`, 'Line 3: amount_usd is "1,000"'],
  [`${HEAD}\n2026-11-01,m,1,\n`, 'Line 4: amount_usd is ""'],
  [`${HEAD}2026-11-01,m,1\n`, 'Line 3: this is not CSV'],
  [`${HEAD}2026-11-01,"m,1,1\n`, 'this is not CSV'],
  [`${HEAD}2026-11-01,${'m'.repeat(70_000)},1,1\n`, 'this is not CSV'],
])('%j is refused: %s', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

test('a file that is too large is refused while it is read', async () => {
  const chunk = Buffer.from(`${'2026-11-01,m,1\n'.repeat(1_000)}`);
  let sent = 0;
  const endless = Readable.from(
    (function* () {
      yield Buffer.from('day,model,amount_usd\n');
      for (;;) {
        sent += chunk.length;
        yield chunk;
      }
    })(),
  );
  await expect(readInvoice(endless, {}, 200_000)).rejects.toMatchObject({ status: 413 });
  expect(sent).toBeLessThan(2_000_000);
  endless.destroy();
});

test('however a file is cut into chunks, the rows are the same', async () => {
  const line = fc.record({
    day: fc.constantFrom('2026-11-01', '2026-11-02'),
    model: fc.constantFrom('m', 'größer', 'a "b", c'),
    pico: fc.bigInt(0n, 10n ** 15n),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1 }),
      fc.integer({ min: 1, max: 9 }),
      async (lines, size) => {
        const text = lines
          .map(
            ({ day, model, pico }) =>
              `${day},"${model.replaceAll('"', '""')}",${pico / 10n ** 12n}.${String(pico % 10n ** 12n).padStart(12, '0')}`,
          )
          .join('\n');
        const file = Buffer.from(`day,model,amount_usd\n${text}`);
        const chunks = Array.from({ length: Math.ceil(file.length / size) }, (_, index) =>
          file.subarray(index * size, (index + 1) * size),
        );
        const { rows } = await readInvoice(Readable.from(chunks), {});
        const total = lines.reduce((sum, { pico }) => sum + pico, 0n);
        expect(rows.reduce((sum, { amount_pico }) => sum + amount_pico, 0n)).toBe(total);
        expect(rows).toHaveLength(new Set(lines.map(({ day, model }) => `${day} ${model}`)).size);
      },
    ),
  );
});
