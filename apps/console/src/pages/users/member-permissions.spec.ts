import type { SignedIn } from '../../api/session.ts';
import { findMemberPermissions, rolesFor } from './member-permissions.ts';

const session = (role: SignedIn['role']): SignedIn => ({
  user_id: 'me',
  account_id: 'a',
  email: 'e',
  role,
  time_zone: 'UTC',
});

test('an admin does nothing to an owner and makes none', () => {
  expect(findMemberPermissions(session('admin'), { id: 'other', role: 'owner' })).toEqual({
    anything: false,
    roles: [],
    disable: false,
    remove: false,
  });
  expect(rolesFor(session('admin'))).toEqual(['admin', 'finance', 'member']);
});

test('an owner gives every role', () => {
  expect(findMemberPermissions(session('owner'), { id: 'other', role: 'admin' })).toEqual({
    anything: true,
    roles: ['owner', 'admin', 'finance', 'member'],
    disable: true,
    remove: true,
  });
});

test('nobody disables or removes themselves', () => {
  expect(findMemberPermissions(session('owner'), { id: 'me', role: 'owner' })).toMatchObject({
    disable: false,
    remove: false,
  });
});
