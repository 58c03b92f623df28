import { parseUsd, PICO_PER_USD } from '@tollgate/money';

const ONES = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'],
  ...['twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
];
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const SCALES = ['', ' thousand', ' million', ' billion', ' trillion', ' quadrillion', ' quintillion'];

const DIGITS = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
const PLACES = ['', '十', '百', '千'];
const GROUPS = ['', '万', '亿', '兆', '京'];

const CENT = PICO_PER_USD / 100n;

/**
 * Every digit of an amount in words, so that a slip of the comma is heard: "twelve US dollars and fifty cents". What has
 * more than cents is read digit by digit behind the point. Below zero is "minus".
 */
export function amountInWords(amount: string, locale: string): string {
  const signed = parseUsd(amount);
  const pico = signed < 0n ? -signed : signed;
  const [dollars, rest] = [pico / PICO_PER_USD, pico % PICO_PER_USD];
  const digits = rest.toString().padStart(12, '0').replace(/0+$/, '');
  const parts = { dollars, cents: rest % CENT === 0n ? rest / CENT : null, digits };
  return locale === 'zh-CN' ? chinese(parts, signed < 0n) : english(parts, signed < 0n);
}

interface Parts {
  readonly dollars: bigint;
  /** Null where cents are not all. */
  readonly cents: bigint | null;
  /** Behind the point, without zeros at the end. */
  readonly digits: string;
}

function english({ dollars, cents, digits }: Parts, isNegative: boolean): string {
  const sign = isNegative ? 'minus ' : '';
  const whole = sign + englishNumber(dollars);
  if (cents === null)
    return `${whole} point ${[...digits].map((digit) => ONES[Number(digit)]).join(' ')} US dollars`;
  const unit = dollars === 1n ? 'US dollar' : 'US dollars';
  if (cents === 0n) return `${whole} ${unit}`;
  return `${whole} ${unit} and ${englishNumber(cents)} ${cents === 1n ? 'cent' : 'cents'}`;
}

function englishNumber(value: bigint): string {
  if (value === 0n) return 'zero';
  const groups: string[] = [];
  for (let [left, scale] = [value, 0]; left > 0n; left /= 1_000n, scale += 1) {
    const group = Number(left % 1_000n);
    if (group > 0) groups.unshift(`${englishGroup(group)}${SCALES[scale] ?? ''}`);
  }
  return groups.join(' ');
}

function englishGroup(value: number): string {
  const [hundreds, rest] = [Math.floor(value / 100), value % 100];
  const small =
    rest < 20 ? ONES[rest] : [TENS[Math.floor(rest / 10)], ...(rest % 10 ? [ONES[rest % 10]] : [])].join('-');
  if (hundreds === 0) return small ?? '';
  return rest === 0 ? `${ONES[hundreds]} hundred` : `${ONES[hundreds]} hundred ${small}`;
}

function chinese({ dollars, cents, digits }: Parts, isNegative: boolean): string {
  const whole = (isNegative ? '负' : '') + chineseNumber(dollars);
  if (cents === null) return `${whole}点${[...digits].map((digit) => DIGITS[Number(digit)]).join('')}美元`;
  return cents === 0n ? `${whole}美元整` : `${whole}美元${chineseNumber(cents)}美分`;
}

function chineseNumber(value: bigint): string {
  if (value === 0n) return '零';
  let text = '';
  let hasGap = false;
  const groups: number[] = [];
  for (let left = value; left > 0n; left /= 10_000n) groups.unshift(Number(left % 10_000n));
  groups.forEach((group, index) => {
    if (group === 0) {
      hasGap = text !== '';
      return;
    }
    const isShort = text !== '' && group < 1_000;
    text += `${hasGap || isShort ? '零' : ''}${chineseGroup(group)}${GROUPS[groups.length - 1 - index] ?? ''}`;
    hasGap = false;
  });
  return text.replace(/^一十/, '十');
}

function chineseGroup(value: number): string {
  let text = '';
  let hasGap = false;
  for (let place = 3; place >= 0; place -= 1) {
    const digit = Math.floor(value / 10 ** place) % 10;
    if (digit === 0) hasGap = text !== '';
    else {
      text += `${hasGap ? '零' : ''}${DIGITS[digit]}${PLACES[place]}`;
      hasGap = false;
    }
  }
  return text;
}
