import pg from 'pg';

interface Line {
  readonly day: string;
  readonly model: string;
  readonly requests: string;
  readonly input: string;
  readonly output: string;
  readonly amount: string;
}

/** An invoice over the last two weeks as the simulator would write it: nearly what was used, for a comparison to find. */
export async function readDemoInvoice(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Line>(
    `SELECT to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, upstream_model AS model,
       count(*)::text AS requests, sum(tokens_input)::text AS input, sum(tokens_output)::text AS output,
       (sum(upstream_cost_pico) / 1000000000000)::numeric(20, 6)::text AS amount
     FROM billing.usage WHERE upstream = 'simulator' AND occurred_at < date_trunc('day', now(), 'UTC')
       AND occurred_at >= date_trunc('day', now(), 'UTC') - interval '14 days'
     GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  await client.end();
  const lines = rows.flatMap(({ day, model, requests, input, output, amount }, index) => {
    if (index === 9) return [];
    return [[day, model, requests, input, output, index % 17 === 4 ? `1${amount}` : amount].join(',')];
  });
  return ['day,model,requests,input_tokens,output_tokens,amount_usd', ...lines, ''].join('\n');
}
