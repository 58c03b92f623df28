import { isCommonPassword } from './common-passwords.ts';

const ABOUT = ['grace.hopper@navy.example', 'Grace Hopper'];

test.each([
  '123456789012',
  'aaaaaaaaaaaa',
  'password1234',
  'P@ssw0rd1234',
  'passwordpassword',
  'iloveyouiloveyou',
  'qwertyuiop[]',
  '1q2w3e4r5t6y',
  'abcdefghijklmnop',
  'Summer2026!!',
  '20261122120000',
  'tollgate1234',
  'TollGate2026!',
  'tollgatetollgate',
  'grace.hopper@navy.example',
  'Grace.Hopper@Navy.Example',
  'hopperhopper1',
  'GraceHopper12',
])('"%s" is common', async (password) => {
  expect(await isCommonPassword(password, ABOUT)).toBe(true);
});

test.each(['correct horse battery staple', 'a long enough password', 'x9$kfLq2vR!p', 'Tr0ub4dor&3xy'])(
  '"%s" is not',
  async (password) => {
    expect(await isCommonPassword(password, ABOUT)).toBe(false);
  },
);
