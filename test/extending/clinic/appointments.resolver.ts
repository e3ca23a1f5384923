import { Args, Field, Float, ID, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { type Caller, CurrentCaller, type RecordModel, RecordsService, RequireAuth } from 'roost';
import { AppointmentsService } from './appointments.service.js';

@ObjectType('Appointment')
export class AppointmentType {
  @Field(() => ID) id!: string;
  @Field(() => String) at!: string;
  treatment!: string;
}

const toType = (record: RecordModel): AppointmentType => ({
  id: record.id,
  at: record.get('at') as string,
  treatment: record.get('treatment') as string,
});

@Resolver(() => AppointmentType)
export class AppointmentsResolver {
  constructor(
    private readonly appointments: AppointmentsService,
    private readonly records: RecordsService,
  ) {}

  @Query(() => [AppointmentType])
  async upcoming(@CurrentCaller() caller: Caller): Promise<AppointmentType[]> {
    return (await this.appointments.upcoming(caller)).map(toType);
  }

  @Mutation(() => AppointmentType)
  @RequireAuth('members')
  async book(
    @Args('treatment', { type: () => ID }) treatment: string,
    @Args('at', { type: () => String }) at: string,
    @CurrentCaller() caller: Caller,
  ): Promise<AppointmentType> {
    return toType(await this.appointments.book(caller, treatment, new Date(at)));
  }

  @ResolveField(() => Float)
  async fee(@Parent() { treatment }: AppointmentType, @CurrentCaller() caller: Caller): Promise<number> {
    return (await this.records.findOne('treatments', treatment, { as: caller })).get('fee') as number;
  }
}
