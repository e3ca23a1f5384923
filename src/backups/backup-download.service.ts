import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { queryValue } from '../http/request/query-value.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import { RangeNotSatisfiableError } from '../kernel/errors/range-not-satisfiable.error.js';
import { SUPERUSERS_ID } from '../kernel/records/caller.js';
import { AuthRecords } from '../records/auth-records.js';
import { allowsSuperusers } from '../settings/allows-superusers.js';
import { SettingsService } from '../settings/settings.service.js';
import { parseRange } from '../storage/byte-range.js';
import { BackupsService } from './backups.service.js';

/** Sends a backup to whoever has the file token of a superuser. */
@Injectable()
export class BackupDownloadService {
  constructor(
    private readonly backups: BackupsService,
    private readonly authRecords: AuthRecords,
    private readonly settings: SettingsService,
  ) {}

  /** Throws 403 without such a token, 404 for an unknown backup, 416 for a part that is not in it. */
  async send(key: string, request: RoostRequest, reply: FastifyReply): Promise<void> {
    await this.requireToken(request);
    const { size, modified } = await this.backups.stat(key);
    const part = parseRange(request.headers.range, size);
    if (part === 'unsatisfiable') throw new RangeNotSatisfiableError(size);
    const range = part === 'whole' ? undefined : part;
    const content = request.method === 'HEAD' ? Readable.from([]) : (await this.backups.open(key, range)).stream;
    void reply
      .code(range ? 206 : 200)
      .headers({
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${key.replace(/["\\]/g, '_')}"`,
        'cache-control': 'private, no-store',
        'last-modified': modified.toUTCString(),
        'accept-ranges': 'bytes',
        'content-length': String(range ? range.end - range.start + 1 : size),
        ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
      })
      .send(content);
  }

  private async requireToken({ query, caller }: RoostRequest): Promise<void> {
    const token = queryValue(query, 'token') ?? '';
    const record = token === '' ? null : await this.authRecords.findByToken(token, 'file');
    const isAllowed = record?.collection.id === SUPERUSERS_ID && allowsSuperusers(this.settings.get(), caller.ip);
    if (!isAllowed) throw new ForbiddenError();
  }
}
