import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import { RecordsModule, RuleGuard } from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

const KINDS = ['list', 'view', 'create', 'update', 'delete'] as const;

@Controller('api/may/:collection')
class MayController {
  @Get('list')
  @UseGuards(RuleGuard('list'))
  list(): string {
    return 'yes';
  }

  @Get('view')
  @UseGuards(RuleGuard('view'))
  view(): string {
    return 'yes';
  }

  @Get('create')
  @UseGuards(RuleGuard('create'))
  create(): string {
    return 'yes';
  }

  @Get('update')
  @UseGuards(RuleGuard('update'))
  update(): string {
    return 'yes';
  }

  @Get('delete')
  @UseGuards(RuleGuard('delete'))
  delete(): string {
    return 'yes';
  }
}

@Module({ imports: [RecordsModule], controllers: [MayController] })
class MayModule {}

describe('the guard of a rule', () => {
  let roost: TestRoost;
  let superuser: string;
  let user: string;

  beforeAll(async () => {
    roost = await startRoost({ imports: [MayModule] });
    superuser = await roost.createSuperuser();
    const account = { email: 'ann@example.com', password: 'ann-password', passwordConfirm: 'ann-password' };
    await roost.inject({ url: '/api/collections/users/records', body: account, token: superuser });
    user = await roost.signIn('users', account.email);
  });
  afterAll(() => roost?.close());

  const may = async (collection: string, kind: string, token?: string) =>
    (await roost.inject({ url: `/api/may/${collection}/${kind}`, token })).status;

  it.each(KINDS)('EXT-11 for %s looks at that rule and at no other', async (kind) => {
    await roost.createCollections(
      { name: `open_${kind}`, type: 'base', fields: [], [`${kind}Rule`]: "@request.auth.id = 'nobody'" },
      {
        name: `shut_${kind}`,
        type: 'base',
        fields: [],
        ...Object.fromEntries(KINDS.map((other) => [`${other}Rule`, other === kind ? null : ''])),
      },
    );
    for (const token of [undefined, user]) {
      expect([await may(`open_${kind}`, kind, token), await may(`shut_${kind}`, kind, token)]).toEqual([200, 403]);
    }
    expect([await may(`open_${kind}`, kind, superuser), await may(`shut_${kind}`, kind, superuser)]).toEqual([
      200, 200,
    ]);
    expect([await may('nowhere', kind), await may('nowhere', kind, superuser)]).toEqual([404, 404]);
  });
});
