import { Controller, Get } from '@nestjs/common';
import { CurrentCollection } from '../http/current-collection.decorator.js';
import { Collection } from '../kernel/collections/collection.js';
import { AuthMethodsService, type AuthMethods } from './auth-methods.service.js';
import { AuthRoute } from './auth-route.decorator.js';

@Controller('api/collections/:collection')
export class AuthMethodsController {
  constructor(private readonly methods: AuthMethodsService) {}

  @Get('auth-methods')
  @AuthRoute({ tags: ['listAuthMethods'] })
  list(@CurrentCollection() collection: Collection): AuthMethods {
    return this.methods.list(collection);
  }
}
