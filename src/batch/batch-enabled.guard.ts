import { type CanActivate, Injectable } from '@nestjs/common';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import { SettingsService } from '../settings/settings.service.js';

/** Refuses every batch, those of superusers included, before a byte of its body is read (BAT-1). */
@Injectable()
export class BatchEnabledGuard implements CanActivate {
  constructor(private readonly settings: SettingsService) {}

  canActivate(): boolean {
    const { enabled, maxRequests } = this.settings.get().batch;
    if (!enabled || maxRequests === 0) throw new ForbiddenError('Batch requests are not allowed.');
    return true;
  }
}
