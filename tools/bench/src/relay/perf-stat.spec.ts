import { parsePerfStat } from './perf-stat.ts';

const event = 'instructions:u';

// Lines as perf prints them: of perf 6.1 in a virtual machine, as documents of perf show them, and of a processor with two kinds of cores.
test.each([
  ['counted', '987654321,,instructions:u,123456789,100.00,0.80,insn per cycle', { value: 987_654_321 }],
  ['counted, no metric', '10558014,,instructions:u,1000000,100.00,,', { value: 10_558_014 }],
  ['not supported', '<not supported>,,instructions:u,0,100.00,,', { missing: 'not supported' }],
  ['not counted', '<not counted>,,instructions:u,0,0.00,,', { missing: 'not counted' }],
  [
    'shared with others',
    '2718281,,instructions:u,61728394,49.97,0.80,insn per cycle',
    { missing: 'counted 50 % of the time' },
  ],
  [
    'one kind of cores alone',
    '1234567,,cpu_core/instructions:u/,1000,100.00,,\n<not counted>,,cpu_atom/instructions:u/,0,0.00,,',
    { value: 1_234_567 },
  ],
  [
    'both kinds, of a newer perf',
    '<not counted>,,cpu_atom/cycles/u,0,0.00,,\n300,,cpu_atom/instructions/u,1000,25.10,,\n700,,cpu_core/instructions/u,3000,74.90,,',
    { value: 1_000 },
  ],
  ['something else', '0.49,msec,task-clock,491359,100.00,0.515,CPUs utilized', undefined],
  ['nothing', '', undefined],
  ['words', 'Error:\nAccess to performance monitoring and observability operations is limited.', undefined],
])('%s', (_, output, expected) => {
  expect(parsePerfStat(output).get(event)).toEqual(expected);
});

test('of several events each has its own, with its fraction', () => {
  const output = `
# started on Mon Jan  1 00:00:00 2026
1234567890,,cycles:u,123456789,100.00,,
987654321,,instructions:u,123456789,100.00,0.80,insn per cycle
0.49,msec,task-clock,491359,100.00,0.515,CPUs utilized
0,,context-switches:u,491359,100.00,0.000,/sec
<not supported>,,instructions:k,0,100.00,,
`;
  expect(Object.fromEntries(parsePerfStat(output))).toEqual({
    'cycles:u': { value: 1_234_567_890 },
    'instructions:u': { value: 987_654_321 },
    'task-clock': { value: 0.49 },
    'context-switches:u': { value: 0 },
    'instructions:k': { missing: 'not supported' },
  });
});
