import { toCsv } from './csv.ts';

test('rows become lines with a column for each field, in exact values', () => {
  const rows = [
    { id: 1, name: 'a, "b"', budgets: { total_usd: '12.50', daily_usd: null }, models: ['x', 'y'] },
    { id: 2, name: null, budgets: { total_usd: '-0.000000000001', daily_usd: '1' }, lines: [{ a: 1 }] },
  ];
  expect(toCsv(rows)).toBe(
    [
      'id,name,budgets.total_usd,budgets.daily_usd,models,lines',
      '1,"a, ""b""",12.50,,x y,',
      '2,,-0.000000000001,1,,"[{""a"":1}]"',
      '',
    ].join('\r\n'),
  );
});

test.each(['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\tx'])('%j is no formula for a spreadsheet', (name) => {
  expect(toCsv([{ name }])).toBe(`name\r\n'${name}\r\n`);
});

test('nothing is an empty file', () => {
  expect(toCsv([])).toBe('\r\n');
});
