import { withHostName, withPlainName } from './session-cookie.ts';

test.each([
  ['__Host-tollgate_session=a.b', 'tollgate_session=a.b'],
  ['theme=dark; __Host-tollgate_session=a.b; x=1', 'theme=dark; tollgate_session=a.b; x=1'],
  ['tollgate_session=planted', ''],
  ['tollgate_session=planted; __Host-tollgate_session=a.b', 'tollgate_session=a.b'],
  ['__Host-tollgate_session=a.b;tollgate_session=planted', 'tollgate_session=a.b'],
  [' tollgate_session = planted ; x=1', 'x=1'],
  ['tollgate_session', ''],
  ['', ''],
])('over https %j is %j', (header, plain) => {
  expect(withPlainName(header, true)).toBe(plain);
});

test.each([
  ['tollgate_session=a.b', 'tollgate_session=a.b'],
  [
    'x=1;tollgate_session=a.b; __Host-tollgate_session=c',
    'x=1;tollgate_session=a.b; __Host-tollgate_session=c',
  ],
  ['x=1; __Host-tollgate_session=a.b', 'x=1; tollgate_session=a.b'],
  ['x=1', 'x=1'],
])('over http %j is %j', (header, plain) => {
  expect(withPlainName(header, false)).toBe(plain);
});

test.each([
  ['tollgate_session=a.b; Path=/; Secure', '__Host-tollgate_session=a.b; Path=/; Secure'],
  ['other=tollgate_session=a; Path=/', 'other=tollgate_session=a; Path=/'],
])('%j is set as %j', (cookie, sent) => {
  expect(withHostName(cookie)).toBe(sent);
});
