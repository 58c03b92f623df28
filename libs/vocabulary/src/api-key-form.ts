/** What an API key looks like: ours, which have 48 letters and digits, and those that are taken over from other relays. */
const FORM = 'sk-[A-Za-z0-9_-]{16,128}';

/** The whole of a text is in the form of a key. */
export const API_KEY_FORM = new RegExp(`^${FORM}$`);
/** Some part of a text is. */
export const API_KEY_WITHIN = new RegExp(FORM);
/** The form in words. */
export const API_KEY_FORM_TEXT = '"sk-" and 16 to 128 letters, digits, "_" and "-"';
