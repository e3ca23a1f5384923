import { Controller, Get, Header } from '@nestjs/common';
import { CurrentCollection } from '../http/request/collection.decorators.js';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { Collection } from '../kernel/collections/collection.js';
import { AuthMethods } from './auth-methods.dto.js';
import { AuthMethodsService } from './auth-methods.service.js';
import { AuthRoute } from './auth-route.decorator.js';

@Controller('api/collections/:collection')
export class AuthMethodsController {
  constructor(private readonly methods: AuthMethodsService) {}

  // Each answer has states and verifiers of its own, which begin one sign-in (OPS-33a).
  @Get('auth-methods')
  @Header('Cache-Control', 'no-store')
  @AuthRoute({ tags: ['listAuthMethods'] })
  @ApiOperation({ summary: 'How one can sign in' })
  @ApiOkResponse({ type: AuthMethods })
  list(@CurrentCollection() collection: Collection): AuthMethods {
    return this.methods.list(collection);
  }
}
