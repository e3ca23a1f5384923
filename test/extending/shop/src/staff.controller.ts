import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import {
  AuthGuard,
  type Caller,
  CurrentAuth,
  CurrentCaller,
  type RecordModel,
  RecordsService,
  RequireSuperuser,
  RuleGuard,
  SuperuserGuard,
} from 'roost';

/** What the people behind the counter look at, and one example of each guard. */
@Controller('api/shop/staff')
export class StaffController {
  constructor(private readonly records: RecordsService) {}

  @Get('stock')
  @RequireSuperuser()
  async stock(): Promise<{ pieces: number }> {
    const { items } = await this.records.find('products', { perPage: 1000, skipTotal: true });
    return { pieces: items.reduce((sum, product) => sum + (product.get('stock') as number), 0) };
  }

  @Get('customers')
  @UseGuards(SuperuserGuard)
  async customers(): Promise<{ count: number }> {
    return { count: await this.records.count('customers') };
  }

  @Get('whoami')
  @UseGuards(AuthGuard)
  whoami(@CurrentAuth() auth: RecordModel): { id: string; collection: string } {
    return { id: auth.id, collection: auth.collection.name };
  }

  @Get('greeting')
  greeting(@CurrentAuth() auth: RecordModel | null): { hello: string } {
    return { hello: auth ? String(auth.get('email')) : 'stranger' };
  }

  /** The guard refuses closed rules and unknown collections; the service applies the rule itself. */
  @Get(':collection/latest')
  @UseGuards(RuleGuard('list'))
  async latest(@Param('collection') collection: string, @CurrentCaller() caller: Caller): Promise<{ ids: string[] }> {
    const { items } = await this.records.find(collection, { as: caller, sort: '-created', perPage: 3 });
    return { ids: items.map(({ id }) => id) };
  }
}
