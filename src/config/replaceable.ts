import type { DynamicModule, FactoryProvider, Provider, Type } from '@nestjs/common';
import { StartError } from './start.error.js';

/** A provider that takes the place of one of Roost's: `{ provide: MAIL_TRANSPORT, useClass: MyTransport }`. */
export type Replacement = Exclude<Provider, Type>;

/** The token under which a replacement is provided. */
function replacementToken(token: symbol): string {
  return `roost:replacement:${token.description}`;
}

/** The tokens of all parts that a team may replace; modules add theirs when they are loaded. */
const parts = new Set<unknown>();

/** The providers of a part that a team may replace (EXT-40): Roost's own where nothing else was handed over. */
export function replaceable(token: symbol, standard: Type | FactoryProvider): Provider[] {
  parts.add(token);
  return [
    standard,
    {
      provide: token,
      inject: [
        { token: replacementToken(token), optional: true },
        typeof standard === 'function' ? standard : standard.provide,
      ],
      useFactory: (replacement: unknown, own: unknown) => replacement ?? own,
    },
  ];
}

class ReplacementsModule {}

/**
 * A global module that provides replacements to `replaceable` parts. Throws a StartError for a token that is none of
 * these.
 */
export function replacementsModule(replacements: readonly Replacement[]): DynamicModule {
  requireParts(replacements);
  const tokens = replacements.map((replacement) => replacementToken(replacement.provide as symbol));
  return {
    module: ReplacementsModule,
    global: true,
    providers: replacements.map((replacement, index) => ({ ...replacement, provide: tokens[index]! })),
    exports: tokens,
  };
}

function requireParts(replacements: readonly Replacement[]): void {
  const seen = new Set<unknown>();
  for (const { provide } of replacements) {
    const name = nameOf(provide);
    if (!parts.has(provide)) {
      const known = [...parts].map(nameOf).sort().join(', ');
      throw new StartError(`"replace" names ${name}, which is no part that can be replaced. Those are ${known}.`);
    }
    if (seen.has(provide)) throw new StartError(`"replace" names ${name} twice.`);
    seen.add(provide);
  }
}

function nameOf(token: unknown): string {
  if (typeof token === 'symbol') return token.description ?? 'a symbol';
  return typeof token === 'function' ? token.name : String(token);
}
