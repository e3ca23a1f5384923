import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { RecordsModule } from '../records/records.module.js';
import { AuthGuard } from './auth.guard.js';
import { AuthenticateGuard } from './authenticate.guard.js';
import { RouteAccessGuard } from './route-access.guard.js';
import { SuperuserGuard } from './superuser.guard.js';
import { SuperuserIpsGuard } from './superuser-ips.guard.js';

/** Who is calling, and every way to sign in (chapter 03). */
@Module({
  imports: [CollectionsModule, RecordsModule],
  providers: [AuthenticateGuard, SuperuserIpsGuard, RouteAccessGuard, AuthGuard, SuperuserGuard],
  exports: [AuthenticateGuard, SuperuserIpsGuard, RouteAccessGuard, AuthGuard, SuperuserGuard],
})
export class AuthModule {}
