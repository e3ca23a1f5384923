/** What a rule of a collection says, in the words of the glossary: it is locked, open, or an expression. */
export function ruleText(rule: string | null | undefined, name = 'listRule'): string {
  if (rule === null || rule === undefined) return name === 'authRule' ? 'Nobody' : 'Superusers only';
  return rule === '' ? 'Everyone' : rule;
}
