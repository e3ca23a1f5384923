import { Injectable } from '@nestjs/common';
import { CollectionsRenamed, type CollectionsRenamedEvent } from '../collections/collection.hooks.js';
import { SettingsService } from '../settings/settings.service.js';
import type { RateLimitRule } from '../settings/settings.js';

/** Lets rules follow the collections they name, in the transaction that renames those (OPS-7). */
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
 * The rules with labels of the new names, all replaced at the same time; undefined when none has an old one. Rules that
 * waited for a collection of a new name give way to those that were in force.
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
  // A bare word is a tag, whatever collections are called.
  if (to === undefined || (before === '' && !after.startsWith(':'))) return undefined;
  return before + to + after;
}
