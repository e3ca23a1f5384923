import { Injectable } from '@nestjs/common';
import { BeforeCollectionUpdate, type CollectionUpdateEvent } from '../collections/collection.hooks.js';
import { SettingsService } from '../settings/settings.service.js';

/** Lets the labels of rate limit rules follow a collection that gets another name, in the same transaction (OPS-7). */
@Injectable()
export class RenamedCollections {
  constructor(private readonly settings: SettingsService) {}

  @BeforeCollectionUpdate()
  async follow({ original, definition }: CollectionUpdateEvent): Promise<void> {
    const [from, to] = [`${original.name}:`, `${definition.name}:`];
    const { rules } = this.settings.get().rateLimits;
    if (from === to || !rules.some(({ label }) => label.startsWith(from))) return;
    const moved = rules
      .filter(({ label }) => label.startsWith(from))
      .map((rule) => ({ ...rule, label: to + rule.label.slice(from.length) }));
    const labels = new Set(moved.map(({ label }) => label));
    // Rules that waited for a collection of the new name would contradict the ones that come with it.
    const others = rules.filter(({ label }) => !label.startsWith(from) && !labels.has(label));
    await this.settings.patch({ rateLimits: { rules: [...moved, ...others] } });
  }
}
