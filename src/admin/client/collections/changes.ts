import { isMultiple, RULE_NAMES, type CollectionModel } from '../api/collection-model.js';
import type { CollectionDraft } from './collection-draft.js';
import { ruleText } from './rule-text.js';

/** One change that should be looked at before it is saved (UI-46). */
export interface ReviewedChange {
  readonly title: string;
  readonly from: string;
  readonly to: string;
  /** What will be lost; absent when nothing is. */
  readonly loss?: string;
}

function hostOf(url: string | undefined): string {
  try {
    return url ? new URL(url).host : '';
  } catch {
    return url ?? '';
  }
}

function fieldChanges(before: CollectionModel, draft: CollectionDraft): ReviewedChange[] {
  const changes: ReviewedChange[] = [];
  for (const old of before.fields) {
    const now = draft.fields.find((each) => each.field.id === old.id);
    if (!now || now.removed) {
      if (old.system) continue;
      changes.push({
        title: 'Field removed',
        from: `${old.name} (${old.type})`,
        to: '–',
        loss: `All values of ${old.name}${old.type === 'file' ? ' and their files' : ''} are deleted.`,
      });
      continue;
    }
    if (now.field.name !== old.name) {
      changes.push({
        title: 'Field renamed',
        from: old.name,
        to: now.field.name,
        loss: 'Clients, rules and views that use the old name stop working.',
      });
    }
    if (isMultiple(old) && !isMultiple(now.field)) {
      changes.push({
        title: `${now.field.name}: multiple to single`,
        from: `max ${String(old.maxSelect)}`,
        to: '1',
        loss: 'Only the last value of each record is kept.',
      });
    }
  }
  return changes;
}

/** The changes of an edit that may break or lose something, with old and new values. */
export function reviewedChanges(before: CollectionModel, draft: CollectionDraft): ReviewedChange[] {
  const after = draft.collection;
  const changes: ReviewedChange[] = [];
  if (before.name !== after.name) {
    changes.push({
      title: 'Collection renamed',
      from: before.name,
      to: after.name,
      loss: 'Clients, rules and views that use the old name stop working.',
    });
  }
  changes.push(...fieldChanges(before, draft));
  for (const name of [...RULE_NAMES, 'authRule', 'manageRule'] as const) {
    if ((before[name] ?? null) !== (after[name] ?? null)) {
      changes.push({ title: name, from: ruleText(before[name], name), to: ruleText(after[name], name) });
    }
  }
  for (const provider of after.oauth2?.providers ?? []) {
    const old = before.oauth2?.providers.find((each) => each.name === provider.name);
    if (!old || !provider.name.startsWith('oidc')) continue;
    for (const key of ['authURL', 'tokenURL', 'userInfoURL'] as const) {
      if (hostOf(old[key]) !== hostOf(provider[key])) {
        changes.push({
          title: `${provider.name}: host of ${key}`,
          from: hostOf(old[key]) || '–',
          to: hostOf(provider[key]) || '–',
          loss: 'Accounts linked before may no longer be recognised, or be taken for others.',
        });
      }
    }
  }
  return changes;
}
