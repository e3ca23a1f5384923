import { type DynamicModule, Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { type SignInMethod, SignInMethods } from '../collections/sign-in-methods.js';

/** How a team adds ways of signing in: `imports: [SignInModule.register({ name: 'sms', … })]`. */
@Module({})
export class SignInModule {
  /** The start fails when a name is taken. */
  static register(...methods: readonly SignInMethod[]): DynamicModule {
    return {
      module: SignInModule,
      imports: [CollectionsModule],
      providers: [
        {
          provide: Symbol('registered ways of signing in'),
          useFactory: (known: SignInMethods) => methods.forEach((method) => known.add(method)),
          inject: [SignInMethods],
        },
      ],
    };
  }
}
