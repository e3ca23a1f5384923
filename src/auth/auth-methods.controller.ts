import { Controller, Get, Header } from '@nestjs/common';
import { CurrentCollection } from '../http/current-collection.decorator.js';
import { Collection } from '../kernel/collections/collection.js';
import { AuthMethodsService, type AuthMethods } from './auth-methods.service.js';
import { AuthRoute } from './auth-route.decorator.js';

@Controller('api/collections/:collection')
export class AuthMethodsController {
  constructor(private readonly methods: AuthMethodsService) {}

  // Each answer has states and verifiers of its own, which begin one sign-in (OPS-33a).
  @Get('auth-methods')
  @Header('Cache-Control', 'no-store')
  @AuthRoute({ tags: ['listAuthMethods'] })
  list(@CurrentCollection() collection: Collection): AuthMethods {
    return this.methods.list(collection);
  }
}
