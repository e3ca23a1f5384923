import { html } from '@codemirror/lang-html';
import type { Extension } from '@codemirror/state';

/** HTML with the styles in it. Tags are not closed by themselves: a mail is more often pasted than written. */
export const htmlLanguage = (): Extension => html({ autoCloseTags: false });
