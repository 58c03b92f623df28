import { chooseLanguage, isLanguage } from './languages.ts';

test.each([
  [['en-GB', 'de'], 'en'],
  [['zh-CN', 'en'], 'zh-CN'],
  [['zh-TW', 'en'], 'zh-CN'],
  [['zh'], 'zh-CN'],
  [['de', 'zh-Hans-SG'], 'zh-CN'],
  [['de', 'fr'], 'en'],
  [[], 'en'],
])('a browser that wants %j reads %s', (tags, language) => {
  expect(chooseLanguage(tags)).toBe(language);
});

test('what is kept from an earlier visit counts only where it names a language', () => {
  expect(['en', 'zh-CN', 'tlh', 'toString', null].map(isLanguage)).toEqual([true, true, false, false, false]);
});
