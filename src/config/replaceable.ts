import type { DynamicModule, Provider, Type } from '@nestjs/common';

/** A provider that takes the place of one of Roost's: `{ provide: MAIL_TRANSPORT, useClass: MyTransport }`. */
export type Replacement = Exclude<Provider, Type>;

/** Under which token a replacement waits to be asked for. */
function replacementToken(token: symbol): string {
  return `roost:replacement:${token.description}`;
}

/** The providers of a part that a team may replace (EXT-40): its own class where nothing else was handed over. */
export function replaceable(token: symbol, standard: Type): Provider[] {
  return [
    standard,
    {
      provide: token,
      inject: [{ token: replacementToken(token), optional: true }, standard],
      useFactory: (replacement: unknown, own: unknown) => replacement ?? own,
    },
  ];
}

class ReplacementsModule {}

/** A global module that offers replacements to `replaceable` parts. */
export function replacementsModule(replacements: readonly Replacement[]): DynamicModule {
  const tokens = replacements.map((replacement) => replacementToken(replacement.provide as symbol));
  return {
    module: ReplacementsModule,
    global: true,
    providers: replacements.map((replacement, index) => ({ ...replacement, provide: tokens[index]! })),
    exports: tokens,
  };
}
