import type { CollectionModel } from '../api/collection-model.js';
import type { RateLimitRuleModel } from '../api/models.js';

const READ = ['list', 'view'];
const WRITE = ['create', 'update', 'delete', 'file'];
const AUTH = [
  'listAuthMethods',
  'auth',
  'authRefresh',
  'authWithPassword',
  'authWithOAuth2',
  'authWithOTP',
  'requestOTP',
  'requestPasswordReset',
  'confirmPasswordReset',
  'requestVerification',
  'confirmVerification',
  'requestEmailChange',
  'confirmEmailChange',
];

/** Labels worth offering: paths, actions anywhere, actions on each collection (OPS-21). */
export function rateLabels(collections: readonly CollectionModel[]): string[] {
  const tags = [...READ, ...WRITE, ...AUTH];
  return [
    '/api/',
    '/api/batch',
    '/api/realtime',
    'POST /api/',
    'GET /api/',
    ...tags.map((tag) => `*:${tag}`),
    ...collections.flatMap((each) =>
      [...READ, ...(each.type === 'view' ? ['file'] : WRITE), ...(each.type === 'auth' ? AUTH : [])].map(
        (tag) => `${each.name}:${tag}`,
      ),
    ),
  ];
}

function rank(label: string): number {
  if (/^\w+:/.test(label)) return 0;
  if (label.startsWith('*:')) return 1;
  if (/^\w+$/.test(label)) return 2;
  const prefix = label.endsWith('/') ? 3 : 0;
  return (/^\w+ /.test(label) ? 3 : 4) + prefix;
}

/** The rules in the order in which they win (OPS-22). */
export function sortByPrecedence(rules: readonly RateLimitRuleModel[]): RateLimitRuleModel[] {
  return [...rules].sort(
    (a, b) => rank(a.label) - rank(b.label) || b.label.length - a.label.length || a.label.localeCompare(b.label),
  );
}
