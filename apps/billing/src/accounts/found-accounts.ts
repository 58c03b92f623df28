/**
 * The condition that a text finds the row `account`: by a part of its name or of the e-mail address of somebody in it, or by
 * its id.
 *
 * @param find the parameter that holds the text, such as `$1`.
 */
export const toFoundCondition = (
  find: string,
): string => `(position(lower(${find}) IN lower(account.name)) > 0 OR account.id::text = lower(${find})
  OR EXISTS (SELECT FROM billing.app_user p WHERE p.account_id = account.id
    AND position(lower(${find}) IN lower(p.email)) > 0))`;
