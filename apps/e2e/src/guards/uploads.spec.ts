import { sharedStack } from '../shared-stack.ts';

const at = sharedStack();
const ENDLESS = `day,model,amount_usd\n2026-10-01,"${'x'.repeat(3_000_000)}`;

test('a broken file that somebody sends in holds nobody else up, through the same front door', async () => {
  for (let round = 0; round < 3; round += 1) {
    const sent = await fetch(`${at.baseUrl}/api/finance/reconciliations?upstream=east`, {
      method: 'POST',
      headers: { cookie: at.cookie, 'content-type': 'text/csv' },
      body: ENDLESS,
    });
    expect([sent.status, await sent.text()]).toEqual([400, expect.stringContaining('this is not CSV')]);
    // More than the front door keeps connections for: one of them is that of the file.
    const others = await Promise.all(
      Array.from({ length: 12 }, () =>
        fetch(`${at.baseUrl}/api/setup`, { signal: AbortSignal.timeout(20_000) }).then(
          ({ status }) => status,
        ),
      ),
    );
    expect(new Set(others)).toEqual(new Set([200]));
  }
}, 90_000);
