import { Injectable } from '@nestjs/common';
import { BeforeCollectionUpdate, type CollectionUpdateEvent } from '../collections/collection.hooks.js';
import { SettingsService } from '../settings/settings.service.js';
import type { RateLimitRule } from '../settings/settings.js';

/** After the handlers that may still choose another name. */
const LAST = { order: Number.MAX_SAFE_INTEGER };

/** Lets rules follow the collections they name, in the transaction that renames those (OPS-7). */
@Injectable()
export class RenamedCollectionsHooks {
  constructor(private readonly settings: SettingsService) {}

  @BeforeCollectionUpdate(LAST)
  async follow({ original, definition }: CollectionUpdateEvent): Promise<void> {
    if (original.name === definition.name) return;
    const { rules } = this.settings.get().rateLimits;
    const renamed = renamedRules(rules, original.name, definition.name);
    if (renamed) await this.settings.patch({ rateLimits: { rules: renamed } });
  }
}

/** The rules with labels of the new name; undefined when none has the old one. */
export function renamedRules(
  rules: readonly RateLimitRule[],
  from: string,
  to: string,
): readonly RateLimitRule[] | undefined {
  const prefix = `${from}:`;
  if (!rules.some(({ label }) => label.startsWith(prefix))) return undefined;
  // Rules that waited for a collection of the new name give way to those that were in force.
  const coming = new Set(
    rules.flatMap(({ label }) => (label.startsWith(prefix) ? [to + label.slice(from.length)] : [])),
  );
  return rules
    .filter(({ label }) => !coming.has(label))
    .map((rule) => (rule.label.startsWith(prefix) ? { ...rule, label: to + rule.label.slice(from.length) } : rule));
}
