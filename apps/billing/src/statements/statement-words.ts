import type { MeterKind } from '@tollgate/vocabulary';

/** What stands on the page of a statement beside its figures. */
export interface PageWords {
  readonly title: string;
  readonly span: (of: Readonly<Record<'id' | 'from' | 'to' | 'zone', string>>) => string;
  readonly usage: string;
  readonly model: string;
  readonly requests: string;
  readonly counts: string;
  readonly cost: string;
  readonly usageTotal: string;
  readonly rounded: string;
  readonly balance: string;
  readonly what: string;
  readonly transactions: string;
  readonly amount: string;
  readonly opening: string;
  readonly closing: string;
  readonly rounding: string;
  readonly comma: string;
  readonly closed: (hash: string) => string;
  readonly open: (number: number) => string;
  readonly movements: Readonly<Record<string, string>>;
  /** Those that are not named here are called as the API calls them. */
  readonly meterKinds: Readonly<Partial<Record<MeterKind, string>>>;
}

export type PageLanguage = 'en' | 'zh-CN';

export const PAGE_WORDS: Readonly<Record<PageLanguage, PageWords>> = {
  en: {
    title: 'Statement',
    span: ({ id, from, to, zone }) =>
      `Account ${id}. From ${from} to ${to} (a month in ${zone}). All amounts in USD.`,
    usage: 'Usage',
    model: 'Model',
    requests: 'Requests',
    counts: 'Tokens and units',
    cost: 'Cost',
    usageTotal: 'Total usage',
    rounded: 'In whole cents',
    balance: 'Balance',
    what: 'What',
    transactions: 'Transactions',
    amount: 'Amount',
    opening: 'Opening balance',
    closing: 'Closing balance',
    rounding:
      'Every amount is exact. Sums are rounded to whole cents, half to even, once and at the end; nothing that is added up is rounded before.',
    comma: ', ',
    closed: (hash) => `Closed. SHA-256 of the period: ${hash}`,
    open: (number) => `Open: figures as of ledger transaction ${number}, and they may change.`,
    movements: {
      payment: 'Payments',
      grant: 'Credit granted',
      redemption: 'Codes redeemed',
      refund: 'Refunds',
      payout: 'Paid out',
      correction: 'Corrections',
      adjustment: 'Adjustments',
      write_off: 'Written off',
    },
    meterKinds: {},
  },
  'zh-CN': {
    title: '账单',
    span: ({ id, from, to, zone }) =>
      `账户 ${id}。自 ${from} 至 ${to}（按 ${zone} 时区计算的一个月）。所有金额均为美元。`,
    usage: '用量',
    model: '模型',
    requests: '请求数',
    counts: 'Token 与其他用量',
    cost: '费用',
    usageTotal: '用量合计',
    rounded: '精确到分',
    balance: '余额',
    what: '项目',
    transactions: '笔数',
    amount: '金额',
    opening: '期初余额',
    closing: '期末余额',
    rounding: '每个金额都是精确值。合计只在最后舍入到分一次（四舍六入五成双），相加之前不作任何舍入。',
    comma: '，',
    closed: (hash) => `已结账。本期的 SHA-256：${hash}`,
    open: (number) => `未结账：数字截至账本第 ${number} 笔，仍可能变化。`,
    movements: {
      payment: '付款',
      grant: '赠送额度',
      redemption: '兑换码',
      refund: '退款',
      payout: '支出',
      correction: '更正',
      adjustment: '调整',
      write_off: '核销',
    },
    meterKinds: {
      input: '输入',
      input_audio: '音频输入',
      input_image: '图像输入',
      cache_read: '缓存输入',
      cache_read_audio: '缓存音频输入',
      cache_read_image: '缓存图像输入',
      cache_write: '缓存写入',
      cache_write_1h: '缓存写入（1 小时）',
      output: '输出',
      output_reasoning: '推理',
      output_audio: '音频输出',
      output_image: '图像输出',
      images: '图像',
      characters: '字符',
      audio_milliseconds: '音频毫秒',
      video_milliseconds: '视频毫秒',
      searches: '搜索',
      fetches: '网页抓取',
      file_searches: '文件搜索',
      container_sessions: '容器会话',
      rerank_units: '重排单位',
      pages: '页',
    },
  },
};
