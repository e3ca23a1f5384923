import { Injectable } from '@nestjs/common';
import { CollectionsRenamed, type CollectionsRenamedEvent } from '../collections/collection.hooks.js';
import { SettingsService } from '../settings/settings.service.js';
import type { RateLimitRule } from '../settings/settings.js';

/** Renames collections in the labels of rules, in the transaction that renames them (OPS-7). */
@Injectable()
export class RenamedCollectionsHooks {
  constructor(private readonly settings: SettingsService) {}

  @CollectionsRenamed()
  async follow({ names }: CollectionsRenamedEvent): Promise<void> {
    await this.settings.revise(({ rateLimits }) => {
      const rules = renamedRules(rateLimits.rules, names);
      return rules && { rateLimits: { rules } };
    });
  }
}

/** What a label names: a collection and a tag, or a path below a collection, with or without its method. */
const LABEL_OF_COLLECTION = /^(?<before>(?:[A-Z]+ )?\/api\/collections\/)?(?<name>\w+)(?<after>[:/].*|$)/;

/**
 * The rules with the new names in their labels, all replaced at the same time; undefined when none has an old name. A
 * rule that already had a new name gives way to the renamed one.
 */
function renamedRules(
  rules: readonly RateLimitRule[],
  names: ReadonlyMap<string, string>,
): readonly RateLimitRule[] | undefined {
  const renamed = rules.map((rule) => ({ rule, label: renamedLabel(rule.label, names) }));
  const coming = new Set(renamed.flatMap(({ label }) => label ?? []));
  if (coming.size === 0) return undefined;
  return renamed
    .filter(({ rule, label }) => label !== undefined || !coming.has(rule.label))
    .map(({ rule, label }) => (label === undefined ? rule : { ...rule, label }));
}

function renamedLabel(label: string, names: ReadonlyMap<string, string>): string | undefined {
  const { before = '', name = '', after = '' } = LABEL_OF_COLLECTION.exec(label)?.groups ?? {};
  const to = names.get(name);
  // A bare word is a tag, even if a collection has that name.
  if (to === undefined || (before === '' && !after.startsWith(':'))) return undefined;
  return before + to + after;
}
