import { amountInWords } from './amount-in-words.ts';

test.each([
  ['0.00', 'zero US dollars', '零美元整'],
  ['1.00', 'one US dollar', '一美元整'],
  ['12.50', 'twelve US dollars and fifty cents', '十二美元五十美分'],
  ['0.01', 'zero US dollars and one cent', '零美元一美分'],
  ['100', 'one hundred US dollars', '一百美元整'],
  ['10000', 'ten thousand US dollars', '一万美元整'],
  ['-21.05', 'minus twenty-one US dollars and five cents', '负二十一美元五美分'],
  ['1000001', 'one million one US dollars', '一百万零一美元整'],
  [
    '1234567.89',
    'one million two hundred thirty-four thousand five hundred sixty-seven US dollars and eighty-nine cents',
    '一百二十三万四千五百六十七美元八十九美分',
  ],
  ['100000000', 'one hundred million US dollars', '一亿美元整'],
  ['20300', 'twenty thousand three hundred US dollars', '二万零三百美元整'],
  ['0.0000375', 'zero point zero zero zero zero three seven five US dollars', '零点零零零零三七五美元'],
  ['3.123', 'three point one two three US dollars', '三点一二三美元'],
])('%s is %s and %s', (amount, english, chinese) => {
  expect(amountInWords(amount, 'en')).toBe(english);
  expect(amountInWords(amount, 'zh-CN')).toBe(chinese);
});
